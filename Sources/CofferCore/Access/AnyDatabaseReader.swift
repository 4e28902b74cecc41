/// Reads a database, whatever it is.
public final class AnyDatabaseReader: DatabaseReader {
  private let base: any DatabaseReader

  /// A reader that passes everything on to another.
  public init(_ base: any DatabaseReader) { self.base = base }

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
}
