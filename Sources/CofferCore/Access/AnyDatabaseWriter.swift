/// Reads and writes a database, whatever it is.
public final class AnyDatabaseWriter: DatabaseWriter {
  let base: any DatabaseWriter

  /// A writer that passes everything on to another.
  public init(_ base: any DatabaseWriter) { self.base = base }

  /// How the base was opened.
  public var configuration: Configuration { base.configuration }

  /// The path of the base.
  public var path: String { base.path }

  /// Closes the database, after the accesses that are under way; twice does nothing.
  public func close() throws { try base.close() }

  /// Makes the statements that run now fail with `SQLITE_INTERRUPT`.
  public func interrupt() { base.interrupt() }

  /// Executes `value` on this thread, in which statements that write throw.
  public func read<T>(_ value: (Database) throws -> T) throws -> T { try base.read(value) }

  /// Executes `value` on another thread, in which statements that write throw.
  public func read<T: Sendable>(
    _ value: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await base.read(value)
  }

  /// Schedules a read, and returns.
  public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    base.asyncRead(value)
  }

  /// Executes `value`, whose statements may see different states of the database.
  public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
    try base.unsafeRead(value)
  }

  /// Executes `value` on another thread, whose statements may see different states.
  public func unsafeRead<T: Sendable>(
    _ value: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await base.unsafeRead(value)
  }

  /// Schedules a read whose statements may see different states, and returns.
  public func asyncUnsafeRead(
    _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    base.asyncUnsafeRead(value)
  }

  /// Executes `value`, inside another access of this thread as well.
  public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
    try base.unsafeReentrantRead(value)
  }

  /// Executes `updates` on this thread, without a transaction around it.
  public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
    try base.writeWithoutTransaction(updates)
  }

  /// Executes `updates` on another thread, without a transaction around it.
  public func writeWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await base.writeWithoutTransaction(updates)
  }

  /// Executes `updates` on this thread, while no other access is under way.
  public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
    try base.barrierWriteWithoutTransaction(updates)
  }

  /// Executes `updates` on another thread, while no other access is under way.
  public func barrierWriteWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await base.barrierWriteWithoutTransaction(updates)
  }

  /// Schedules `updates`, and returns; nothing is called once the database is closed.
  public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
    base.asyncWriteWithoutTransaction(updates)
  }

  /// Schedules `updates` for when no other access is under way, and returns.
  public func asyncBarrierWriteWithoutTransaction(
    _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    base.asyncBarrierWriteWithoutTransaction(updates)
  }

  /// Executes `updates`, inside another access of this thread as well.
  public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) throws -> T {
    try base.unsafeReentrantWrite(updates)
  }

  /// Reads the last committed state of the database.
  public func spawnConcurrentRead(
    _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    base.spawnConcurrentRead(value)
  }

  /// Encrypts the database anew, with another key.
  public func changeKey(to key: DatabaseKey) throws { try base.changeKey(to: key) }
}

extension AnyDatabaseWriter: ObservableReader {
  package var observableWriter: (any DatabaseWriter)? {
    (base as? any ObservableReader)?.observableWriter
  }

  package func beginTracking(_ start: TrackingStart) { base.beginTracking(start) }

  package func scheduleTracking(_ start: TrackingStart) { base.scheduleTracking(start) }
}
