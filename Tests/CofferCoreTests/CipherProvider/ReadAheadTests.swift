import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore
@testable import CofferVault

/// Scans whose pages are decrypted ahead, beside scans without.
///
/// How many pages are used depends on when threads run, and may be none.
@Suite(
  .enabled(if: SQLCipherGeneration.linked == .four, "SQLCipher 3 has another table"),
  .enabled(if: Database.cipherProviderDescription.hasPrefix("coffer"), "another provider"))
struct ReadAheadTests {
  private let directory: TemporaryDirectory
  private let key = [UInt8](repeating: 0x3C, count: 32)
  private let salt = [UInt8](repeating: 0x71, count: 16)

  init() throws { directory = try TemporaryDirectory() }

  static let layouts: [CipherSettings] = [
    .sqlcipher4, .fast, CipherSettings(pageSize: 8192, hmacAlgorithm: .sha1),
    CipherSettings(pageSize: 1024), CipherSettings(pageSize: 65536),
    CipherSettings(usesHMAC: false), CipherSettings(plaintextHeaderSize: 32),
  ]

  private func open(
    _ settings: CipherSettings = .sqlcipher4, readsAhead: Bool, name: String = "db",
    journalMode: Configuration.JournalModeConfiguration = .delete, cacheSize: Int = 0
  ) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.key = try .raw(key, salt: salt)
    configuration.cipher = settings
    configuration.readsAhead = readsAhead
    configuration.journalMode = journalMode
    configuration.cacheSize = cacheSize
    configuration.busyMode = .timeout(60)
    return try DatabaseQueue(path: directory.path(name), configuration: configuration)
  }

  private func fill(_ queue: DatabaseQueue, pages: Int, pageSize: Int = 4096) throws {
    var generator = SeededGenerator()
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, data BLOB);
          CREATE TABLE w (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
          CREATE INDEX i ON t (n);
          """)
      let count = pages * pageSize / 300
      for _ in 0..<count {
        let number = Int.random(in: 0..<1 << 40, using: &generator)
        let data = Data(generator.bytes(.random(in: 100...400, using: &generator)))
        try db.execute(sql: "INSERT INTO t (n, data) VALUES (?, ?)", arguments: [number, data])
        try db.execute(
          sql: "INSERT OR IGNORE INTO w VALUES (?, ?)", arguments: ["\(number)-key", number])
      }
    }
  }

  private static let scans = [
    "SELECT sum(length(data)), sum(n), count(*) FROM t NOT INDEXED",
    "SELECT sum(n), count(*), 0 FROM t INDEXED BY i WHERE n >= 0",
    "SELECT sum(v), sum(length(k)), count(*) FROM w",
    "SELECT sum(length(data)), sum(n), count(*) FROM t NOT INDEXED WHERE id > 100",
  ]

  private func results(_ queue: DatabaseQueue) throws -> [[Int?]] {
    try queue.read { db in
      try Self.scans.map { sql in
        let row = try #require(try Row.fetchOne(db, sql: sql))
        return [row[0], row[1], row[2]]
      }
    }
  }

  @Test(arguments: layouts)
  func `results are the same with and without`(_ settings: CipherSettings) throws {
    let writer = try open(settings, readsAhead: false)
    try fill(writer, pages: settings.pageSize > 8192 ? 40 : 200, pageSize: settings.pageSize)
    let expected = try results(writer)
    #expect(try writer.read { $0.readAheadStatistics } == ReadAheadStatistics())
    let reader = try open(settings, readsAhead: true)
    for _ in 0..<5 { #expect(try results(reader) == expected) }
    #expect(try String.fetchAll(in: reader, "PRAGMA integrity_check") == ["ok"])
  }

  @Test func `pages are used, and the memory is freed with the transaction`() throws {
    try fill(open(readsAhead: false), pages: 300)
    let queue = try open(readsAhead: true)
    let limit = Date() + 60
    var used = 0
    while used == 0, Date() < limit {
      _ = try results(queue)
      used = try queue.read { $0.readAheadStatistics.usedPages }
    }
    #expect(used > 0)
    let isActive = try queue.read { $0.keying.provision.readAhead?.isActive }
    #expect(isActive == false)
  }

  @Test func `a window is there in the middle of a scan, and none after other ends`() throws {
    try fill(open(readsAhead: false), pages: 300)
    let queue = try open(readsAhead: true)
    try queue.inDatabase { db throws in
      let readAhead = try #require(db.keying.provision.readAhead)
      let cursor = try Row.fetchCursor(db, sql: "SELECT data FROM t NOT INDEXED")
      for _ in 0..<1000 { _ = try cursor.next() }
      #expect(readAhead.isActive)
    }
    let readAhead = try #require(try queue.inDatabase { $0.keying.provision.readAhead })
    #expect(!readAhead.isActive && !readAhead.isClosed)
    try queue.close()
    #expect(readAhead.isClosed)
  }

  @Test func `lookups, short ranges and random walks begin nothing`() throws {
    let writer = try open(readsAhead: false)
    try fill(writer, pages: 300)
    let count = try writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t")! }
    let queue = try open(readsAhead: true)
    var generator = SeededGenerator()
    try queue.inDatabase { db throws in
      try db.execute(sql: "BEGIN")
      let readAhead = try #require(db.keying.provision.readAhead)
      for _ in 0..<500 {
        let id = Int.random(in: 1...count, using: &generator)
        _ = try Row.fetchOne(db, sql: "SELECT n FROM t WHERE id = ?", arguments: [id])
        _ = try Row.fetchAll(
          db, sql: "SELECT n FROM t WHERE id >= ? LIMIT 10", arguments: [id])
        #expect(!readAhead.isActive)
      }
      #expect(db.readAheadStatistics == ReadAheadStatistics())
      try db.execute(sql: "COMMIT")
    }
  }

  @Test(arguments: [true, false])
  func `a damaged page is the same error at the same row`(_ isFirst: Bool) throws {
    try fill(open(readsAhead: false), pages: 300)
    let path = directory.path("db")
    var generator = SeededGenerator()
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let pages = bytes.count / 4096
    for _ in 0..<3 {
      let page = Int.random(in: (isFirst ? 40 : pages / 2)..<pages, using: &generator)
      bytes[page * 4096 + Int.random(in: 0..<4032, using: &generator)] ^= 0x10
    }
    try bytes.write(to: URL(fileURLWithPath: path))
    func outcome(readsAhead: Bool) throws -> (rows: Int, code: ResultCode?) {
      let queue = try open(readsAhead: readsAhead)
      return try queue.inDatabase { db in
        var rows = 0
        do {
          let cursor = try Row.fetchCursor(db, sql: "SELECT data FROM t NOT INDEXED")
          while try cursor.next() != nil { rows += 1 }
        } catch let error as DatabaseError {
          return (rows, error.resultCode)
        }
        return (rows, nil)
      }
    }
    let expected = try outcome(readsAhead: false)
    for _ in 0..<3 {
      let outcome = try outcome(readsAhead: true)
      #expect(outcome == expected)
    }
  }

  @Test(arguments: [Configuration.JournalModeConfiguration.delete, .wal])
  func `a writer that changes pages under scans changes no result`(
    _ mode: Configuration.JournalModeConfiguration
  ) async throws {
    let writer = try open(readsAhead: true, journalMode: mode)
    try fill(writer, pages: 150)
    // The sum never changes.
    let sum = try await writer.read { try Int.fetchOne($0, sql: "SELECT sum(n) FROM t")! }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        let queue = try open(readsAhead: true, journalMode: mode)
        group.addTask {
          for _ in 0..<10 {
            let seen = try await queue.read {
              try Int.fetchOne($0, sql: "SELECT sum(n) FROM t NOT INDEXED")
            }
            #expect(seen == sum)
          }
        }
      }
      group.addTask {
        for _ in 0..<10 {
          try await writer.write { db in
            try db.execute(sql: "UPDATE t SET data = randomblob(150 + id % 100) WHERE id % 3 = 0")
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `a statement that writes while it scans is right`() throws {
    let queue = try open(readsAhead: true)
    try fill(queue, pages: 200)
    let before = try results(queue)
    try queue.write { db in
      try db.execute(sql: "UPDATE t SET n = n + 1, data = randomblob(length(data) + 1)")
    }
    let after = try results(queue)
    #expect(after[0][0] == before[0][0]! + before[0][2]!)
    #expect(after[0][1] == before[0][1]! + before[0][2]!)
    #expect(try String.fetchAll(in: queue, "PRAGMA integrity_check") == ["ok"])
  }

  @Test func `a changed key is used at once`() throws {
    let queue = try open(readsAhead: true)
    try fill(queue, pages: 200)
    let expected = try results(queue)
    for _ in 0..<3 {
      try queue.changeKey(to: .seeded())
      #expect(try results(queue) == expected)
    }
    #expect(try queue.checkCipherIntegrity().isEmpty)
  }

  @Test(arguments: [Configuration.JournalModeConfiguration.delete, .wal])
  func `backups and key changes read ahead, and change nothing`(
    _ mode: Configuration.JournalModeConfiguration
  ) throws {
    let queue = try open(readsAhead: true, journalMode: mode)
    try fill(queue, pages: 300)
    let expected = try results(queue)
    var number = 0
    let limit = Date() + 60
    var (ofBackup, ofChange) = (0, 0)
    func used(_ body: () throws -> Void) throws -> Int {
      let before = try queue.inDatabase { $0.readAheadStatistics.usedPages }
      try body()
      return try queue.inDatabase { $0.readAheadStatistics.usedPages } - before
    }
    while ofBackup == 0 || ofChange == 0, Date() < limit {
      number += 1
      let key = [UInt8](repeating: UInt8(number), count: 32)
      let path = directory.path("copy\(number)")
      ofBackup += try used { try queue.backup(toPath: path, key: .raw(key)) }
      ofChange += try used { try queue.changeKey(to: .raw(key)) }
      #expect(try results(queue) == expected)
      var configuration = Configuration()
      configuration.key = try .raw(key)
      let copy = try DatabaseQueue(path: path, configuration: configuration)
      #expect(try results(copy) == expected)
      #expect(try copy.checkCipherIntegrity() == [])
      #expect(try queue.checkCipherIntegrity() == [])
      let inOrder = try queue.inDatabase { $0.keying.provision.readAhead?.readsInOrder }
      #expect(inOrder == false)
    }
    #expect(ofBackup > 0)
    #expect(ofChange > 0)
  }

  /// What each page is encrypted with beside the key.
  private func ivs(_ path: String, pageSize: Int = 4096) throws -> [Data] {
    let file = try Data(contentsOf: URL(fileURLWithPath: path))
    return stride(from: pageSize, through: file.count, by: pageSize).map {
      Data(file[$0 - 80..<$0 - 64])
    }
  }

  /// Adds values whose last pages are the same.
  private func addSamePages(_ queue: DatabaseQueue) throws {
    try queue.write { db in
      for _ in 0..<50 { try db.execute(sql: "INSERT INTO t (data) VALUES (zeroblob(9000))") }
    }
  }

  private func encryptedPages(_ queue: DatabaseQueue) throws -> Int {
    try queue.inDatabase { $0.keying.provision.readAhead?.counts.encrypted ?? 0 }
  }

  @Test func `each page of a copy has an IV of its own`() throws {
    let queue = try open(readsAhead: true)
    try fill(queue, pages: 300)
    try addSamePages(queue)
    let expected = try results(queue)
    let original = try ivs(directory.path("db"))
    #expect(Set(original).count == original.count)
    var number = 0
    let (before, limit) = (try encryptedPages(queue), Date() + 60)
    while try encryptedPages(queue) == before, Date() < limit {
      number += 1
      let path = directory.path("copy\(number)")
      // The same page key, and another HMAC key, from another salt.
      try queue.backup(toPath: path, key: number % 2 == 0 ? nil : .raw(key))
      let copied = try ivs(path)
      #expect(copied.count == original.count)
      #expect(Set(copied + original).count == copied.count + original.count)
      var configuration = Configuration()
      configuration.key = try .raw(key)
      let copy = try DatabaseQueue(path: path, configuration: configuration)
      #expect(try copy.checkCipherIntegrity() == [])
      #expect(try results(copy) == expected)
    }
    #expect(try encryptedPages(queue) > before)
  }

  @Test(arguments: [Configuration.JournalModeConfiguration.delete, .wal])
  func `each page with a changed key has an IV of its own`(
    _ mode: Configuration.JournalModeConfiguration
  ) throws {
    // Pages are written long after they were read, or, with a large cache, at the end.
    for cacheSize in [100 << 10, 16 << 20] {
      let name = "\(cacheSize)"
      let queue = try open(
        readsAhead: true, name: name, journalMode: mode, cacheSize: cacheSize)
      try fill(queue, pages: 300)
      try addSamePages(queue)
      let expected = try results(queue)
      let path = directory.path(name)
      try queue.inDatabase { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
      var (former, current) = (try ivs(path), key)
      let (before, limit) = (try encryptedPages(queue), Date() + 60)
      // A rollback journal gets encrypted pages, too, and a log doesn't.
      var (encrypted, changes) = (0, 0)
      while changes < 3 || encrypted == 0, Date() < limit {
        changes += 1
        current = current.map { $0 &+ 1 }
        queue.releaseMemory()
        try queue.changeKey(to: .raw(current))
        encrypted = try encryptedPages(queue) - before
        let changed = try ivs(path)
        #expect(changed.count == former.count)
        #expect(Set(changed + former).count == changed.count + former.count)
        former = changed
        #expect(try results(queue) == expected)
        #expect(try queue.checkCipherIntegrity() == [])
      }
      #expect(encrypted > 0)
    }
  }

  @Test func `the journal of a key change has the pages as they were in the file`() throws {
    let pageSize = 4096
    let queue = try open(readsAhead: true, cacheSize: 16 << 20)
    try fill(queue, pages: 300)
    try addSamePages(queue)
    // Of a journal that is kept, only the header is overwritten.
    try queue.inDatabase { try $0.execute(sql: "PRAGMA journal_mode = PERSIST") }
    let expected = try results(queue)
    let (path, limit) = (directory.path("db"), Date() + 60)
    let before = try encryptedPages(queue)
    var (current, unchanged) = (key, 0)
    while unchanged == 0, Date() < limit {
      let file = try Data(contentsOf: URL(fileURLWithPath: path))
      let next = current.map { $0 &+ 1 }
      queue.releaseMemory()
      try queue.changeKey(to: .raw(next))
      let journal = try Data(contentsOf: URL(fileURLWithPath: path + "-journal"))
      // A page with its number before it, and a checksum behind it.
      let size = pageSize + 8
      let start = try #require([512, 4096].first { (journal.count - $0) % size == 0 })
      var (restored, ivs) = (file, Set<Data>())
      for offset in stride(from: start, to: journal.count, by: size) {
        let number = journal[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
        let page = Data(journal[offset + 4..<offset + 4 + pageSize])
        let range = (number - 1) * pageSize..<number * pageSize
        unchanged += number > 1 && page == file[range] ? 1 : 0
        restored.replaceSubrange(range, with: page)
        ivs.insert(page.suffix(80).prefix(16))
      }
      #expect(ivs.count == file.count / pageSize)
      let copy = directory.path("restored-\(current[0])")
      try restored.write(to: URL(fileURLWithPath: copy))
      var configuration = Configuration()
      configuration.key = try .raw(current, salt: salt)
      let old = try DatabaseQueue(path: copy, configuration: configuration)
      #expect(try old.checkCipherIntegrity() == [])
      #expect(try results(old) == expected)
      #expect(try results(queue) == expected)
      current = next
    }
    #expect(unchanged > 0)
    #expect(try encryptedPages(queue) > before)
  }

  @Test func `an interrupted scan ends, and the next one is right`() throws {
    try fill(open(readsAhead: false), pages: 200)
    let queue = try open(readsAhead: true)
    let expected = try results(queue)
    for rows in [10, 100, 500] {
      try queue.inDatabase { db throws in
        let cursor = try Row.fetchCursor(db, sql: "SELECT data FROM t NOT INDEXED")
        for _ in 0..<rows { _ = try cursor.next() }
        queue.interrupt()
        #expect(throws: DatabaseError.self) { while try cursor.next() != nil {} }
      }
      #expect(try results(queue) == expected)
    }
  }

  @Test func `attached files have windows of their own`() throws {
    let other = try open(readsAhead: false, name: "other")
    try fill(other, pages: 200)
    let expected = try results(other)
    try other.close()
    let queue = try open(readsAhead: true)
    try queue.inDatabase { db throws in
      try db.attach(
        directory.path("other"), as: "other", key: .raw(key, salt: salt))
      for _ in 0..<3 {
        let sum = try Int.fetchOne(db, sql: "SELECT sum(n) FROM other.t NOT INDEXED")
        #expect(sum == expected[0][1])
      }
      let readAhead = try #require(db.keying.attachedReadAhead.first)
      try db.detach("other")
      #expect(readAhead.isClosed)
    }
  }

  @Test func `pools scan at once`() async throws {
    try fill(open(readsAhead: false, journalMode: .wal), pages: 200)
    var configuration = Configuration()
    configuration.key = try .raw(key, salt: salt)
    configuration.readsAhead = true
    configuration.cacheSize = 0
    let path = directory.path("db")
    let pools = try (0..<2).map { _ in
      try DatabasePool(path: path, configuration: configuration)
    }
    let sums = try await withThrowingTaskGroup(of: Int?.self) { group in
      for number in 0..<12 {
        group.addTask {
          try await pools[number % 2].read {
            try Int.fetchOne($0, sql: "SELECT sum(n) FROM t NOT INDEXED")
          }
        }
      }
      return try await group.reduce(into: Set<Int?>()) { $0.insert($1) }
    }
    #expect(sums.count == 1)
  }

  @Test func `no descriptor is opened for it`() throws {
    try fill(open(readsAhead: false), pages: 200)
    let queue = try open(readsAhead: true)
    let path = directory.path("db")
    func descriptors() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)"))
          == path
      }
    }
    try queue.inDatabase { db throws in
      let before = try descriptors()
      let cursor = try Row.fetchCursor(db, sql: "SELECT data FROM t NOT INDEXED")
      for _ in 0..<1000 { _ = try cursor.next() }
      #expect(db.keying.provision.readAhead?.isActive == true)
      #expect(try descriptors() == before)
    }
  }

  @Test func `a process that was forked in the middle of a scan doesn't wait for threads`() throws {
    try fill(open(readsAhead: false), pages: 300)
    let child = try TestProcess(["fork-scan", directory.path("db")])
    #expect(child.readLine() == "copies ended")
    #expect(child.readLine() == "parent rows same")
  }

  @Test func `the environment turns it off`() throws {
    let child = try TestProcess(
      ["read-ahead"], environment: ["COFFER_NO_READ_AHEAD": "1"])
    #expect(child.readLine() == "false")
  }
}

extension String {
  fileprivate static func fetchAll(in queue: DatabaseQueue, _ sql: String) throws -> [String] {
    try queue.read { try String.fetchAll($0, sql: sql) }
  }
}
