/// Reads a database, from any thread.
///
/// ``DatabaseQueue``, ``DatabasePool`` and their snapshots conform; don't declare further
/// conformances.
public protocol DatabaseReader: AnyObject, Sendable {
  /// How the database was opened.
  var configuration: Configuration { get }

  /// The path of the file, or `:memory:`.
  var path: String { get }

  /// Closes the database, after the accesses that are under way.
  ///
  /// Later accesses throw. Closing twice does nothing.
  func close() throws

  /// Makes the statements that run now fail with `SQLITE_INTERRUPT`.
  func interrupt()

  // The forms of access are written once, over these.

  /// Executes `body` on this thread.
  func _sync<T>(_ access: _Access, _ body: (Database) throws -> T) throws -> T

  /// Executes `body` on another thread, until the task is cancelled.
  func _async<T: Sendable>(
    _ access: _Access, _ body: @escaping @Sendable (Database) throws -> T
  ) async throws -> T

  /// Schedules `body`, which is called once, and returns.
  func _schedule(
    _ access: _Access, _ body: @escaping @Sendable (Result<Database, any Error>) -> Void)
}

/// What an access may do, and what it waits for.
public enum _Access: Sendable {
  /// Sees one state of the database, and writes nothing.
  case read
  /// May see different states. Of a queue, it may write.
  case unsafeRead
  /// The same, inside another access of the thread as well.
  case reentrantRead
  /// Reads and writes, outside of a transaction.
  case write
  /// The same, while no other access is under way.
  case barrierWrite
  /// The same as `write`, inside another access of the thread as well.
  case reentrantWrite
}

extension DatabaseReader {
  /// Executes `value` on this thread, in which statements that write throw.
  ///
  /// It sees one state of the database, whatever is written meanwhile: of a pool, the last commit
  /// before its first statement.
  public func read<T>(_ value: (Database) throws -> T) throws -> T { try _sync(.read, value) }

  /// Executes `value` on another thread, in which statements that write throw.
  ///
  /// - Throws: `CancellationError` where the task is cancelled: the statement that runs then is
  ///   interrupted.
  public func read<T: Sendable>(
    _ value: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await _async(.read, value)
  }

  /// Schedules a read, and returns.
  public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    _schedule(.read, value)
  }

  /// Executes `value`, whose statements may see different states of the database.
  ///
  /// Statements that write throw, except with a ``DatabaseQueue``, which has one connection for
  /// everything. `read` notices every damaged page at its end. Here, where the last page of a long
  /// value in an encrypted database is damaged, SQLCipher gives zeros for it and no error.
  public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
    try _sync(.unsafeRead, value)
  }

  /// Executes `value` on another thread; its statements may see different states of the database.
  public func unsafeRead<T: Sendable>(
    _ value: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await _async(.unsafeRead, value)
  }

  /// Schedules a read whose statements may see different states of the database, and returns.
  public func asyncUnsafeRead(
    _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    _schedule(.unsafeRead, value)
  }

  /// Executes `value`, inside another access of this thread as well.
  ///
  /// Of a pool, it has the connection of that access: inside a write, it sees what the write has
  /// done so far.
  public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
    try _sync(.reentrantRead, value)
  }
}
