import Coffer
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
  package static let cacheSize = 4 << 20

  let path: String
  private let readers: [Reader]
  private let idle: Mutex<[Int]>
  private let wasGivenBack = NSCondition()
  /// What was read of the schema, and of its state.
  let schema = SchemaFacts()
  /// Counts of rows, by tables, as of a state of the file.
  let counts = Mutex<(state: String, counts: [[UInt8]: RowCount])>(("", [:]))

  /// - Parameter queue: A read-only connection; the others are opened with its configuration.
  init(_ queue: DatabaseQueue) throws {
    path = queue.path
    var readers = [Reader(queue)]
    for _ in 1..<Self.readerCount {
      readers.append(
        Reader(try DatabaseQueue(path: queue.path, configuration: queue.configuration)))
    }
    self.readers = readers
    idle = Mutex(Array(readers.indices))
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
    let index = try take()
    defer { giveBack(index) }
    return try readers[index].read(within: limit, isQuery: isQuery) {
      try body($0, readers[index])
    }
  }

  private func take() throws -> Int {
    let end = Date(timeIntervalSinceNow: 30)
    wasGivenBack.lock()
    defer { wasGivenBack.unlock() }
    while true {
      if let index = idle.withLock({ $0.popLast() }) { return index }
      guard wasGivenBack.wait(until: end) else {
        throw BrowseError.refused("Other queries are running. Stop them, or wait.")
      }
    }
  }

  private func giveBack(_ index: Int) {
    wasGivenBack.lock()
    idle.withLock { $0.append(index) }
    wasGivenBack.signal()
    wasGivenBack.unlock()
  }

  func stopQueries() {
    for reader in readers { reader.stop(queriesOnly: true) }
  }

  /// Ends what is being read, and closes the connections.
  func close() {
    for reader in readers { reader.stop(queriesOnly: false) }
    for reader in readers { try? reader.queue.close() }
  }
}

/// A number of rows, or how many there are at least.
struct RowCount: Sendable, Hashable {
  var number: Int
  var isAtLeast = false

  var text: String { isAtLeast ? "more than \(Words.grouped(number))" : Words.grouped(number) }
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
