import CofferCore
import Synchronization

/// Reports transactions that change a region.
final class RegionObserver: SelectiveTransactionObserver, Sendable {
  /// The parts that are released when the observation ends.
  private struct Life: Sendable {
    let regions: [any DatabaseRegionConvertible]
    let writer: any DatabaseWriter
    let onError: @Sendable (any Error) -> Void
    let onChange: @Sendable (Database) -> Void
  }

  private let life: Mutex<Life?>
  private let tracked = TrackedRegion()

  init(
    regions: [any DatabaseRegionConvertible], writer: any DatabaseWriter,
    onError: @escaping @Sendable (any Error) -> Void,
    onChange: @escaping @Sendable (Database) -> Void
  ) {
    life = Mutex(Life(regions: regions, writer: writer, onError: onError, onChange: onChange))
  }

  func start(_ db: Database) throws {
    guard let life = life.withLock(\.self) else { return }
    tracked.set(try life.regions.union(db))
    tracked.confirm(in: db)
    db.add(transactionObserver: self)
  }

  func cancel() { _ = end() }

  func fail(_ error: any Error) { end()?.onError(error) }

  private func end() -> Life? {
    let life = life.withLock { life in
      defer { life = nil }
      return life
    }
    life?.writer.asyncWriteWithoutTransaction { [self] db in
      db.remove(transactionObserver: self)
    }
    return life
  }

  // MARK: Transactions

  var observedTables: Set<String>? { tracked.tableNames }

  var observedRows: [String: Set<Int64>] { tracked.rowIDs }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
    tracked.observes(eventsOfKind: eventKind)
  }

  func databaseDidChange() { tracked.setChanged() }

  func databaseDidChange(with event: DatabaseEvent) {
    if tracked.setChanged(by: event) { stopObservingDatabaseChangesUntilNextTransaction() }
  }

  func databaseDidCommit(_ db: Database) {
    guard tracked.takeChange(), let life = life.withLock(\.self) else { return }
    do {
      if tracked.isOutdated(in: db), tracked.update(try life.regions.union(db), in: db) {
        db.observation.interestsDidChange(of: self)
      }
    } catch {
      return fail(error)
    }
    life.onChange(db)
  }

  func databaseDidRollback(_ db: Database) { _ = tracked.takeChange() }
}
