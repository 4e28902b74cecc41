import Foundation
import Testing

@testable import CofferCore

struct RefusalTests {
  let directory: TemporaryDirectory
  let keyed: DatabaseQueue
  let plain: DatabaseQueue

  init() throws {
    directory = try TemporaryDirectory()
    keyed = try DatabaseQueue(path: directory.path("a.db"), key: .random())
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
  func `a harmless pragma is not`(name: String, value: String?) throws {
    try keyed.inDatabase { #expect($0.pragmaRefusal(name: name, value: value) == nil) }
  }

  @Test func `page_size is refused where it destroys data`() throws {
    try keyed.inDatabase { db in
      let isRefused = db.pragmaRefusal(name: "page_size", value: "4096") != nil
      #expect(isRefused == (SQLCipherGeneration.linked == .three))
    }
    try plain.inDatabase { #expect($0.pragmaRefusal(name: "page_size", value: "4096") == nil) }
  }

  @Test func `temporary files are a plaintext database's own business`() throws {
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

  @Test func `ATTACH that says its key, or needs none, is not refused`() throws {
    let path = directory.path("c.db")
    for queue in [keyed, plain] {
      try queue.inDatabase { db in
        try db.execute(sql: "ATTACH ':memory:' AS m; DETACH m")
        try db.execute(sql: "ATTACH ? AS p KEY ''", arguments: [path])
        try db.execute(sql: "DETACH p")
        try db.execute(sql: "ATTACH ? AS k KEY ?", arguments: [path + "2", "swordfish"])
        try db.execute(sql: "DETACH k")
      }
    }
    try plain.inDatabase { db in
      try db.execute(sql: "ATTACH ? AS p", arguments: [path])
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

  @Test func `a plaintext database can't hand out an attached one either`() throws {
    try plain.inDatabase { db in
      try db.attach(directory.path("e.db"), as: "e", key: .random())
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
      #expect(Database.salt(of: target) == Database.salt(of: db.path))
    }
  }
}
