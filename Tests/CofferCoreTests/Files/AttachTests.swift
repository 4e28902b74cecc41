import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore
@testable import CofferSQLite

struct AttachTests {
  let directory: TemporaryDirectory
  let mainKey = DatabaseKey.seeded()
  let otherKey = DatabaseKey.seeded()

  init() throws { directory = try TemporaryDirectory() }

  func makeMain() throws -> DatabaseQueue {
    try DatabaseQueue(path: directory.path("main.db"), key: mainKey)
  }

  func makeFile(_ key: DatabaseKey?) throws -> String {
    let path = directory.path("other.db")
    var configuration = Configuration()
    configuration.key = key
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.write { try $0.execute(sql: "CREATE TABLE o (a); INSERT INTO o VALUES (7)") }
    try queue.close()
    return path
  }

  @Test func `a file with a key of its own is attached, read, written and detached`() throws {
    for key in [otherKey, .passphrase("secret"), mainKey, nil] {
      let path = try makeFile(key)
      let queue = try makeMain()
      try queue.inDatabase { db in
        try db.attach(path, as: "o ther", key: key)
        #expect(try Int.fetchOne(db, sql: "SELECT a FROM \"o ther\".o") == 7)
        try db.execute(sql: "INSERT INTO \"o ther\".o VALUES (8)")
        try db.detach("o ther")
        #expect(throws: DatabaseError.self) { try Int.fetchOne(db, sql: "SELECT a FROM o") }
      }
      var configuration = Configuration()
      configuration.key = key
      let other = try DatabaseQueue(path: path, configuration: configuration)
      #expect(try other.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM o") } == 2)
      try FileManager.default.removeItem(atPath: path)
    }
  }

  /// SQLite can lose one of two journals there: see `Database.Engine.faults`.
  @Test(
    .enabled(
      if: SQLiteFeatures.linked.deletesDamagedJournals, "only SQLite 3.53.0 to 3.53.3 deletes them")
  )
  func `no transaction gets two rollback journals`() throws {
    let path = try makeFile(otherKey)
    let queue = try makeMain()
    func error(_ body: (Database) throws -> Void) -> DatabaseError? {
      #expect(throws: DatabaseError.self) { try queue.inDatabase(body) }
    }
    let refusals = [
      error { try $0.attach(path, as: "other", key: otherKey) },
      error { try $0.attach(directory.path("new.db"), as: "new", key: otherKey) },
      error { try $0.execute(sql: "ATTACH ? AS other KEY ?", arguments: [path, "secret"]) },
    ]
    for refusal in refusals { #expect(refusal?.message?.contains("rollback journal") == true) }
    #expect(DatabaseFile.inspect(at: directory.path("new.db")).size == 0)
    try queue.inDatabase { db in
      try db.attach(":memory:", as: "memory", key: nil)
      #expect(try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL") == "wal")
      try db.attach(path, as: "other", key: otherKey)
      #expect(try Int.fetchOne(db, sql: "SELECT a FROM other.o") == 7)
    }
  }

  @Test func `a new file is encrypted at once, with a salt of its own`() throws {
    let path = directory.path("new.db")
    let queue = try makeMain()
    try queue.inDatabase { db in
      try db.attach(path, as: "new", key: otherKey)
      #expect(DatabaseFile.inspect(at: path).size > 0)
      try db.execute(sql: "CREATE TABLE new.t (a); INSERT INTO new.t VALUES ('MARKER')")
    }
    try queue.close()
    #expect(try FileKey.salt(of: path) != FileKey.salt(of: directory.path("main.db")))
    #expect(
      try DatabaseQueue(path: path, key: otherKey).read {
        try String.fetchOne($0, sql: "SELECT a FROM t")
      } == "MARKER")
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).range(of: Data("MARKER".utf8)) == nil)
  }

  @Test func `a new file may have other settings`() throws {
    let path = directory.path("new.db")
    var settings = CipherSettings.default
    settings.pageSize = 8192
    settings.kdfIterations = 4000
    let queue = try makeMain()
    try queue.inDatabase { db in
      try db.attach(path, as: "new", key: .passphrase("p"), cipher: settings)
      try db.execute(sql: "CREATE TABLE new.t (a); INSERT INTO new.t VALUES (1)")
      try db.detach("new")
      // An existing one can't.
      #expect(throws: DatabaseError.self) {
        try db.attach(path, as: "new", key: .passphrase("p"), cipher: settings)
      }
    }
    var configuration = Configuration()
    configuration.cipher = settings
    let other = try DatabaseQueue(path: path, key: .passphrase("p"), configuration: configuration)
    #expect(try other.read { try Int.fetchOne($0, sql: "SELECT a FROM t") } == 1)
  }

  @Test func `a wrong key, no key and a needless key say which they are`() throws {
    let queue = try makeMain()
    let path = try makeFile(otherKey)
    func message(_ key: DatabaseKey?) throws -> String {
      try queue.inDatabase { db -> String in
        let error = #expect(throws: DatabaseError.self) {
          try db.attach(path, as: "o", key: key)
        }
        let schemas = try Row.fetchAll(db, sql: "PRAGMA database_list")
        #expect(schemas.count == 1)
        return "\(error!)"
      }
    }
    #expect(try message(mainKey).contains("key is wrong"))
    #expect(try message(nil).contains("no key was given"))
    #expect(try message(.passphrase("")).contains("empty"))
    try FileManager.default.removeItem(atPath: path)
    _ = try makeFile(nil)
    #expect(try message(otherKey).contains("not encrypted"))
  }

  @Test func `no error shows the key`() throws {
    let path = try makeFile(otherKey)
    let queue = try makeMain()
    let error = try queue.inDatabase { db in
      #expect(throws: DatabaseError.self) {
        try db.attach(path, as: "o", key: .passphrase("swordfish"))
      }
    }
    #expect(!(error!.expandedDescription.contains("swordfish")))
  }
}
