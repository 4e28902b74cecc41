import CofferExpectations
import CofferTestSupport
import Foundation
import Synchronization
import Testing

@testable import CofferCore
@testable import CofferVault

struct FreshnessTests {
  private static let table = "CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, text TEXT)"
  private static let insertion = "INSERT INTO t (text) VALUES (hex(randomblob(3000)))"

  private func usedVault() throws -> FreshVault {
    let vault = try FreshVault()
    try vault.change("\(Self.table); \(Self.insertion)")
    return vault
  }

  // MARK: Opening

  @Test func `a database that nobody replaced opens again and again`() throws {
    let vault = try usedVault()
    for _ in 0..<5 {
      try vault.change(Self.insertion)
      #expect(vault.replacement() == nil)
    }
  }

  @Test func `a queue with freshness is in WAL mode`() throws {
    let vault = try FreshVault()
    let queue = try vault.open()
    #expect(try queue.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
  }

  @Test func `an existing database gets an anchor`() throws {
    let vault = try FreshVault()
    let before = try DatabaseQueue(path: vault.path, key: .raw(FreshVault.rawKey))
    try before.write { try $0.execute(sql: "\(Self.table); \(Self.insertion)") }
    try before.close()
    let old = vault.files()
    try vault.change(Self.insertion)
    #expect(vault.replacement() == nil)
    try old.restore(to: vault.path)
    #expect(vault.replacement() != nil)
  }

  @Test func `preparations that write are commits like others`() throws {
    let vault = try FreshVault()
    for _ in 0..<3 {
      let queue = try vault.open { configuration in
        configuration.prepareDatabase {
          try $0.execute(sql: "\(Self.table); \(Self.insertion)")
        }
      }
      try queue.close()
    }
    #expect(vault.replacement() == nil)
  }

  @Test func `a wrong key is told as such`() throws {
    let vault = try usedVault()
    let error = databaseError {
      try vault.open { $0.key = .seeded() }
    }
    #expect(error?.cipherDiagnosis == .wrongKey)
    #expect(vault.replacement() == nil)
  }

  @Test func `a wrong key leaves the log of a killed process alone`() throws {
    let vault = try usedVault()
    let queue = try vault.open()
    try queue.write { try $0.execute(sql: Self.insertion) }
    try queue.check(against: vault.anchor)
    try queue.write { try $0.execute(sql: Self.insertion) }
    // What a killed process leaves.
    let (files, anchor) = (vault.files(), try vault.anchorBytes())
    try queue.close()
    try files.restore(to: vault.path)
    try Data(anchor).write(to: URL(fileURLWithPath: vault.anchor.path))
    let error = databaseError { try vault.open { $0.key = .seeded() } }
    #expect(error?.cipherDiagnosis == .wrongKey)
    #expect(vault.files()["-wal"] == files["-wal"])
    let again = try vault.open()
    #expect(try again.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 3)
  }

  @Test func `a read-only database is compared and not changed`() throws {
    let vault = try usedVault()
    let before = vault.files()
    let anchor = try vault.anchor.load(forDatabaseAt: vault.path)
    let queue = try vault.open { $0.readonly = true }
    _ = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
    try queue.check(against: vault.anchor)
    try queue.close()
    #expect(vault.files()[""] == before[""])
    #expect(vault.files()["-tags"] == before["-tags"])
    #expect(try vault.anchor.load(forDatabaseAt: vault.path) == anchor)
  }

