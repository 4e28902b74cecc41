/// An observer and how long it is one.
final class ObserverRegistration {
  let extent: Database.TransactionObservationExtent
  let isSelective: Bool
  private weak var weakObserver: (any TransactionObserver)?
  private var strongObserver: (any TransactionObserver)?
  /// Whether the observer wants no more changes of this transaction.
  var isStopped = false
  /// Whether the observer was told of a change in this transaction.
  var isTouched = false

  init(_ observer: any TransactionObserver, extent: Database.TransactionObservationExtent) {
    self.extent = extent
    isSelective = observer is any SelectiveTransactionObserver
    strongObserver = extent == .observerLifetime ? nil : observer
    weakObserver = observer
  }

  /// The observer, unless it has died or is none any more.
  var observer: (any TransactionObserver)? { strongObserver ?? weakObserver }

  /// Lets go of the observer: compiled statements may keep the registration.
  func end() {
    strongObserver = nil
    weakObserver = nil
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
  let generation: Int
  let recompilations: Int
  let entries: [Entry]

  init(generation: Int, recompilations: Int, entries: [Entry]) {
    self.generation = generation
    self.recompilations = recompilations
    self.entries = entries
  }
}

/// An observer that is told of the changes of a running statement.
struct ObservationTarget {
  let registration: ObserverRegistration
  let observer: any TransactionObserver
  var changes: [TableChange]?

  /// Whether the observer wants to know of an event.
  ///
  /// - Parameter all: The changes that the statement announced: an event of
  ///   another table is that of a table behind a virtual one.
  func accepts(_ event: DatabaseEvent, among all: [TableChange]) -> Bool {
    guard let changes else { return true }
    func matches(_ change: TableChange) -> Bool {
      change.kind.eventKind == event.kind && change.kind.tableName == event.tableName
        && change.schema == event.databaseName
    }
    return changes.contains(where: matches) || !all.contains(where: matches)
  }
}
