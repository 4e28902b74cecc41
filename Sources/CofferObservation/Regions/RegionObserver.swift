import CofferCore
import Synchronization

/// Reports transactions that change a region.
final class RegionObserver: TrackedRegionObserver, Sendable {
  /// The parts that are released when the observation ends.
  private struct Life: Sendable {
    let regions: [any DatabaseRegionConvertible]
    let writer: any DatabaseWriter
    let onError: @Sendable (any Error) -> Void
    let onChange: @Sendable (Database) -> Void
  }

  private let life: Mutex<Life?>
  let tracked: TrackedRegion

  /// - Parameter rows: What notes the changed rows, for a list that is kept.
  init(
    regions: [any DatabaseRegionConvertible], writer: any DatabaseWriter,
    rows: ChangedRows? = nil, onError: @escaping @Sendable (any Error) -> Void,
    onChange: @escaping @Sendable (Database) -> Void
  ) {
    tracked = TrackedRegion(rows: rows)
    life = Mutex(Life(regions: regions, writer: writer, onError: onError, onChange: onChange))
  }

  /// Creates an observer of a region that is known.
  convenience init(
    _ region: DatabaseRegion, writer: any DatabaseWriter, rows: ChangedRows?,
    onChange: @escaping @Sendable (Database) -> Void
  ) {
    self.init(
      regions: [region], writer: writer, rows: rows, onError: { _ in }, onChange: onChange)
    tracked.set(region)
  }

  /// Determines the region, and starts observing.
  func start(_ db: Database) throws {
    guard let life = life.withLock(\.self) else { return }
    tracked.set(try life.regions.union(db))
    observe(db)
  }

  /// Starts observing the known region.
  func observe(_ db: Database) {
    tracked.confirm(in: db)
    db.add(transactionObserver: self)
  }

  func cancel() { _ = end() }

  func fail(_ error: any Error) { end()?.onError(error) }

  private func end() -> Life? {
    let life = life.withLock { $0.take() }
    life?.writer.asyncWriteWithoutTransaction { [self] db in
      db.remove(transactionObserver: self)
    }
    return life
  }

  // MARK: Transactions

  func databaseDidCommit(_ db: Database) {
    let isOutdated = tracked.isOutdated(in: db)
    if isOutdated { tracked.rows?.noteUnknown() }
    tracked.rows?.didCommit()
    guard tracked.takeChange(), let life = life.withLock(\.self) else { return }
    do {
      if isOutdated, tracked.update(try life.regions.union(db), in: db) {
        db.observation.interestsDidChange(of: self)
      }
    } catch {
      return fail(error)
    }
    life.onChange(db)
  }
}
