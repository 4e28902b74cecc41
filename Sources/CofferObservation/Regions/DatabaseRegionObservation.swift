import CofferCore

/// Reports transactions that change something in a region of the database.
///
/// ```swift
/// let observation = DatabaseRegionObservation(tracking: Player.all(), Team.all())
/// let cancellable = observation.start(in: queue) { error in
///   …
/// } onChange: { db in
///   print("players or teams have changed")
/// }
/// ```
///
/// All changes committed by its connection count, including those in SQL and by triggers and
/// foreign keys; changes of other connections and processes count only with
/// ``Configuration/observesExternalChanges``.
public struct DatabaseRegionObservation: Sendable {
  private let regions: [any DatabaseRegionConvertible]

  /// Creates an observation of the union of the regions.
  public init(tracking regions: any DatabaseRegionConvertible...) {
    self.init(tracking: regions)
  }

  /// Creates an observation of the union of the regions.
  public init(tracking regions: [any DatabaseRegionConvertible]) { self.regions = regions }

  /// Starts the observation, which reports all transactions from now on.
  ///
  /// Waits for a running write; inside a write on the same thread, it reports the changes of the
  /// rest of that write.
  /// - Parameters:
  ///   - onError: Called at most once, if the regions can't be determined: before `start` returns,
  ///     or after a commit that has dropped or altered a table.
  ///   - onChange: Called after each commit that has changed something in the regions, on the
  ///     connection that has committed, before any other write.
  /// - Returns: A cancellable that ends the observation when it is cancelled or deallocated.
  @preconcurrency
  public func start(
    in writer: any DatabaseWriter, onError: @escaping @Sendable (any Error) -> Void,
    onChange: @escaping @Sendable (_ db: Database) -> Void
  ) -> AnyDatabaseCancellable {
    let observer = RegionObserver(
      regions: regions, writer: writer, onError: onError, onChange: onChange)
    do {
      try writer.unsafeReentrantWrite { try observer.start($0) }
    } catch {
      observer.fail(error)
    }
    return AnyDatabaseCancellable { observer.cancel() }
  }
}

extension Sequence where Element == any DatabaseRegionConvertible {
  /// Returns the union of the regions.
  func union(_ db: Database) throws -> DatabaseRegion {
    try reduce(into: DatabaseRegion()) { try $0.formUnion($1.databaseRegion(db)) }
  }
}
