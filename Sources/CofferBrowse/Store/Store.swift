import Coffer
import CofferDrawing
import Foundation
import Synchronization

/// A database that pages show, with a few read-only connections.
///
/// Concurrency: any thread. A read waits for one of the connections.
final class Store: Sendable {
  static let readerCount = 3
  /// How long a page may read.
  static let pageLimit = Duration.seconds(20)
  /// The memory for decrypted pages of each connection, in bytes.
  static let cacheSize = 2 << 20

  private struct State {
    var readers: [Reader]
    var idle: [Reader]
  }

  let path: String
  private let configuration: Configuration
  private let state: Mutex<State>
  private let wasGivenBack = NSCondition()
  /// What was read of the schema, and of its state.
  let schema = SchemaFacts()
  /// Counts of rows, by tables, as of a state of the file.
  let counts = Mutex<(state: String, counts: [[UInt8]: RowCount])>(("", [:]))

  /// - Parameter queue: A read-only connection; others are opened with its configuration.
  init(_ queue: DatabaseQueue) {
    path = queue.path
    configuration = queue.configuration
    let reader = Reader(queue)
    state = Mutex(State(readers: [reader], idle: [reader]))
  }

  /// Reads in one transaction, which ends before this returns.
  ///
  /// - Parameters:
  ///   - limit: The time after which statements are ended.
  ///   - isQuery: Whether a person can stop it by ``stopQueries()``.
  func read<T>(
    within limit: Duration = Store.pageLimit, isQuery: Bool = false,
    _ body: (Database, Reader) throws -> T
  ) throws -> T {
    let reader = try take()
    defer { giveBack(reader) }
    return try reader.read(within: limit, isQuery: isQuery) { try body($0, reader) }
  }

  private func take() throws -> Reader {
    let end = Date(timeIntervalSinceNow: 30)
    wasGivenBack.lock()
    defer { wasGivenBack.unlock() }
    while true {
      if let reader = state.withLock({ $0.idle.popLast() }) { return reader }
      // A connection keeps the schema in memory: others are opened when they are needed.
      if state.withLock({ $0.readers.count < Self.readerCount }) {
        let reader = Reader(try DatabaseQueue(path: path, configuration: configuration))
        state.withLock { $0.readers.append(reader) }
        return reader
      }
      guard wasGivenBack.wait(until: end) else {
        throw BrowseError.refused("Other queries are running. Stop them, or wait.")
      }
    }
  }

  private func giveBack(_ reader: Reader) {
    wasGivenBack.lock()
    state.withLock { $0.idle.append(reader) }
    wasGivenBack.signal()
    wasGivenBack.unlock()
  }

  func stopQueries() {
    for reader in state.withLock(\.readers) { reader.stop(queriesOnly: true) }
  }

  /// Ends what is being read, and closes the connections.
  func close() {
    let readers = state.withLock(\.readers)
    for reader in readers { reader.stop(queriesOnly: false) }
    for reader in readers { try? reader.queue.close() }
  }
}

/// A number of rows, or how many there are at least.
struct RowCount: Sendable, Hashable {
  var number: Int
  var isAtLeast = false

  var text: String { isAtLeast ? "more than \(Numbers.grouped(number))" : Numbers.grouped(number) }
}

extension Database {
  /// Counts rows up to a limit, for as long as the reader's time allows; nil if that is too short.
  func count(
    _ selection: String, _ arguments: StatementArguments = StatementArguments(), limit: Int,
    within time: Duration, _ reader: Reader
  ) throws -> RowCount? {
    do {
      return try reader.limit(time) {
        let number = try Int.fetchOne(
          self, sql: "SELECT count(*) FROM (SELECT 1 FROM \(selection) LIMIT \(limit + 1))",
          arguments: arguments)
        return number.map { RowCount(number: min($0, limit), isAtLeast: $0 > limit) }
      }
    } catch BrowseError.tooLong { return nil }
  }
}
