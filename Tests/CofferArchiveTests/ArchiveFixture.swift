import CofferTestSupport
import Foundation
import Synchronization
import Testing

@testable import Coffer
@testable import CofferArchive
@testable import CofferCore

/// A destination in memory, in which calls can fail.
final class MemoryDestination: ArchiveDestination {
  struct Failure: Error {}

  private struct State {
    var objects: [String: Data] = [:]
    var calls = 0
    var puts = 0
    /// Fails the calls for which this returns true.
    var fails: @Sendable (_ call: String, _ name: String) -> Bool = { _, _ in false }
    /// Stores objects all the same where putting them fails.
    var storesAfterFailure = false
  }

  private let state = Mutex(State())

  init(_ objects: [String: Data] = [:]) { state.withLock { $0.objects = objects } }

  var objects: [String: Data] {
    get { state.withLock(\.objects) }
    set { state.withLock { $0.objects = newValue } }
  }

  var names: [String] { objects.keys.sorted() }
  var putCount: Int { state.withLock(\.puts) }

  func fail(storing: Bool = false, _ condition: @escaping @Sendable (String, String) -> Bool) {
    state.withLock {
      $0.fails = condition
      $0.storesAfterFailure = storing
    }
  }

  func putIfAbsent(_ name: String, _ bytes: Data) throws -> Bool {
    try state.withLock { state in
      state.puts += 1
      if state.fails("put", name) {
        if state.storesAfterFailure, state.objects[name] == nil { state.objects[name] = bytes }
        throw Failure()
      }
      guard state.objects[name] == nil else { return false }
      state.objects[name] = bytes
      return true
    }
  }

  func get(_ name: String) throws -> Data? {
    try state.withLock { state in
      if state.fails("get", name) { throw Failure() }
      return state.objects[name]
    }
  }

  func list(_ prefix: String) throws -> [String] {
    try state.withLock { state in
      if state.fails("list", prefix) { throw Failure() }
      return state.objects.keys.filter { $0.hasPrefix(prefix) }.sorted()
    }
  }

  func delete(_ name: String) throws {
    try state.withLock { state in
      if state.fails("delete", name) { throw Failure() }
      state.objects[name] = nil
    }
  }
}

/// A clock that tests set.
final class TestClock: Sendable {
  private let state = Mutex(
    (date: Date(timeIntervalSince1970: 1_800_000_000), elapsed: Duration.zero))

  var date: Date {
    get { state.withLock(\.date) }
    set { state.withLock { $0.date = newValue } }
  }

  var elapsed: Duration { state.withLock(\.elapsed) }

  func advance(_ seconds: Int) {
    state.withLock { state in
      state.date += Double(seconds)
      state.elapsed += .seconds(seconds)
    }
  }

  /// A configuration with this clock, in which only tests cause work.
  func configuration() -> ArchiveConfiguration {
    var configuration = ArchiveConfiguration()
    configuration.interval = .seconds(86_400)
    configuration.now = { self.date }
    configuration.elapsed = { self.elapsed }
    return configuration
  }
}

/// A database with an archive.
final class ArchiveFixture {
  let folder: TemporaryDirectory
  let path: String
  let destination = MemoryDestination()
  let clock = TestClock()
  var configuration: ArchiveConfiguration
  var pool: DatabasePool
  static var key: DatabaseKey { get throws { try .raw([UInt8](repeating: 5, count: 32)) } }
  /// The content after each commit that was archived.
  var contents: [UInt64: String] = [:]
  private var random = SeededGenerator()

  init(_ configure: (inout ArchiveConfiguration) -> Void = { _ in }) throws {
    folder = try TemporaryDirectory()
    path = folder.path("vault.db")
    configuration = clock.configuration()
    configure(&configuration)
    pool = try Self.open(path)
    try pool.write { db in
      try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT, data BLOB)")
    }
  }

  static func open(
    _ path: String, _ configure: (inout Configuration) -> Void = { _ in }
  ) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.seedRandomFunctions()
    configure(&configuration)
    return try DatabasePool(path: path, key: key, configuration: configuration)
  }

  var archive: Archive { Archive(destination, configuration: configuration) }

  func start() throws -> ArchiveSession { try archive.start(pool) }

  /// The key that the database's pages have.
  func derivedKey() throws -> DerivedKey { try #require(pool.fileKey().derived) }

  /// Changes some rows in one commit.
  func write(_ count: Int = 1, text: String = "MARKER-plaintext") throws {
    try pool.write { db in
      for _ in 0..<count {
        try db.execute(
          sql: "INSERT INTO item (text, data) VALUES (? || random(), randomblob(?))",
          arguments: [text, Int.random(in: 1...600, using: &random)])
      }
      if Int.random(in: 0..<3, using: &random) == 0 {
        try db.execute(sql: "DELETE FROM item WHERE id % 7 = abs(random() % 7) AND id % 3 = 0")
      }
    }
  }

  /// Archives, and notes what the database has.
  @discardableResult
  func archiveNow(_ session: ArchiveSession) throws -> UInt64 {
    let number = try session.archiveNow().number
    contents[number] = try Self.content(of: pool)
    return number
  }

  /// All rows of a database.
  static func content(of reader: some DatabaseReader) throws -> String {
    try reader.read { db in
      let rows = try String.fetchAll(
        db, sql: "SELECT id || text || hex(data) FROM item ORDER BY id")
      return "\(rows.count)" + rows.joined()
    }
  }

  /// Restores a commit, and returns what the file has.
  func restored(
    _ point: ArchivePoint = .latest, from destination: (any ArchiveDestination)? = nil
  ) throws -> (content: String, commit: ArchiveCommit) {
    let target = folder.path("restored-\(UUID().uuidString).db")
    let archive = Archive(destination ?? self.destination, configuration: configuration)
    let commit = try archive.restore(to: target, at: point, key: Self.key)
    let queue = try DatabaseQueue(path: target, key: Self.key)
    defer {
      try? queue.close()
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: target + suffix)
      }
    }
    try queue.read { db throws in
      #expect(try db.checkCipherIntegrity().isEmpty)
      #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
    }
    return (try Self.content(of: queue), commit)
  }
}
