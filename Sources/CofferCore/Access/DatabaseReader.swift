/// A database that can be read from any thread.
///
/// ``DatabaseQueue``, ``DatabasePool`` and their snapshots conform. Don't declare further
/// conformances.
public protocol DatabaseReader: AnyObject, Sendable {
  /// The configuration with which the database was opened.
  var configuration: Configuration { get }

  /// The path of the file, or `:memory:`.
  var path: String { get }

  /// Closes the database after the accesses that are under way.
  ///
  /// Later accesses throw. Closing twice does nothing.
  func close() throws

  /// Interrupts the running statements, which fail with `SQLITE_INTERRUPT`.
  func interrupt()

  // All forms of access build on the following three methods.

  /// Executes `body` on this thread.
  func _run(_ access: _Access, _ body: (Database) throws -> Void) throws

  /// Executes `body` on another thread, until the task is cancelled.
  func _async<T: Sendable>(
    _ access: _Access, _ body: @escaping @Sendable (Database) throws -> T
  ) async throws -> T

  /// Schedules `body`, which is called once, and returns.
  func _schedule(
    _ access: _Access, _ body: @escaping @Sendable (Result<Database, any Error>) -> Void)
}

/// The permissions of an access, and the accesses for which it waits.
public enum _Access: Sendable {
  /// Sees one state of the database, and can't write.
  case read
  /// Can see different states. With a queue, it can write.
  case unsafeRead
  /// Like `unsafeRead`, and can be nested in another access of the thread.
  case reentrantRead
  /// Reads and writes outside a transaction.
  case write
  /// Like `write`, while no other access is under way.
  case barrierWrite
  /// Like `write`, and can be nested in another access of the thread.
  case reentrantWrite
}

extension DatabaseReader {
  /// Executes `body` on this thread, and returns its result.
  ///
  /// It is inlined, and what it calls isn't generic: code that is, and isn't specialized for the
  /// result, copies it by its type's metadata, from one function to the next.
  @inlinable @inline(__always)
  public func _sync<T>(_ access: _Access, _ body: (Database) throws -> T) throws -> T {
    var result: T?
    try _run(access) { result = try body($0) }
    // The body has returned, as nothing was thrown.
    return result!
  }

  /// Executes `value` on this thread.
  ///
  /// Statements that write throw.
  ///
  /// It sees one state of the database, regardless of concurrent writes: with a pool, the last
  /// commit before its first statement.
  @inlinable
  public func read<T>(_ value: (Database) throws -> T) throws -> T { try _sync(.read, value) }

  /// Executes `value` on another thread.
  ///
  /// Statements that write throw.
  /// - Throws: `CancellationError` if the task is cancelled, which interrupts the running
  ///   statement.
  public func read<T: Sendable>(
    _ value: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await _async(.read, value)
  }

  /// Schedules a read and returns.
  public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    _schedule(.read, value)
  }

  /// Executes `value`, whose statements can see different states of the database.
  ///
  /// Statements that write throw, except with a ``DatabaseQueue``, which has one connection for
  /// everything. Unlike `read`, which detects every damaged page before it ends, this can miss
  /// damage: for the last page of a long value in an encrypted database, SQLCipher returns zeros
  /// instead of an error.
  @inlinable
  public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
    try _sync(.unsafeRead, value)
  }

  /// Executes `value` on another thread.
  ///
  /// Its statements can see different states of the database.
  public func unsafeRead<T: Sendable>(
    _ value: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await _async(.unsafeRead, value)
  }

  /// Schedules a read whose statements can see different states of the database, and returns.
  public func asyncUnsafeRead(
    _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    _schedule(.unsafeRead, value)
  }

  /// Executes `value`, which can be nested in another access of this thread.
  ///
  /// With a pool, it then uses that access's connection: inside a write, it sees the uncommitted
  /// changes.
  @inlinable
  public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
    try _sync(.reentrantRead, value)
  }
}
