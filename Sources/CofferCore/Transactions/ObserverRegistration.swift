/// An observer and how long it is one.
final class ObserverRegistration {
  /// The order in which observers were added.
  let sequence: Int
  let identifier: ObjectIdentifier
  let extent: Database.TransactionObservationExtent
  /// Whether it is told of the ends of those transactions alone that touch it.
  let isSelective: Bool
  /// Whether no change is ever of interest, but only the end of the transaction.
  let isTransactionEnd: Bool
  private weak var weakObserver: (any TransactionObserver)?
  private var strongObserver: (any TransactionObserver)?
  /// The tables that it is kept by; nil where it is asked about all.
  var tables: Set<SQLName>?
  /// The rows that it is kept by, of those tables of which it doesn't observe all rows.
  var rows: [SQLName: Set<Int64>] = [:]
  /// Whether the observer wants no more changes of this transaction.
  var isStopped = false
  /// Whether the observer was told of a change in this transaction.
  var isTouched = false
  /// Whether it was removed: it is told of nothing more, not even by those who
  /// are telling at the moment.
  private(set) var isRemoved = false

  init(
    _ observer: any TransactionObserver, extent: Database.TransactionObservationExtent,
    sequence: Int
  ) {
    self.sequence = sequence
    self.extent = extent
    identifier = ObjectIdentifier(observer)
    isSelective = observer is any SelectiveTransactionObserver
    isTransactionEnd = observer is TransactionEnd
    strongObserver = extent == .observerLifetime ? nil : observer
    weakObserver = observer
  }

  /// The observer, unless it has died or is none any more.
  var observer: (any TransactionObserver)? { strongObserver ?? weakObserver }

  /// Whether the observer is interested; it is asked about its tables only.
  func isInterested(_ observer: any TransactionObserver, in kind: DatabaseEventKind) -> Bool {
    if let tables, !tables.contains(SQLName(kind.tableName)) { return false }
    return observer.observes(eventsOfKind: kind)
  }

  /// Lets go of the observer: compiled statements may keep the registration.
  func end() {
    strongObserver = nil
    weakObserver = nil
  }

  /// Ends it at once, in the middle of a transaction too.
  func remove() {
    isRemoved = true
    isStopped = true
    end()
  }
}

/// Registrations in the order in which they were added.
struct RegistrationList {
  private(set) var items: [ObserverRegistration] = []

  var isEmpty: Bool { items.isEmpty }

  /// - Complexity: O(1) for a new one; else O(log *n*), and a move of pointers.
  mutating func insert(_ registration: ObserverRegistration) {
    guard let last = items.last, last.sequence >= registration.sequence else {
      return items.append(registration)
    }
    let index = position(of: registration.sequence)
    guard items[index] !== registration else { return }
    items.insert(registration, at: index)
  }

  /// - Complexity: O(log *n*), and a move of pointers.
  mutating func remove(_ registration: ObserverRegistration) {
    let index = position(of: registration.sequence)
    guard index < items.count, items[index] === registration else { return }
    items.remove(at: index)
  }

  /// The index of the first one that is not before `sequence`.
  private func position(of sequence: Int) -> Int {
    var range = items.startIndex..<items.endIndex
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range =
        items[middle].sequence < sequence
        ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }
}

/// Who is interested in what one compiled statement changes.
package final class StatementInterest {
  struct Entry {
    let registration: ObserverRegistration
    /// The changes that are observed; nil for all that the statement makes.
    let changes: [TableChange]?
    /// Whether SQLite doesn't tell of the rows of some of the tables.
    let hasUnreportedRows: Bool
  }

  /// The registrations that were asked.
  var stamp: ObserverRegistry.Stamp
  let recompilations: Int
  let entries: [Entry]
  /// The tables of which single rows are observed.
  let rowTables: [RowTable]

  /// A table of which the statement may change rows that somebody observes.
  struct RowTable {
    let table: ObserverRegistry.Table
    /// What the statement may do to its rows.
    let changes: [TableChange]
    /// What it may do without SQLite's telling to which rows.
    var unreported: [DatabaseEventKind]
  }

  init(
    stamp: ObserverRegistry.Stamp, recompilations: Int, entries: [Entry], rowTables: [RowTable]
  ) {
    self.stamp = stamp
    self.recompilations = recompilations
    self.entries = entries
    self.rowTables = rowTables
  }
}

/// An observer that is told of the changes of a running statement.
struct ObservationTarget {
  let registration: ObserverRegistration
  let observer: any TransactionObserver
  var changes: [TableChange]?

  func isInterested(in kind: DatabaseEventKind) -> Bool {
    registration.isInterested(observer, in: kind)
  }

  /// Whether the observer wants to know of an event.
  ///
  /// - Parameter all: The changes that the statement announced: an event of
  ///   another table is that of a table behind a virtual one.
  func accepts(_ event: DatabaseEvent, among all: [TableChange]) -> Bool {
    guard let changes else { return true }
    return changes.contains { $0.announces(event) } || !all.contains { $0.announces(event) }
  }
}
