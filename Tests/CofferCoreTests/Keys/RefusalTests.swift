import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

struct RefusalTests {
  let directory: TemporaryDirectory
  let keyed: DatabaseQueue
  let plain: DatabaseQueue

  init() throws {
    directory = try TemporaryDirectory()
    keyed = try DatabaseQueue(path: directory.path("a.db"), key: .seeded())
    plain = try DatabaseQueue(path: directory.path("b.db"))
  }

  // MARK: Pragmas

  @Test(
    arguments: [
      ("key", "x"), ("KEY", "x"), ("hexkey", "00"), ("textkey", "x"), ("rekey", "x"),
      ("hexrekey", "00"), ("cipher_migrate", nil), ("temp_store", "FILE"), ("temp_store", "1"),
      ("temp_store", "0"), ("temp_store", "DEFAULT"), ("Temp_Store", "anything"),
    ] as [(String, String?)])
  func `a pragma that exposes keys or data is refused`(name: String, value: String?) throws {
    try keyed.inDatabase { #expect($0.pragmaRefusal(name: name, value: value) != nil) }
  }

  @Test(
    arguments: [
      ("temp_store", nil), ("temp_store", "MEMORY"), ("temp_store", "2"), ("user_version", "1"),
      ("foreign_keys", "ON"), ("page_size", nil), ("cipher_version", nil),
    ] as [(String, String?)])
  func `a harmless pragma is not refused`(name: String, value: String?) throws {
    try keyed.inDatabase { #expect($0.pragmaRefusal(name: name, value: value) == nil) }
  }

  @Test func `page_size is refused where it destroys data`() throws {
    try keyed.inDatabase { db in
      let refusal = db.pragmaRefusal(name: "page_size", value: "4096")
      #expect(refusal?.contains("CipherSettings(pageSize:)") == true)
    }
    try plain.inDatabase { #expect($0.pragmaRefusal(name: "page_size", value: "4096") == nil) }
  }

  @Test func `a plaintext database may have temporary files`() throws {
    try plain.inDatabase { #expect($0.pragmaRefusal(name: "temp_store", value: "1") == nil) }
  }

  // MARK: ATTACH

  @Test(
    arguments: [
      "ATTACH 'x.db' AS x", "attach database 'x.db' as x", "  ATTACH ? AS x",
      "/* hi */ ATTACH 'x.db' AS x", "-- hi\nATTACH 'x.db' AS key", ";ATTACH ':memory:x' AS x",
      "SELECT 1; ATTACH 'x.db' AS x", "ATTACH 'KEY' AS \"x KEY\"",
    ])
  func `ATTACH without KEY is refused on an encrypted database`(sql: String) throws {
    try keyed.inDatabase { db in
      let error = #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
      #expect("\(error!)".contains("db.attach"))
    }
    #expect(!FileManager.default.fileExists(atPath: "x.db"))
  }

  @Test(
    arguments: [
      "ATTACH 'x.db' AS x KEY 'swordfish'", "ATTACH 'x.db' AS x KEY \"x'swordfish'\"",
      "ATTACH 'x.db' AS x KEY swordfish", "ATTACH 'x.db' AS x KEY '' || 'swordfish'",
    ])
  func `ATTACH with a key in its text is refused, and the text not shown`(sql: String) throws {
    for queue in [keyed, plain] {
      try queue.inDatabase { db in
        let error = #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
        #expect(!"\(error!)".contains("swordfish"))
      }
    }
    #expect(!FileManager.default.fileExists(atPath: "x.db"))
  }

  private func attachedSchemas(_ db: Database) throws -> [String] {
    try Row.fetchAll(db, sql: "PRAGMA database_list").map { $0["name"] }.filter {
      $0 != "main" && $0 != "temp"
    }
  }

  @Test func `ATTACH that says its key, or needs none, is not refused`() throws {
    for (index, queue) in [keyed, plain].enumerated() {
      let (plainPath, keyedPath) = (directory.path("p\(index).db"), directory.path("k\(index).db"))
      try queue.inDatabase { db in
        try db.execute(sql: "ATTACH ':memory:' AS m")
        try db.execute(sql: "ATTACH ? AS p KEY ''", arguments: [plainPath])
        try db.execute(sql: "ATTACH ? AS k KEY ?", arguments: [keyedPath, "swordfish"])
        try db.execute(sql: "CREATE TABLE m.t (x); CREATE TABLE p.t (x); CREATE TABLE k.t (x)")
        #expect(try attachedSchemas(db) == ["m", "p", "k"])
        try db.execute(sql: "DETACH m; DETACH p; DETACH k")
        #expect(try attachedSchemas(db) == [])
      }
      guard case .plaintext = DatabaseFile.inspect(at: plainPath).kind else {
        Issue.record("the file attached with an empty key isn't plaintext")
        continue
      }
      let attached = try DatabaseQueue(path: keyedPath, key: .passphrase("swordfish"))
      #expect(try attached.read { try $0.tableExists("t") })
    }
    try plain.inDatabase { db in
      try db.execute(sql: "ATTACH ? AS p", arguments: [directory.path("p0.db")])
      #expect(try attachedSchemas(db) == ["p"])
    }
  }

  // MARK: VACUUM INTO

  @Test(
    arguments: [
      "VACUUM INTO 'file:x.db?key='", "VACUUM INTO ?", "vacuum x INTO 'x.db'",
      "VACUUM main INTO 'file:' || 'x.db'", "VACUUM \"x\" INTO 'x.db'",
    ])
  func `VACUUM INTO that may write plaintext is refused`(sql: String) throws {
    try keyed.inDatabase { db in
      let error = #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
      #expect("\(error!)".contains("VACUUM INTO") && "\(error!)".contains("refused"))
    }
  }

  @Test func `VACUUM INTO of an encrypted database attached to a plaintext one is refused`() throws
  {
    try plain.inDatabase { db in
      try db.attach(directory.path("e.db"), as: "e", key: .seeded())
      let error = #expect(throws: DatabaseError.self) { try db.execute(sql: "VACUUM e INTO 'x'") }
      #expect("\(error!)".contains("refused"))
    }
  }

  @Test func `VACUUM is not refused, nor VACUUM INTO a plain name`() throws {
    let target = directory.path("v.db")
    try keyed.inDatabase { db in
      try db.execute(sql: "VACUUM")
      guard SQLiteFeatures.linked.hasVacuumInto else { return }
      try db.execute(sql: "VACUUM INTO '\(target)'")
      #expect(try FileKey.salt(of: target) == FileKey.salt(of: db.path))
    }
  }
}
