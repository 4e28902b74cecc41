import Coffer
import CofferDrawing
import Foundation
import Synchronization

/// A database that pages show, with a few read-only connections.
///
/// Concurrency: any thread. A read waits for one of the connections.
final class Store: Sendable {
  private static let readerCount = 3
  /// The memory for decrypted pages of each connection, in bytes.
  static let cacheSize = 2 << 20

  let path: String
  private let configuration: Configuration
  private let readers: Monitor<(all: [Reader], idle: [Reader])>
  /// All foreign keys, as of a version of the schema.
  private let references = Mutex<(version: Int32, all: [TableFacts.Reference])?>(nil)

  /// - Parameter queue: A read-only connection; others are opened with its configuration.
  init(_ queue: DatabaseQueue) {
    path = queue.path
    configuration = queue.configuration
    let reader = Reader(queue)
    readers = Monitor((all: [reader], idle: [reader]))
  }

  /// Reads in one transaction, which ends before this returns.
  ///
  /// - Parameters:
  ///   - time: How long statements may take.
  ///   - isQuery: Whether a person can stop it by ``stopQueries()``.
  func read<T>(
    within time: Duration = .seconds(20), isQuery: Bool = false,
    _ body: (Database, Reader) throws -> T
  ) throws -> T {
    let reader = try readers.wait(until: Date(timeIntervalSinceNow: 30)) { readers in
      if let idle = readers.idle.popLast() { return idle }
      // A connection keeps the schema in memory: others are opened when they are needed.
      guard readers.all.count < Self.readerCount else { return nil }
      let reader = Reader(try DatabaseQueue(path: path, configuration: configuration))
      readers.all.append(reader)
      return reader
    }
    guard let reader else {
      throw BrowseError.refused("Other queries are running. Stop them, or wait.")
    }
    defer { readers.change { $0.idle.append(reader) } }
    return try reader.read(within: time, isQuery: isQuery) { try body($0, reader) }
  }

  func stopQueries() {
    for reader in readers.change({ $0.all }) { reader.stop(queriesOnly: true) }
  }

  /// Ends what is being read, and closes the connections.
  func close() {
    let all = readers.change { $0.all }
    for reader in all { reader.stop(queriesOnly: false) }
    for reader in all { try? reader.queue.close() }
  }

  /// All foreign keys of the database, kept until its schema changes.
  func references(_ db: Database) throws -> [TableFacts.Reference] {
    let version = try db.schemaVersion()
    if let known = references.withLock(\.self), known.version == version { return known.all }
    // Only a text with the word can have one.
    let names = try String.fetchAll(
      db,
      sql: """
        SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%references%' ORDER BY rowid
        """)
    let all = try names.flatMap { try TableFacts.references(of: $0, db) }
    references.withLock { $0 = (version, all) }
    return all
  }
}

/// A number of rows, or how many there are at least.
struct RowCount: Sendable {
  var number: Int
  var isAtLeast: Bool

  /// "more than 100,000"
  var text: String { (isAtLeast ? "more than " : "") + Numbers.grouped(number) }
  /// "1 row"
  var words: String { (isAtLeast ? "more than " : "") + Numbers.count(number, "row") }

  /// Counts rows up to a limit, for as long as the reader's time allows; nil if that is too short.
  init?(of selection: SQL, limit: Int, within time: Duration, _ db: Database, _ reader: Reader)
    throws
  {
    guard time > .zero else { return nil }
    do {
      let number = try reader.limit(time) {
        try SQLRequest<Int>(
          literal: "SELECT count(*) FROM (SELECT 1 FROM \(selection) LIMIT \(limit + 1))"
        ).fetchOne(db) ?? 0
      }
      (self.number, isAtLeast) = (min(number, limit), number > limit)
    } catch BrowseError.tooLong { return nil }
  }
}
