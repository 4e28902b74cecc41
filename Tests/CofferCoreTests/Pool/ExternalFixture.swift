import CofferTestSupport
import Foundation
import Synchronization
import Testing

@testable import Coffer
@testable import CofferCore

/// The ways to open a database that observes others.
enum ExternalAccess: String, CaseIterable, Sendable {
  /// A rollback journal.
  case queue
  /// The write-ahead log.
  case pool
  case readOnlyQueue, readOnlyPool

  static let writing: [ExternalAccess] = [.queue, .pool]
}

/// A database that observes the commits of another connection.
struct ExternalFixture {
  let directory: TemporaryDirectory
  let writer: any DatabaseWriter
  /// The other connection, with the same key and journal mode.
  let other: any DatabaseWriter

  var path: String { directory.path("db") }

  init(_ access: ExternalAccess) throws {
    directory = try TemporaryDirectory()
    let path = directory.path("db")
    let isPool = access == .pool || access == .readOnlyPool
    let isReadOnly = access == .readOnlyQueue || access == .readOnlyPool
    other = try ExternalFixture.open(path, isPool: isPool)
    try other.write { db in
      try db.execute(
        sql: """
          CREATE TABLE a (id INTEGER PRIMARY KEY, x);
          CREATE TABLE b (id INTEGER PRIMARY KEY, x);
          """)
    }
    writer = try ExternalFixture.open(path, isPool: isPool) {
      $0.readonly = isReadOnly
      $0.observesExternalChanges = true
    }
  }

  static func open(
    _ path: String, isPool: Bool = false, configure: (inout Configuration) -> Void = { _ in }
  ) throws -> any DatabaseWriter {
    var configuration = Configuration()
    configuration.key = try .raw(EncryptedQueue.rawKey)
    configuration.journalMode = isPool ? .wal : .delete
    configure(&configuration)
    return isPool
      ? try DatabasePool(path: path, configuration: configuration)
      : try DatabaseQueue(path: path, configuration: configuration)
  }

  func insertElsewhere(_ table: String = "a") throws {
    try other.write { try $0.execute(sql: "INSERT INTO \(table) DEFAULT VALUES") }
  }
}

/// Logs its calls, and the number of rows after each commit, on any thread.
final class ExternalObserver: TransactionObserver, Sendable {
  struct Note: Equatable {
    var words: [String] = []
    /// The rows of `a` after the last commit.
    var rows = -1
  }

  private let note = Mutex(Note())
  private let arrival = DispatchSemaphore(value: 0)

  var words: [String] { note.withLock(\.words) }
  var rows: Int { note.withLock(\.rows) }

  /// Waits until a commit has shown this many rows, and keeps the database open meanwhile.
  func wait(forRows rows: Int, in database: some Any) {
    withExtendedLifetime(database) {
      while note.withLock({ $0.rows < rows }) { arrival.wait() }
    }
  }

  /// Waits for a commit, and keeps the database open meanwhile.
  func waitForCommit(in database: some Any) {
    withExtendedLifetime(database) {
      while note.withLock({ !$0.words.contains("did") }) { arrival.wait() }
    }
  }

  func observes(eventsOfKind kind: DatabaseEventKind) -> Bool { kind.tableName == "a" }
  func databaseDidChange() { note.withLock { $0.words.append("?") } }
  func databaseDidChange(with event: DatabaseEvent) {
    note.withLock { $0.words.append("\(event.tableName)\(event.rowID)") }
  }
  func databaseWillCommit() { note.withLock { $0.words.append("will") } }
  func databaseDidCommit(_ db: Database) {
    let rows = try? Int.fetchOne(db, sql: "SELECT count(*) FROM a")
    note.withLock {
      $0.words.append("did")
      $0.rows = rows ?? -2
    }
    arrival.signal()
  }
  func databaseDidRollback(_ db: Database) { note.withLock { $0.words.append("rollback") } }
}
