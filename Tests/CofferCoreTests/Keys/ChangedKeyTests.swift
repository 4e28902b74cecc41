import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore
@testable import CofferSQLite
@testable import CofferVault

/// Connections that are open while another one changes the key.
@Suite struct ChangedKeyTests {
  private let directory: TemporaryDirectory
  private let path: String
  private let old = DatabaseKey.seeded()
  private let new = DatabaseKey.seeded()

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("a.db")
  }

  private func open(_ key: DatabaseKey, wal: Bool, hmac: Bool = true) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.journalMode = wal ? .wal : .delete
    configuration.cipher.usesHMAC = hmac
    return try DatabaseQueue(path: path, key: key, configuration: configuration)
  }

  private func make(wal: Bool, hmac: Bool = true) throws {
    let queue = try open(old, wal: wal, hmac: hmac)
    try queue.write { db in
      try db.execute(sql: "CREATE TABLE t (a, b)")
      for number in 1...300 {
        try db.execute(
          sql: "INSERT INTO t VALUES (?, ?)",
          arguments: [number, String(repeating: "x", count: 200)])
      }
    }
    try queue.close()
  }

  private func expectChanged(
    _ error: (any Error)?, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = error as? DatabaseError
    #expect(error?.cipherDiagnosis == .wrongKey, "\(error as Any)", sourceLocation: sourceLocation)
    #expect("\(error as Any)".contains("was changed"), sourceLocation: sourceLocation)
  }

  @Test(arguments: [false, true], [false, true])
  func `an idle connection reports that the key was changed`(wal: Bool, hmac: Bool) throws {
    try make(wal: wal, hmac: hmac)
    let select = "SELECT count(*), max(b) FROM t"
    let accesses: [(DatabaseQueue) throws -> Void] = [
      { try $0.read { _ = try Row.fetchOne($0, sql: select) } },
      { try $0.write { try $0.execute(sql: "INSERT INTO t VALUES (0, 0)") } },
      { try $0.writeWithoutTransaction { try $0.execute(sql: "CREATE TABLE u (a)") } },
      { try $0.inDatabase { try $0.execute(sql: "BEGIN; SELECT count(*) FROM t") } },
    ]
    let idle = try accesses.map { _ in try open(old, wal: wal, hmac: hmac) }
    let fresh = try open(old, wal: wal, hmac: hmac)
    for queue in idle { _ = try queue.read { try Row.fetchOne($0, sql: select) } }
    let other = try open(old, wal: wal, hmac: hmac)
    try other.changeKey(to: new)
    for (queue, access) in zip(idle, accesses) {
      for _ in 1...2 { expectChanged(databaseError { try access(queue) }) }
    }
    expectChanged(databaseError { try fresh.read { _ = try Row.fetchOne($0, sql: select) } })
    // The connection that has changed the key still works, and the file is intact.
    try other.write { try $0.execute(sql: "INSERT INTO t VALUES (301, 'y')") }
    for queue in idle { try queue.close() }
    let reopened = try open(new, wal: wal, hmac: hmac)
    #expect(try reopened.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 301)
  }

  /// Without HMACs, one of 256 headers decrypted with the wrong key asks for a WAL.
  @Test func `an old key that finds a WAL in the header keeps nobody from committing`() throws {
    let idle = try open(old, wal: false, hmac: false)
    let count = "SELECT count(*) FROM t"
    try idle.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
    let other = try open(old, wal: false, hmac: false)
    let settings = idle.configuration.cipher
    var generator = SeededGenerator()
    var asksForWAL = false
    for _ in 1...6000 where !asksForWAL {
      try other.changeKey(to: .raw(generator.bytes(32)))
      let key = try FileKey.existing(at: path, key: old, settings: settings)
      let derived = try #require(key.derived)
      let file = try #require(try CipherFile(path: path, key: derived, settings: settings))
      asksForWAL = try file.decryptedHeader()?.bytes[19] == 2
    }
    try #require(asksForWAL)
    for _ in 1...2 {
      expectChanged(databaseError { try idle.read { _ = try Int.fetchOne($0, sql: count) } })
    }
    try other.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
    #expect(try other.read { try Int.fetchOne($0, sql: count) } == 2)
    try idle.close()
    #expect(databaseError { try idle.read { _ in } }?.cipherDiagnosis == nil)
  }

  @Test func `the idle readers of a pool report that the key was changed`() throws {
    try make(wal: true)
    let pool = try DatabasePool(path: path, key: old)
    try pool.read { db in
      _ = try Row.fetchOne(db, sql: "SELECT count(*) FROM t")
    }
    let other = try open(old, wal: true)
    try other.changeKey(to: new)
    for _ in 1...2 {
      expectChanged(
        databaseError { try pool.read { _ = try Row.fetchAll($0, sql: "SELECT * FROM t") } })
    }
    expectChanged(
      databaseError { try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (0, 0)") } })
    #expect(try other.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 300)
  }

  @Test func `asynchronous accesses report that the key was changed`() async throws {
    try make(wal: true)
    let pool = try DatabasePool(path: path, key: old)
    _ = try await pool.read { try Row.fetchOne($0, sql: "SELECT count(*) FROM t") != nil }
    try open(old, wal: true).changeKey(to: new)
    do {
      _ = try await pool.read { try Row.fetchAll($0, sql: "SELECT * FROM t").count }
      Issue.record("nothing was thrown")
    } catch { expectChanged(error) }
  }

  @Test func `a changed passphrase is diagnosed as well`() throws {
    let queue = try DatabaseQueue(path: path, key: .passphrase("old"))
    try queue.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
    let other = try DatabaseQueue(path: path, key: .passphrase("old"))
    try other.changeKey(to: .passphrase("new"))
    expectChanged(databaseError { try queue.read { try Row.fetchOne($0, sql: "SELECT a FROM t") } })
    try other.changeKey(to: .passphrase("old"))
    try queue.close()
    let again = try DatabaseQueue(path: path, key: .passphrase("old"))
    #expect(try again.read { try Int.fetchOne($0, sql: "SELECT a FROM t") } == 1)
  }

  @Test func `damage isn't taken for a changed key`() throws {
    try make(wal: false)
    let queue = try open(old, wal: false)
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    try file.seek(toOffset: 24)
    try file.write(contentsOf: Data(repeating: 0xA5, count: 40))
    try file.close()
    let error = databaseError { try queue.read { try Row.fetchAll($0, sql: "SELECT * FROM t") } }
    #expect(error?.cipherDiagnosis == nil)
    #expect(!"\(error as Any)".contains("was changed"))
  }

  @Test func `errors of statements stay what they are`() throws {
    try make(wal: false)
    let queue = try open(old, wal: false)
    let error = databaseError { try queue.read { try Row.fetchAll($0, sql: "SELECT * FROM no") } }
    #expect(error?.cipherDiagnosis == nil)
    #expect(error?.message == "no such table: no")
  }
}
