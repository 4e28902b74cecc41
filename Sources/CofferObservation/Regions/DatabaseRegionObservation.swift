import CofferCore

/// Tells of transactions that change something in a region of the database.
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
/// It is told of all changes that its connection commits, those in SQL, of triggers and of foreign
/// keys included; not of those of other connections and processes.
public struct DatabaseRegionObservation: Sendable {
  private let regions: [any DatabaseRegionConvertible]

  /// An observation of what is in any of the regions.
  public init(tracking regions: any DatabaseRegionConvertible...) {
    self.init(tracking: regions)
  }

  /// An observation of what is in any of the regions.
  public init(tracking regions: [any DatabaseRegionConvertible]) { self.regions = regions }

  /// Starts the observation, which notices all transactions from now on.
  ///
  /// Waits for a write that is under way; inside a write of the same thread, it notices what the
  /// rest of that write does.
  /// - Parameters:
  ///   - onError: Called at most once, where the regions can't be made out: before `start`
  ///     returns, or after a commit that has dropped or altered a table.
  ///   - onChange: Called after each commit that has changed something in the regions, on the
  ///     connection that has committed, before anybody else can write.
  /// - Returns: What ends the observation when it is cancelled, or dies.
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
  /// What is in any of the regions.
  func union(_ db: Database) throws -> DatabaseRegion {
    try reduce(into: DatabaseRegion()) { try $0.formUnion($1.databaseRegion(db)) }
  }
}
