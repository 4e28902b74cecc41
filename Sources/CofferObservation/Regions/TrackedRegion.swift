import CofferCore
import Synchronization

/// A region, and whether something in it has changed in the current transaction.
///
/// It is only used in accesses to the writer, except that the region can be determined on a reader:
/// so its lock is never contended.
final class TrackedRegion: Sendable {
  private struct State {
    var region = DatabaseRegion()
    var hasChanged = false
    var ignoresChanges = false
    var schemaGeneration = 0
  }

  private let state = Mutex(State())
  /// The changed rows, for a list that is kept; nil if they don't matter.
  let rows: ChangedRows?

  init(rows: ChangedRows? = nil) { self.rows = rows }

  var region: DatabaseRegion { state.withLock(\.region) }

  /// Sets the region, before the observer is added.
  func set(_ region: DatabaseRegion) { state.withLock { $0.region = region } }

  /// Records that the region was determined for the current schema.
  func confirm(in db: Database) {
    state.withLock { $0.schemaGeneration = db.hooks.schemaGeneration }
  }

  /// Sets the region as determined on the observed connection.
  ///
  /// - Returns: Whether the region differs, so that the observer's interests have changed.
  func update(_ region: DatabaseRegion, in db: Database) -> Bool {
    state.withLock { state in
      state.schemaGeneration = db.hooks.schemaGeneration
      defer { state.region = region }
      return state.region != region
    }
  }

  /// Returns whether the schema has changed since the region was determined.
  func isOutdated(in db: Database) -> Bool {
    state.withLock { $0.schemaGeneration } != db.hooks.schemaGeneration
  }

  /// The names of the tables; nil for all tables.
  var tableNames: Set<String>? { state.withLock { $0.region.tableNames.map(Set.init) } }

  /// The rowids of the observed rows, for tables that are restricted to some rows.
  var rowIDs: [String: Set<Int64>] { state.withLock(\.region.rowIDs) }

  func observes(eventsOfKind kind: DatabaseEventKind) -> Bool {
    state.withLock { $0.region.isModified(byEventsOfKind: kind) }
  }

  func setChanged() {
    state.withLock { state in
      if !state.ignoresChanges { state.hasChanged = true }
    }
    rows?.noteUnknown()
  }

  /// - Returns: Whether the region has changed, and further changes don't matter.
  func setChanged(by event: DatabaseEvent) -> Bool {
    let isChange = state.withLock { state in
      guard !state.ignoresChanges, state.region.isModified(by: event) else { return false }
      state.hasChanged = true
      return true
    }
    guard isChange else { return false }
    return rows?.note(event) != true
  }

  /// Executes `body`, whose changes don't count.
  func ignoringChanges<T>(_ body: () throws -> T) rethrows -> T {
    state.withLock { $0.ignoresChanges = true }
    defer { state.withLock { $0.ignoresChanges = false } }
    return try body()
  }

  /// Returns whether the region has changed since the last call.
  func takeChange() -> Bool {
    state.withLock { state in
      defer { state.hasChanged = false }
      return state.hasChanged
    }
  }
}

/// An observer of the transactions that change a tracked region.
protocol TrackedRegionObserver: SelectiveTransactionObserver {
  var tracked: TrackedRegion { get }
}

extension TrackedRegionObserver {
  var observedTables: Set<String>? { tracked.tableNames }

  var observedRows: [String: Set<Int64>] { tracked.rowIDs }

  var followsRows: Bool { tracked.rows != nil }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
    tracked.observes(eventsOfKind: eventKind)
  }

  func databaseDidChange() { tracked.setChanged() }

  func databaseDidChange(with event: DatabaseEvent) {
    if tracked.setChanged(by: event) { stopObservingDatabaseChangesUntilNextTransaction() }
  }

  func databaseDidRollback(_ db: Database) {
    _ = tracked.takeChange()
    tracked.rows?.didRollback()
  }
}
