import CofferCore
import Synchronization

/// A region, and whether something in it has changed in the current transaction.
///
/// All of it happens in accesses to the connection that writes, except that the region may be
/// found out on another one: so nobody ever waits for the lock.
final class TrackedRegion: Sendable {
  private struct State {
    var region = DatabaseRegion()
    var hasChanged = false
    var schemaGeneration = 0
  }

  private let state = Mutex(State())

  var region: DatabaseRegion { state.withLock(\.region) }

  /// Sets the region, before the observer is added.
  func set(_ region: DatabaseRegion) { state.withLock { $0.region = region } }

  /// Notes that the region was found out for the schema as it is.
  func confirm(in db: Database) {
    state.withLock { $0.schemaGeneration = db.hooks.schemaGeneration }
  }

  /// Sets the region as found out on the connection that is observed.
  ///
  /// - Returns: Whether it is another one, so that the observer's interests have changed.
  func update(_ region: DatabaseRegion, in db: Database) -> Bool {
    state.withLock { state in
      state.schemaGeneration = db.hooks.schemaGeneration
      defer { state.region = region }
      return state.region != region
    }
  }

  /// Whether the schema has changed since the region was found out.
  func isOutdated(in db: Database) -> Bool {
    state.withLock { $0.schemaGeneration } != db.hooks.schemaGeneration
  }

  /// The names of the tables; nil for all.
  var tableNames: Set<String>? { state.withLock { $0.region.tableNames.map(Set.init) } }

  /// The rows of those tables that don't matter as a whole.
  var rowIDs: [String: Set<Int64>] { state.withLock(\.region.rowIDs) }

  func observes(eventsOfKind kind: DatabaseEventKind) -> Bool {
    state.withLock { $0.region.isModified(byEventsOfKind: kind) }
  }

  func setChanged() { state.withLock { $0.hasChanged = true } }

  /// - Returns: Whether the region has changed, so that further changes don't matter.
  func setChanged(by event: DatabaseEvent) -> Bool {
    state.withLock { state in
      if !state.hasChanged { state.hasChanged = state.region.isModified(by: event) }
      return state.hasChanged
    }
  }

  /// Whether the region has changed since the last time.
  func takeChange() -> Bool {
    state.withLock { state in
      defer { state.hasChanged = false }
      return state.hasChanged
    }
  }
}
