@testable import CofferCore
import CofferExpectations
@testable import CofferQuery
import CofferTestSupport
import Foundation
import Testing

/// The words of a full-text index on disk, which are content.
@Suite struct FullTextSecrecyTests {
  // In lower case, as the index has it.
  private static let marker = "zqmarkerzq"

  /// The files with the marker, while the database is in use and after it was closed.
  private func work(
    _ engine: Engine, journalMode: String, key: DatabaseKey?
  ) throws -> (inUse: Set<String>, closed: Set<String>, names: Set<String>) {
    let directory = try TemporaryDirectory()
    var configuration = Configuration()
    configuration.key = key
    configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA cache_size = 10") }
    let queue = try DatabaseQueue(path: directory.path("db"), configuration: configuration)
    var inUse: Set<String> = []
    var names: Set<String> = []
    func look() throws {
      // No other connection uses the file, so its locks may be released with the descriptor.
      for name in try directory.contents() {
        names.insert(name)
        if try marks(directory.path(name)) { inUse.insert(name) }
      }
    }
    try queue.inDatabase { db in
      _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = \(journalMode)")
      try db.execute(sql: "CREATE TABLE doc (id INTEGER PRIMARY KEY, content TEXT)")
      try engine.create("doc_ft", in: db, following: "doc", columns: ["content"])
      try db.inTransaction {
        for number in 1...2000 {
          let text = "\(Self.marker)\(number) \(Self.marker) padding text \(number % 17)"
          try db.execute(sql: "INSERT INTO doc (content) VALUES (?)", arguments: [text])
        }
        try look()
        return .commit
      }
      try look()
      #expect(try db.matches("doc_ft", Self.marker).count == 2000)
      try db.inTransaction {
        try db.execute(sql: "UPDATE doc SET content = content || ' more' WHERE id % 2 = 0")
        try db.execute(sql: "DELETE FROM doc WHERE id % 3 = 0")
        try look()
        return .commit
      }
      for command in ["optimize", "rebuild"] {
        try db.execute(sql: "INSERT INTO doc_ft(doc_ft) VALUES (?)", arguments: [command])
        try look()
      }
      #expect(try db.matches("doc_ft", Self.marker).count == 2000 - 666)
      try engine.check("doc_ft", in: db)
    }
    try queue.close()
    var closed: Set<String> = []
    for name in try directory.contents() where try marks(directory.path(name)) {
      closed.insert(name)
    }
    return (inUse, closed, names)
  }

  private func marks(_ path: String) throws -> Bool {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    return data.range(of: Data(Self.marker.utf8)) != nil
  }

  @Test(arguments: Engine.available, ["DELETE", "WAL"])
  func `no word of an index is readable on disk`(engine: Engine, journalMode: String) throws {
    let key = try DatabaseKey.raw([UInt8](repeating: 7, count: 32))
    let findings = try work(engine, journalMode: journalMode, key: key)
    #expect(findings.inUse.isEmpty)
    #expect(findings.closed.isEmpty)
    #expect(findings.names.contains(journalMode == "WAL" ? "db-wal" : "db-journal"))
  }

  /// The control.
  @Test(arguments: Engine.available, ["DELETE", "WAL"])
  func `the same look finds the words of a plaintext database`(
    engine: Engine, journalMode: String
  ) throws {
    let findings = try work(engine, journalMode: journalMode, key: nil)
    #expect(findings.inUse.contains(journalMode == "WAL" ? "db-wal" : "db-journal"))
    #expect(findings.closed == ["db"])
  }

  @Test(arguments: Engine.available)
  func `a search term is in no error's description`(engine: Engine) throws {
    try EncryptedQueue.with("CREATE TABLE doc (id INTEGER PRIMARY KEY, content TEXT)") { db in
      try engine.create("doc_ft", in: db, following: "doc", columns: ["content"])
      try db.execute(sql: "DROP TABLE doc")
      try db.execute(sql: "CREATE TABLE doc (other)")
      let error = databaseError {
        try Row.fetchAll(
          db, sql: "SELECT * FROM doc_ft WHERE doc_ft MATCH ? AND nowhere = 1",
          arguments: [Self.marker])
      }
      #expect(error?.description.contains(Self.marker) == false)
    }
  }
}