  @Test func `the error says what to do, and which pages are older`() throws {
    let vault = try usedVault()
    let old = vault.files()
    try vault.change("UPDATE t SET text = hex(randomblob(3000)); \(Self.insertion)")
    var files = vault.files()
    let size = CipherSettings.default.pageSize
    let page = try #require(
      (2..<5).first { page in
        let range = CipherSettings.default.range(ofPage: page)
        return old.main.count >= page * size && old.main[range] != files.main[range]
      })
    let range = CipherSettings.default.range(ofPage: page)
    files[""]?.replaceSubrange(range, with: old.main[range])
    try files.restore(to: vault.path)
    let error = databaseError { try vault.open() }
    #expect(error?.cipherDiagnosis == .replaced(.olderPage))
    #expect(error?.description.contains("page \(page).") == true)
    #expect(error?.description.contains("Freshness.accept") == true)
  }

  @Test func `a journal beside the database is not played back`() throws {
    let vault = try usedVault()
    let before = vault.files().main
    try Data([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7] + [UInt8](repeating: 1, count: 5000))
      .write(to: URL(fileURLWithPath: vault.path + "-journal"))
    #expect(vault.replacement() == .olderPage)
    #expect(vault.files().main == before)
  }

  // MARK: What can't have freshness

  @Test func `a database without key or HMAC is refused`() throws {
    let vault = try FreshVault()
    func isUnsupported(_ error: FreshnessError?) -> Bool {
      if case .unsupported? = error { true } else { false }
    }
    #expect(isUnsupported(vault.freshnessError { $0.key = nil }))
    #expect(isUnsupported(vault.freshnessError { $0.cipher.usesHMAC = false }))
    #expect(throws: FreshnessError.self) {
      try DatabaseQueue(configuration: FreshVault.configuration(vault.anchor))
    }
  }

  @Test func `a second queue is refused while the first is open`() throws {
    let vault = try usedVault()
    let queue = try vault.open()
    #expect(vault.freshnessError() == .inUse)
    #expect(vault.freshnessError { $0.readonly = true } == .inUse)
    try queue.write { try $0.execute(sql: Self.insertion) }
    try queue.close()
    #expect(vault.freshnessError() == nil)
  }

  @Test(arguments: [
    "PRAGMA journal_mode = DELETE", "PRAGMA wal_checkpoint(TRUNCATE)",
    "PRAGMA wal_autocheckpoint = 5",
  ])
  func `pragmas that would empty the log unrecorded are refused`(sql: String) throws {
    let vault = try usedVault()
    let queue = try vault.open()
    expectFailure(.SQLITE_AUTH) { try queue.inDatabase { try $0.execute(sql: sql) } }
    try queue.close()
    #expect(vault.replacement() == nil)
  }

  // MARK: The anchor

  @Test func `a missing anchor is not made a second time`() throws {
    let vault = try usedVault()
    let bytes = try vault.anchorBytes()
    try FileManager.default.removeItem(atPath: vault.anchor.path)
    #expect(vault.freshnessError() == .anchorMissing)
    try Data(bytes).write(to: URL(fileURLWithPath: vault.anchor.path))
    #expect(vault.freshnessError() == nil)
  }

  @Test func `an anchor is only made where that is allowed`() throws {
    let vault = try FreshVault()
    try DatabaseQueue(path: vault.path, key: .raw(FreshVault.rawKey)).close()
    let error = vault.freshnessError {
      $0.freshness = Freshness(anchor: vault.anchor, createsAnchor: false)
    }
    #expect(error == .anchorMissing)
  }

  @Test func `a damaged anchor is told as such, whatever byte is changed`() throws {
    let vault = try usedVault()
    let bytes = try vault.anchorBytes()
    var random = SeededGenerator()
    for offset in bytes.indices {
      var changed = bytes
      changed[offset] ^= UInt8.random(in: 1...255, using: &random)
      try Data(changed).write(to: URL(fileURLWithPath: vault.anchor.path))
      switch offset {
      case 8, 9:
        guard case .unknownVersion? = vault.freshnessError() else {
          Issue.record("the version at \(offset)")
          continue
        }
      // The salt in the anchor is that of another database.
      case 16..<32: #expect(vault.replacement() == .otherDatabase)
      default: #expect(vault.freshnessError() == .anchorDamaged, "\(offset)")
      }
    }
    try Data(bytes.dropLast()).write(to: URL(fileURLWithPath: vault.anchor.path))
    #expect(vault.freshnessError() == .anchorDamaged)
  }

  @Test func `an older anchor is told from an older database`() throws {
    let vault = try usedVault()
    let old = try vault.anchorBytes()
    // The anchor before the last one could also be followed by a record whose anchor is missing.
    for _ in 0..<2 { try vault.change(Self.insertion) }
    try Data(old).write(to: URL(fileURLWithPath: vault.anchor.path))
    #expect(vault.freshnessError() == .anchorOlder)
  }

  /// An anchor that can be away.
  private final class RemoteAnchor: FreshnessAnchor {
    struct State {
      var bytes: [UInt8]?
      var isAway = false
      /// Stores, and fails nevertheless.
      var losesAnswers = false
      var storeCount = 0
    }

    let state = Mutex(State())

    func load(forDatabaseAt path: String) throws -> [UInt8]? {
      try state.withLock { state in
        if state.isAway { throw TestError(reason: "away") }
        return state.bytes
      }
    }

    func store(
      _ bytes: [UInt8], counter: UInt64, replacing previous: UInt64?, forDatabaseAt path: String
    ) throws -> Bool {
      try state.withLock { state in
        if state.isAway { throw TestError(reason: "away") }
        guard state.bytes.flatMap({ FreshnessState.counter(of: $0) }) == previous else {
          return false
        }
        state.bytes = bytes
        state.storeCount += 1
        if state.losesAnswers { throw TestError(reason: "lost") }
        return true
      }
    }
  }

  @Test func `commits and checkpoints go on while the anchor is away, and closing tells`() throws {
    let vault = try FreshVault()
    let anchor = RemoteAnchor()
    let configuration = try FreshVault.configuration(anchor) {
      $0.checkpointPolicy.automaticPageCount = 10
    }
    let queue = try DatabaseQueue(path: vault.path, configuration: configuration)
    try queue.write { try $0.execute(sql: Self.table) }
    anchor.state.withLock { $0.isAway = true }
    for _ in 0..<30 { try queue.write { try $0.execute(sql: Self.insertion) } }
    #expect(throws: FreshnessError.anchorUnavailable(reason: "\(TestError(reason: "away"))")) {
      try queue.check(against: anchor)
    }
    #expect(throws: FreshnessError.self) { try queue.close() }
    #expect(throws: FreshnessError.self) {
      try DatabaseQueue(path: vault.path, configuration: configuration)
    }
    anchor.state.withLock { $0.isAway = false }
    let next = try DatabaseQueue(path: vault.path, configuration: configuration)
    #expect(try next.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 30)
    try next.close()
    try DatabaseQueue(path: vault.path, configuration: configuration).close()
  }

  @Test func `an anchor that was stored without an answer is no false alarm`() throws {
    let vault = try FreshVault()
    let anchor = RemoteAnchor()
    let configuration = try FreshVault.configuration(anchor)
    let queue = try DatabaseQueue(path: vault.path, configuration: configuration)
    try queue.write { try $0.execute(sql: "\(Self.table); \(Self.insertion)") }
    anchor.state.withLock { $0.losesAnswers = true }
    #expect(throws: FreshnessError.self) { try queue.check(against: anchor) }
    try queue.write { try $0.execute(sql: Self.insertion) }
    try queue.inDatabase { _ = try $0.checkpoint(.truncate) }
    // A killed process would leave these.
    let copy = try TemporaryDirectory()
    try vault.files().restore(to: copy.path("db"))
    try DatabaseQueue(
      path: copy.path("db"), configuration: FreshVault.configuration(anchor) { $0.readonly = true }
    ).close()
    anchor.state.withLock { $0.losesAnswers = false }
    try queue.close()
    try DatabaseQueue(path: vault.path, configuration: configuration).close()
  }

  @Test func `another program's state in the anchor is told`() throws {
    let vault = try usedVault()
    let anchor = RemoteAnchor()
    let configuration = try FreshVault.configuration(anchor)
    try? FileManager.default.removeItem(atPath: vault.path + "-tags")
    let queue = try DatabaseQueue(path: vault.path, configuration: configuration)
    anchor.state.withLock { $0.bytes = try? vault.anchor.load(forDatabaseAt: "") }
    try queue.write { try $0.execute(sql: Self.insertion) }
    #expect(throws: FreshnessError.anchorTaken) { try queue.check(against: anchor) }
  }

  @Test func `many commits are one write of the anchor`() throws {
    let vault = try FreshVault()
    let anchor = RemoteAnchor()
    var configuration = try FreshVault.configuration(anchor)
    configuration.freshness?.minimumInterval = .seconds(3_600)
    let queue = try DatabaseQueue(path: vault.path, configuration: configuration)
    try queue.write { try $0.execute(sql: Self.table) }
    for _ in 0..<100 { try queue.write { try $0.execute(sql: Self.insertion) } }
    #expect(anchor.state.withLock { $0.storeCount } == 1)
    try queue.close()
    #expect(anchor.state.withLock { $0.storeCount } == 2)
  }

  @Test func `the sidecar notices parts that are put back`() throws {
    let vault = try FreshVault()
    let configuration = try FreshVault.configuration(.sidecar)
    func use(_ sql: String) throws {
      let queue = try DatabaseQueue(path: vault.path, configuration: configuration)
      try queue.write { try $0.execute(sql: sql) }
      try queue.close()
    }
    try use("\(Self.table); \(Self.insertion)")
    #expect(FileManager.default.fileExists(atPath: vault.path + "-anchor"))
    let old = vault.files()
    try use(Self.insertion)
    try old.restore(to: vault.path)
    let error = databaseError {
      try DatabaseQueue(path: vault.path, configuration: configuration)
    }
    #expect(error?.cipherDiagnosis == .replaced(.olderFile))
  }

  // MARK: Checks

  @Test func `a check finds a page that is put back while the database is open`() throws {
    let vault = try usedVault()
    let old = vault.files()
    try vault.change("UPDATE t SET text = hex(randomblob(3000)); \(Self.insertion)")
    let pool = try vault.openPool()
    try pool.write { try $0.execute(sql: Self.insertion) }
    try pool.check(against: vault.anchor)
    try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    try pool.check(against: vault.anchor)
    var main = vault.files().main
    let range = CipherSettings.default.range(ofPage: 3)
    #expect(main[range] != old.main[range])
    main.replaceSubrange(range, with: old.main[range])
    let handle = try #require(FileHandle(forWritingAtPath: vault.path))
    try handle.write(contentsOf: main)
    let error = databaseError { try pool.check(against: vault.anchor) }
    #expect(error?.cipherDiagnosis == .replaced(.olderPage))
  }

  @Test func `a check inside a transaction throws`() throws {
    let vault = try usedVault()
    try vault.open().write { db in
      expectFailure(.SQLITE_MISUSE) { try db.checkFreshness(against: vault.anchor) }
    }
  }

  // MARK: Changes of the whole file

  @Test(arguments: [false, true])
  func `after the key has changed, the database is the newest`(isPool: Bool) throws {
    let vault = try usedVault()
    let old = vault.files()
    let newKey = DatabaseKey.seeded()
    let writer: any DatabaseWriter = isPool ? try vault.openPool() : try vault.open()
    try writer.changeKey(to: newKey)
    try writer.write { try $0.execute(sql: Self.insertion) }
    try writer.close()
    let queue = try vault.open { $0.key = newKey }
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 2)
    try queue.close()
    // The old file has the old key.
    try old.restore(to: vault.path)
    #expect(databaseError { try vault.open { $0.key = newKey } }?.cipherDiagnosis == .wrongKey)
    #expect(vault.freshnessError() == .anchorDamaged)
  }

  @Test func `a backup to the database is its newest state`() throws {
    let vault = try usedVault()
    let source = try DatabaseQueue(
      path: vault.folder.path("source"),
      configuration: {
        var configuration = Configuration()
        configuration.key = try .raw(FreshVault.rawKey)
        return configuration
      }())
    try source.write {
      try $0.execute(sql: "\(Self.table)")
      for _ in 0..<50 { try $0.execute(sql: Self.insertion) }
    }
    let queue = try vault.open()
    try source.backup(to: queue)
    try queue.check(against: vault.anchor)
    try queue.close()
    #expect(vault.replacement() == nil)
  }

  @Test func `a database that was replaced on purpose can be accepted`() throws {
    let vault = try usedVault()
    let old = vault.files()
    try vault.change(Self.insertion)
    let new = vault.files()
    try old.restore(to: vault.path)
    #expect(vault.replacement() == .olderFile)
    let freshness = Freshness(anchor: vault.anchor)
    #expect(throws: DatabaseError.self) {
      try freshness.accept(databaseAt: vault.path, key: .seeded())
    }
    try freshness.accept(databaseAt: vault.path, key: .raw(FreshVault.rawKey))
    #expect(vault.replacement() == nil)
    try vault.change(Self.insertion)
    try new.restore(to: vault.path)
    #expect(vault.replacement() != nil)
  }

  @Test func `a database whose anchor is lost can be accepted`() throws {
    let vault = try usedVault()
    try FileManager.default.removeItem(atPath: vault.anchor.path)
    try Freshness(anchor: vault.anchor)
      .accept(databaseAt: vault.path, key: .raw(FreshVault.rawKey))
    try vault.change(Self.insertion)
    #expect(vault.replacement() == nil)
  }

  @Test func `a log that is truncated twice is followed by commits`() throws {
    let vault = try usedVault()
    let queue = try vault.open()
    try queue.write { try $0.execute(sql: Self.insertion) }
    for _ in 0..<2 { try queue.inDatabase { _ = try $0.checkpoint(.truncate) } }
    try queue.write { try $0.execute(sql: Self.insertion) }
    // What a killed process leaves.
    let (files, anchor) = (vault.files(), try vault.anchorBytes())
    try queue.close()
    try files.restore(to: vault.path)
    try Data(anchor).write(to: URL(fileURLWithPath: vault.anchor.path))
    #expect(vault.replacement() == nil)
  }

  @Test func `a snapshot that outlives the database leaves no false alarm`() throws {
    let vault = try usedVault()
    let pool = try vault.openPool()
    let snapshot = try pool.makeSnapshot()
    _ = try snapshot.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
    try pool.write { try $0.execute(sql: Self.insertion) }
    try pool.close()
    #expect(vault.replacement() == nil)
    try snapshot.close()
    try vault.change(Self.insertion)
    #expect(vault.replacement() == nil)
  }

  @Test func `a format of another version is refused by its number`() throws {
    let vault = try usedVault()
    var bytes = try vault.anchorBytes()
    bytes[8] = 7
    try Data(bytes).write(to: URL(fileURLWithPath: vault.anchor.path))
    #expect(vault.freshnessError() == .unknownVersion(7))
  }
}
