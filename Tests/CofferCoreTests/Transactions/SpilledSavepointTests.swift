import CofferCore
import CofferTestSupport
import Foundation
import Testing

@Suite("Transactions that are larger than the cache")
struct SpilledSavepointTests {
  /// The number of commits in a copy of the files, as after the end of the process.
  private func commitsAfterKill(_ database: EncryptedQueue) throws -> Int? {
    let copy = database.directory.path("killed")
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: database.path + suffix, toPath: copy + suffix)
    }
    let queue = try DatabaseQueue(path: copy, configuration: database.configuration)
    return try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM done") }
  }

  private func makeDatabase() throws -> EncryptedQueue {
    try EncryptedQueue(
      """
      CREATE TABLE done (number INTEGER);
      CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT);
      WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 200)
        INSERT INTO item SELECT x, hex(zeroblob(300)) FROM c
      """
    ) { configuration in
      configuration.journalMode = .wal
      configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = 5") }
    }
  }

  @Test func `commits after an undone savepoint are there after the end of the process`() throws {
    let database = try makeDatabase()
    try database.queue.write { db in
      try db.inSavepoint {
        try db.execute(sql: "UPDATE item SET text = text || '1'")
        // Only some of the pages are written twice.
        try db.execute(sql: "UPDATE item SET text = text || '2' WHERE id > 150")
        return .rollback
      }
      try db.execute(sql: "INSERT INTO done VALUES (1)")
    }
    try database.queue.write { try $0.execute(sql: "INSERT INTO done VALUES (2)") }
    #expect(try commitsAfterKill(database) == 2)
  }

  @Test func `pages wait for the commit after a vacuum and a change of the key, too`() throws {
    let database = try makeDatabase()
    func spilledPages() throws -> Int? {
      try database.use { try Int.fetchOne($0, sql: "PRAGMA cache_spill") }
    }
    #expect(try spilledPages() == 1_999_999_999)
    try database.queue.vacuum()
    #expect(try spilledPages() == 1_999_999_999)
    try database.queue.changeKey(to: .raw([UInt8](repeating: 0xA5, count: 32)))
    #expect(try spilledPages() == 1_999_999_999)
  }
}
