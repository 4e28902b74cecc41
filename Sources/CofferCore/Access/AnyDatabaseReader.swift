/// Reads a database, whatever it is.
public final class AnyDatabaseReader: DatabaseReader {
  private let base: any DatabaseReader

  /// A reader that passes everything on to another.
  public init(_ base: any DatabaseReader) { self.base = base }

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
}

extension AnyDatabaseReader: ObservableReader {
  package var observableWriter: (any DatabaseWriter)? {
    (base as? any ObservableReader)?.observableWriter
  }

  package func beginTracking(_ start: TrackingStart) { base.beginTracking(start) }

  package func scheduleTracking(_ start: TrackingStart) { base.scheduleTracking(start) }
}
