import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore
@testable import CofferVault

/// Transactions whose pages are encrypted ahead, beside those of connections without.
///
/// How many pages are used depends on when threads run, and may be none.
@Suite(
  .enabled(if: SQLCipherGeneration.linked == .four, "SQLCipher 3 has another table"),
  .enabled(if: Database.cipherProviderDescription.hasPrefix("coffer"), "another provider"))
struct WriteAheadTests {
  typealias JournalMode = Configuration.JournalModeConfiguration

  private let directory: TemporaryDirectory
  private let key = [UInt8](repeating: 0x5A, count: 32)
  private let salt = [UInt8](repeating: 0xA5, count: 16)

  init() throws { directory = try TemporaryDirectory() }

  private func open(
    _ name: String = "db", _ settings: CipherSettings = .sqlcipher4, readsAhead: Bool = true,
    journalMode: JournalMode = .wal, cacheSize: Int = 16 << 20, changedPagesSize: Int = 1 << 20
  ) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.key = try .raw(key, salt: salt)
    configuration.cipher = settings
    configuration.readsAhead = readsAhead
    configuration.journalMode = journalMode
    configuration.cacheSize = cacheSize
    configuration.changedPagesSize = changedPagesSize
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
    let queue = try DatabaseQueue(path: directory.path(name), configuration: configuration)
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, n INTEGER, data BLOB);
          CREATE INDEX IF NOT EXISTS i ON t (n);
          """)
    }
    return queue
  }

  /// Inserts pages of values, some of which are the same as others.
  private func insert(
    _ db: Database, pages: Int, pageSize: Int = 4096, using generator: inout SeededGenerator
  ) throws {
    for number in 0..<pages {
      let data =
        number % 7 == 0
        ? Data(count: 2 * pageSize)
        : Data(generator.bytes(.random(in: pageSize / 2...pageSize, using: &generator)))
      try db.execute(
        sql: "INSERT INTO t (n, data) VALUES (?, ?)",
        arguments: [Int.random(in: 0..<1000, using: &generator), data])
    }
  }

  /// All rows, as one text.
  private func content(_ queue: DatabaseQueue) throws -> String? {
    try queue.read { db in
      try String.fetchOne(
        db,
        sql: "SELECT group_concat(id || ' ' || n || hex(data)) FROM (SELECT * FROM t ORDER BY id)")
    }
  }

  private func count(_ queue: DatabaseQueue) throws -> Int? {
    try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
  }

  private func statistics(_ queue: DatabaseQueue) throws -> ReadAheadStatistics {
    try queue.inDatabase { $0.readAheadStatistics }
  }

  private func isActive(_ queue: DatabaseQueue) throws -> Bool? {
    try queue.inDatabase { $0.keying.provision.readAhead?.isActive }
  }

  /// The pages of a file, or, with a size before each of them, of its log.
  private func pages(_ name: String, from start: Int, _ size: Int, before: Int = 0) throws -> [Data]
  {
    let file = try Data(contentsOf: URL(fileURLWithPath: directory.path(name)))
    return stride(from: start, to: file.count, by: before + size).map {
      Data(file[$0 + before..<$0 + before + size])
    }
  }

  private func hasDistinctIVs(_ pages: [Data]) -> Bool {
    Set(pages.map { $0.suffix(80).prefix(16) }).count == pages.count
  }

  @Test(arguments: [JournalMode.wal, .delete])
  func `a long write uses pages, each with an IV of its own`(_ mode: JournalMode) throws {
    let queue = try open(journalMode: mode)
    var generator = SeededGenerator()
    let limit = Date() + 60
    repeat {
      try queue.write { try insert($0, pages: 600, using: &generator) }
      #expect(try isActive(queue) == false)
    } while try statistics(queue).encryptedPages == 0 && Date() < limit
    #expect(try statistics(queue).encryptedPages > 0)
    let written =
      try mode == .wal
      ? pages("db-wal", from: 32, 4096, before: 24) : pages("db", from: 4096, 4096)
    #expect(written.count > 600)
    #expect(hasDistinctIVs(written))
    #expect(try queue.checkCipherIntegrity() == [])
    let plain = try open(readsAhead: false, journalMode: mode)
    #expect(try content(plain) == content(queue))
    #expect(try plain.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
  }

  @Test(arguments: ReadAheadTests.layouts)
  func `all layouts of pages are written as without`(_ settings: CipherSettings) throws {
    for mode in [JournalMode.wal, .delete] {
      var contents: [String?] = []
      for readsAhead in [true, false] {
        var generator = SeededGenerator(state: SeededGenerator.seed)
        let name = "\(mode)-\(readsAhead)"
        let queue = try open(name, settings, readsAhead: readsAhead, journalMode: mode)
        let size = settings.pageSize
        for _ in 0..<2 {
          try queue.write {
            try insert($0, pages: size > 8192 ? 30 : 100, pageSize: size, using: &generator)
          }
          try queue.write { try $0.execute(sql: "UPDATE t SET n = n + 1, data = data || x'00'") }
        }
        let other = try open(name, settings, readsAhead: !readsAhead, journalMode: mode)
        #expect(
          try other.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
        contents.append(try content(other))
      }
      #expect(contents[0] == contents[1])
    }
  }

  @Test(arguments: [JournalMode.wal, .delete])
  func `a random history is the same with and without`(_ mode: JournalMode) throws {
    let queues = try [true, false].map { isAhead in
      // A small cache writes pages in the middle of transactions.
      try open(
        "\(isAhead)", readsAhead: isAhead, journalMode: mode, cacheSize: 200 << 10,
        changedPagesSize: 300 << 10)
    }
    var generator = SeededGenerator()
    for _ in 0..<6 {
      let seed = generator.next()
      for queue in queues {
        var generator = SeededGenerator(state: seed)
        try perform(on: queue, using: &generator)
      }
      let contents = try queues.map(content)
      #expect(contents[0] == contents[1])
    }
    for name in ["true", "false"] {
      let queue = try open(name, readsAhead: false, journalMode: mode)
      #expect(try queue.checkCipherIntegrity() == [])
      #expect(try queue.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
    }
  }

  /// A transaction of changes in order, at random places, and of some that are undone.
  private func perform(on queue: DatabaseQueue, using generator: inout SeededGenerator) throws {
    struct Undone: Error {}
    var local = generator
    defer { generator = local }
    try? queue.write { db in
      for _ in 0..<Int.random(in: 1...6, using: &local) {
        switch Int.random(in: 0..<7, using: &local) {
        case 0: try insert(db, pages: .random(in: 1...300, using: &local), using: &local)
        case 1:
          try db.execute(
            sql: "UPDATE t SET data = substr(data, 2) || x'0102' WHERE n % 3 = 0")
        case 2:
          try db.execute(
            sql: "DELETE FROM t WHERE n BETWEEN ? AND ?",
            arguments: [100, Int.random(in: 100...400, using: &local)])
        case 3:
          try db.inSavepoint {
            try insert(db, pages: 100, using: &local)
            return .rollback
          }
        case 4:
          // Fails at the last row.
          let id = try Int.fetchOne(db, sql: "SELECT max(id) FROM t") ?? 0
          try? db.execute(
            sql: "INSERT INTO t SELECT ? - id, n, data FROM t WHERE id > 0", arguments: [2 * id])
        case 5:
          for _ in 0..<50 {
            try db.execute(
              sql: "UPDATE t SET data = zeroblob(?) WHERE id = ?",
              arguments: [
                Int.random(in: 0...5000, using: &local), Int.random(in: 1...500, using: &local),
              ])
          }
        default: throw Undone()
        }
      }
    }
  }

  @Test(arguments: [JournalMode.wal, .delete])
  func `short transactions begin nothing`(_ mode: JournalMode) throws {
    let queue = try open(journalMode: mode)
    var generator = SeededGenerator()
    for _ in 0..<100 {
      try queue.write { db in
        try insert(db, pages: 3, using: &generator)
      }
      #expect(try isActive(queue) == false)
    }
    #expect(try statistics(queue) == ReadAheadStatistics())
  }

  @Test func `a transaction that is rolled back leaves nothing`() throws {
    struct Refused: Error {}
    let queue = try open()
    var generator = SeededGenerator()
    try queue.write { try insert($0, pages: 100, using: &generator) }
    let before = try content(queue)
    for _ in 0..<5 {
      #expect(throws: Refused.self) {
        try queue.write { db in
          try insert(db, pages: 800, using: &generator)
          try db.execute(sql: "UPDATE t SET n = 0")
          throw Refused()
        }
      }
      #expect(try isActive(queue) == false)
      #expect(try content(queue) == before)
    }
    try queue.write { try insert($0, pages: 800, using: &generator) }
    let reader = try open(readsAhead: false)
    #expect(try content(reader) == content(queue))
    #expect(try reader.checkCipherIntegrity() == [])
  }

  @Test(arguments: [JournalMode.wal, .delete])
  func `another key is used for the pages after it`(_ mode: JournalMode) throws {
    let queue = try open(journalMode: mode)
    var generator = SeededGenerator()
    var current = key
    for _ in 0..<4 {
      try queue.write { try insert($0, pages: 400, using: &generator) }
      current = current.map { $0 &+ 1 }
      try queue.changeKey(to: .raw(current))
      try queue.write { try insert($0, pages: 400, using: &generator) }
    }
    var configuration = Configuration()
    configuration.key = try .raw(current)
    let other = try DatabaseQueue(path: directory.path("db"), configuration: configuration)
    #expect(try content(other) == content(queue))
    #expect(try other.checkCipherIntegrity() == [])
  }

  @Test func `scans between writes, and writes between scans, are right`() throws {
    let queues = try [true, false].map {
      try open("\($0)", readsAhead: $0, cacheSize: 100 << 10, changedPagesSize: 100 << 10)
    }
    for queue in queues {
      var generator = SeededGenerator(state: SeededGenerator.seed)
      try queue.write { db in
        for _ in 0..<5 {
          try insert(db, pages: 300, using: &generator)
          _ = try Int.fetchOne(db, sql: "SELECT sum(length(data)) FROM t NOT INDEXED")
          try db.execute(
            sql: "INSERT INTO t (n, data) SELECT n + 1, data FROM t NOT INDEXED WHERE n % 5 = 0")
        }
      }
      try queue.vacuum()
    }
    let contents = try queues.map(content)
    #expect(contents[0] == contents[1])
    #expect(try queues[0].checkCipherIntegrity() == [])
  }

  @Test func `connections write at once`() async throws {
    let queues = try (0..<4).map { try open("\($0)") }
    await withTaskGroup(of: Void.self) { group in
      for queue in queues {
        group.addTask {
          var generator = SeededGenerator(state: SeededGenerator.seed)
          for _ in 0..<3 {
            try? queue.inDatabase { db throws in
              try db.inTransaction {
                try insert(db, pages: 500, using: &generator)
                return .commit
              }
            }
          }
        }
      }
    }
    let contents = try queues.map(content)
    #expect(try count(queues[0]) == 1500)
    for (queue, other) in zip(queues, contents) {
      #expect(other == contents[0])
      #expect(try queue.checkCipherIntegrity() == [])
    }
  }
}
