import CofferVault

/// A type-erased database writer.
public final class AnyDatabaseWriter: DatabaseWriter {
  let base: any DatabaseWriter

  /// Creates a writer that forwards all calls to `base`.
  public init(_ base: any DatabaseWriter) { self.base = base }

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

  /// Schedules `updates` and returns.
  public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
    base.asyncWriteWithoutTransaction(updates)
  }

  /// Reads the last committed state of the database.
  public func spawnConcurrentRead(
    _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    base.spawnConcurrentRead(value)
  }

  /// Re-encrypts the database with another key.
  public func changeKey(to key: DatabaseKey) throws { try base.changeKey(to: key) }
}

extension AnyDatabaseWriter: ObservableReader {
  package var currentDatabase: Database? { (base as? any ObservableReader)?.currentDatabase }

  package var observableWriter: (any DatabaseWriter)? {
    (base as? any ObservableReader)?.observableWriter
  }

  package func beginTracking(_ start: TrackingStart) { base.beginTracking(start) }

  package func scheduleTracking(_ start: TrackingStart) { base.scheduleTracking(start) }
}
