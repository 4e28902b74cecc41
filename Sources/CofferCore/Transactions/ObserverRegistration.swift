import CofferVault

/// An observer, and how long it observes.
final class ObserverRegistration {
  /// The order in which observers were added.
  let sequence: Int
  let identifier: ObjectIdentifier
  let extent: Database.TransactionObservationExtent
  /// Whether it is notified only of the ends of transactions that touch it.
  let isSelective: Bool
  /// Whether it knows rows by their rowids.
  let followsRows: Bool
  /// Whether it ignores all changes, and observes only the end of the transaction.
  let isTransactionEnd: Bool
  private weak var weakObserver: (any TransactionObserver)?
  private var strongObserver: (any TransactionObserver)?
  /// The tables that it is indexed by; nil if it is asked about all tables.
  var tables: Set<SQLName>?
  /// The rows that it is indexed by, for tables of which it observes only some rows.
  var rows: [SQLName: Set<Int64>] = [:]
  /// Whether the observer has stopped observing changes until the next transaction.
  var isStopped = false
  /// Whether the observer was notified of a change in this transaction.
  var isTouched = false
  /// Whether it has yet to be notified of a commit.
  var isPostponed = false
  /// Whether it was removed: it gets no further notifications, even while others are notified.
  private(set) var isRemoved = false

  init(
    _ observer: any TransactionObserver, extent: Database.TransactionObservationExtent,
    sequence: Int
  ) {
    self.sequence = sequence
    self.extent = extent
    identifier = ObjectIdentifier(observer)
    let selective = observer as? any SelectiveTransactionObserver
    isSelective = selective != nil
    followsRows = selective?.followsRows ?? false
    isTransactionEnd = observer is TransactionEnd
    strongObserver = extent == .observerLifetime ? nil : observer
    weakObserver = observer
  }

  /// The observer, unless it has been deallocated or no longer observes.
  var observer: (any TransactionObserver)? { strongObserver ?? weakObserver }

  /// Returns whether the observer is interested; it is only asked about its own tables.
  func isInterested(_ observer: any TransactionObserver, in kind: DatabaseEventKind) -> Bool {
    if let tables, !tables.contains(SQLName(kind.tableName)) { return false }
    return observer.observes(eventsOfKind: kind)
  }

  /// Releases the observer, since compiled statements can retain the registration.
  func end() {
    strongObserver = nil
    weakObserver = nil
  }

  /// Ends the registration at once, even in the middle of a transaction.
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

  /// - Complexity: O(1) for a new registration; otherwise O(log *n*), and a move of pointers.
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

  /// Returns the index of the first registration that is not before `sequence`.
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

/// The observers that are interested in the changes of one compiled statement.
final class StatementInterest {
  struct Entry {
    let registration: ObserverRegistration
    /// The changes that are observed; nil for all changes of the statement.
    let changes: [TableChange]?
    /// Whether SQLite doesn't report the changed rows of some of the tables.
    let hasUnreportedRows: Bool
  }

  /// The version of the registry on which the answer depends.
  var stamp: ObserverRegistry.Stamp
  let recompilations: Int
  let entries: [Entry]
  /// The tables of which individual rows are observed.
  let rowTables: [RowTable]
  /// The tables that the statement also changes, and of which only selective observers are told.
  let quietTables: [String]

  /// A table in which the statement can change individually observed rows.
  struct RowTable {
    let table: ObserverRegistry.Table
    /// The changes that the statement can make to its rows.
    let changes: [TableChange]
    /// The changes whose rows SQLite doesn't report.
    var unreported: [DatabaseEventKind]
  }

  init(
    stamp: ObserverRegistry.Stamp, recompilations: Int, entries: [Entry],
    rowTables: [RowTable], quietTables: [String]
  ) {
    self.stamp = stamp
    self.recompilations = recompilations
    self.entries = entries
    self.rowTables = rowTables
    self.quietTables = quietTables
  }
}

/// An observer that is notified of the changes of a running statement.
struct ObservationTarget {
  let registration: ObserverRegistration
  let observer: any TransactionObserver
  var changes: [TableChange]?

  func isInterested(in kind: DatabaseEventKind) -> Bool {
    registration.isInterested(observer, in: kind)
  }

  /// Returns whether the observer wants to be notified of an event.
  ///
  /// - Parameter all: The changes that the statement announced: an event of any other table belongs
  ///   to a shadow table of a virtual table.
  func accepts(_ event: DatabaseEvent, among all: [TableChange]) -> Bool {
    guard let changes else { return true }
    return changes.contains { $0.announces(event) } || !all.contains { $0.announces(event) }
  }
}
