@testable import CofferCore
@testable import CofferSQLite
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@Suite struct CacheSizeTests {
  private func cacheSize(_ db: Database) throws -> Int? {
    try Int.fetchOne(db, sql: "PRAGMA cache_size")
  }

  private static let kibibytes = 12_000

  private func configure(_ configuration: inout Configuration) {
    configuration.cacheSize = CacheSizeTests.kibibytes << 10
    configuration.maximumReaderCount = 3
  }

  @Test func `the default is 16 MiB`() throws {
    let database = try EncryptedQueue()
    #expect(Configuration().cacheSize == 16 << 20)
    #expect(try database.use(cacheSize) == -(16 << 10))
  }

  @Test func `a queue has all of it, with and without a key`() throws {
    let database = try EncryptedQueue(configure: configure)
    #expect(try database.use(cacheSize) == -12_000)
    var configuration = Configuration()
    configure(&configuration)
    let plain = try DatabaseQueue(
      path: database.directory.path("plain"), configuration: configuration)
    #expect(try plain.inDatabase(cacheSize) == -12_000)
  }

  @Test func `a pool's connections share it equally, as they are opened and closed`() throws {
    let database = try EncryptedPool("CREATE TABLE item (id)", configure: configure)
    let pool = database.pool
    #expect(try pool.write(cacheSize) == -12_000)
    #expect(try pool.read(cacheSize) == -6_000)
    #expect(try pool.write(cacheSize) == -6_000)
    // A read on another thread opens a second reader.
    let group = DispatchGroup()
    try pool.read { _ in
      detachThread(group: group) { () throws in
        #expect(try pool.read(cacheSize) == -4_000)
      }
      group.wait()
    }
    #expect(try pool.write(cacheSize) == -4_000)
    let snapshot = try pool.makeSnapshot()
    #expect(try snapshot.read(cacheSize) == -3_000)
    #expect(try pool.read(cacheSize) == -3_000)
    try snapshot.close()
    #expect(try pool.read(cacheSize) == -4_000)
    pool.releaseMemory()
    #expect(try pool.write(cacheSize) == -12_000)
  }

  @Test func `snapshots with other settings have their own`() throws {
    let database = try EncryptedPool("CREATE TABLE item (id)", configure: configure)
    var configuration = database.configuration
    configuration.cacheSize = 6_000 << 10
    let snapshot = try DatabaseSnapshot(path: database.path, configuration: configuration)
    #expect(try snapshot.read(cacheSize) == -6_000)
    let snapshots = try DatabaseSnapshotPool(path: database.path, configuration: configuration)
    // Three readers, and the connection that has opened them until then.
    #expect(try snapshots.read(cacheSize) == -2_000)
    #expect(try database.pool.write(cacheSize) == -12_000)
  }

  @Test func `a connection that was opened with its own PRAGMA keeps that size`() throws {
    let database = try EncryptedPool("CREATE TABLE item (id)") {
      configure(&$0)
      $0.prepareDatabase { db in
        if db.configuration.readonly { try db.execute(sql: "PRAGMA cache_size = 77") }
      }
    }
    let pool = database.pool
    #expect(try pool.read(cacheSize) == 77)
    #expect(try pool.write(cacheSize) == -6_000)
    #expect(try pool.read(cacheSize) == 77)
  }

  @Test func `a later PRAGMA sets the size for good, reading it doesn't`() throws {
    let database = try EncryptedPool("CREATE TABLE item (id)", configure: configure)
    let pool = database.pool
    try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA main.cache_size = -500") }
    #expect(try pool.read(cacheSize) == -6_000)
    #expect(try pool.write(cacheSize) == -500)
  }

  @Test func `the size stays after the key is changed`() throws {
    let database = try EncryptedQueue("CREATE TABLE item (id)", configure: configure)
    try database.queue.changeKey(to: .seeded())
    #expect(try database.use(cacheSize) == -12_000)
  }

  @Test(arguments: [-1, Int.min, Int.max, (2 << 40) + 1_024])
  func `an impossible size is an error, and creates no file`(size: Int) throws {
    let directory = try TemporaryDirectory()
    var configuration = Configuration()
    configuration.cacheSize = size
    for open: () throws -> any DatabaseReader in [
      {
        try DatabaseQueue(path: directory.path("db"), key: .seeded(), configuration: configuration)
      },
      {
        try DatabasePool(path: directory.path("db"), key: .seeded(), configuration: configuration)
      },
      { try DatabaseQueue(configuration: configuration) },
    ] {
      let error = databaseError { try open() }
      #expect(error?.resultCode == .SQLITE_MISUSE)
      #expect(error?.message?.contains("cacheSize") == true)
    }
    #expect(try directory.contents().isEmpty)
  }

  @Test func `a database works without a cache`() throws {
    let database = try EncryptedQueue("CREATE TABLE item (id)") { $0.cacheSize = 0 }
    try database.queue.write { db in
      for id in 0..<2_000 { try db.execute(sql: "INSERT INTO item VALUES (?)", arguments: [id]) }
    }
    let sum = try database.queue.read { try Int.fetchOne($0, sql: "SELECT sum(id) FROM item") }
    #expect(sum == 1_999_000)
  }

  // MARK: Releasing

  /// The number of bytes in the connection's cache.
  private func cacheBytes(_ db: Database) -> Int {
    unsafe db.sqliteConnection.map { Int(SQLite.cacheBytes($0)) } ?? 0
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `releasing memory empties the caches`(kind: EncryptedDatabase.Kind) throws {
    let database = try EncryptedDatabase(kind, "CREATE TABLE item (id INTEGER, text TEXT)") {
      $0.persistentReadOnlyConnections = true
    }
    let writer = database.writer
    try writer.write { db in
      for id in 0..<4_000 {
        try db.execute(
          sql: "INSERT INTO item VALUES (?, ?)",
          arguments: [id, String(repeating: "x", count: 500)])
      }
    }
    let count: (Database) throws -> Int? = {
      try Int.fetchOne($0, sql: "SELECT sum(length(text)) FROM item")
    }
    #expect(try writer.read(count) == 2_000_000)
    #expect(try writer.read { cacheBytes($0) } > 1_000_000)
    #expect(try writer.writeWithoutTransaction { cacheBytes($0) } > 1_000_000)
    switch writer {
    case let queue as DatabaseQueue: queue.releaseMemory()
    case let pool as DatabasePool: pool.releaseMemory()
    default: Issue.record("another kind")
    }
    #expect(try writer.writeWithoutTransaction { cacheBytes($0) } < 200_000)
    #expect(try writer.read { cacheBytes($0) } < 200_000)
    #expect(try writer.read(count) == 2_000_000)
  }
}
