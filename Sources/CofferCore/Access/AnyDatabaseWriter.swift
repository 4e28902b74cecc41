/// Reads and writes a database, whatever it is.
public final class AnyDatabaseWriter: DatabaseWriter {
  private let base: any DatabaseWriter

  /// A writer that passes everything on to another.
  public init(_ base: any DatabaseWriter) { self.base = base }

  /// How the base was opened.
  public var configuration: Configuration { base.configuration }

  /// The path of the base.
  public var path: String { base.path }

  public func close() throws { try base.close() }

  public func interrupt() { base.interrupt() }

  public func read<T>(_ value: (Database) throws -> T) throws -> T { try base.read(value) }

  public func read<T: Sendable>(
    _ value: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await base.read(value)
  }

  public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    base.asyncRead(value)
  }

  public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
    try base.unsafeRead(value)
  }

  public func unsafeRead<T: Sendable>(
    _ value: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await base.unsafeRead(value)
  }

  public func asyncUnsafeRead(
    _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    base.asyncUnsafeRead(value)
  }

  public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
    try base.unsafeReentrantRead(value)
  }

  public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
    try base.writeWithoutTransaction(updates)
  }

  public func writeWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await base.writeWithoutTransaction(updates)
  }

  public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
    try base.barrierWriteWithoutTransaction(updates)
  }

  public func barrierWriteWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await base.barrierWriteWithoutTransaction(updates)
  }

  public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
    base.asyncWriteWithoutTransaction(updates)
  }

  public func asyncBarrierWriteWithoutTransaction(
    _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    base.asyncBarrierWriteWithoutTransaction(updates)
  }

  public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) throws -> T {
    try base.unsafeReentrantWrite(updates)
  }

  public func spawnConcurrentRead(
    _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    base.spawnConcurrentRead(value)
  }

  public func changeKey(to key: DatabaseKey) throws { try base.changeKey(to: key) }
}
