/// A type-erased database reader.
public final class AnyDatabaseReader: DatabaseReader {
  private let base: any DatabaseReader

  /// Creates a reader that forwards all calls to `base`.
  public init(_ base: any DatabaseReader) { self.base = base }

  /// The configuration of the base.
  public var configuration: Configuration { base.configuration }

  /// The path of the base.
  public var path: String { base.path }

  /// Closes the database after the accesses that are under way. Closing twice does nothing.
  public func close() throws { try base.close() }

  /// Interrupts the running statements, which fail with `SQLITE_INTERRUPT`.
  public func interrupt() { base.interrupt() }

  /// Executes `body` through the base.
  public func _run(_ access: _Access, _ body: (Database) throws -> Void) throws {
    try base._run(access, body)
  }

  /// Executes `body` through the base, on another thread.
  public func _async<T: Sendable>(
    _ access: _Access, _ body: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await base._async(access, body)
  }

  /// Schedules `body` through the base.
  public func _schedule(
    _ access: _Access, _ body: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    base._schedule(access, body)
  }
}

extension AnyDatabaseReader: ObservableReader {
  package var currentDatabase: Database? { (base as? any ObservableReader)?.currentDatabase }

  package var observableWriter: (any DatabaseWriter)? {
    (base as? any ObservableReader)?.observableWriter
  }

  package func beginTracking(_ start: TrackingStart) { base.beginTracking(start) }

  package func scheduleTracking(_ start: TrackingStart) { base.scheduleTracking(start) }
}
