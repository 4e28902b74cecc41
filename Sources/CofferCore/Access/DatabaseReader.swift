/// Reads a database, from any thread.
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

  /// Executes `value`, in which statements that write throw; it sees one state
  /// of the database, whatever others write meanwhile.
  func read<T>(_ value: (Database) throws -> T) throws -> T

  /// Executes `value` on another thread, in which statements that write throw.
  ///
  /// - Throws: `CancellationError` where the task is cancelled: the statement
  ///   that runs then is interrupted.
  func read<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T

  /// Schedules a read, and returns.
  func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

  /// Executes `value`, whose statements may see different states of the database.
  ///
  /// Statements that write throw, but with a ``DatabaseQueue``, which has one connection for all.
  /// `read` notices every damaged page at its end. Here, where the last page of a
  /// long value in an encrypted database is damaged, SQLCipher gives zeros for it
  /// and no error.
  func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T

  /// Executes `value` on another thread; its statements may see different
  /// states of the database.
  func unsafeRead<T: Sendable>(
    _ value: @escaping @Sendable (Database) throws -> T
  ) async throws -> T

  /// Schedules a read whose statements may see different states of the
  /// database, and returns.
  func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

  /// Executes `value`, inside another access of the same thread as well.
  func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T
}

/// Reads and writes a database, from any thread.
public protocol DatabaseWriter: DatabaseReader {
  /// Executes `updates` without a transaction around it.
  func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T

  /// Executes `updates` on another thread, without a transaction around it.
  ///
  /// - Throws: `CancellationError` where the task is cancelled: the statement
  ///   that runs then is interrupted.
  func writeWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T

  /// Executes `updates` while no other access is under way.
  func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T

  /// Executes `updates` on another thread, while no other access is under way.
  func barrierWriteWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T

  /// Schedules `updates`, and returns.
  func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void)

  /// Schedules `updates` for when no other access is under way, and returns.
  func asyncBarrierWriteWithoutTransaction(
    _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void)

  /// Executes `updates`, inside another access of the same thread as well.
  func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) throws -> T

  /// Reads the last committed state of the database, which later writes don't
  /// change; to be called inside a write, outside of a transaction.
  func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

  /// Encrypts the database anew; see ``DatabaseQueue/changeKey(to:)``.
  func changeKey(to key: DatabaseKey) throws
}

extension DatabaseWriter {
  /// Executes `updates` inside a transaction, which is committed if `updates`
  /// returns, and rolled back if it throws.
  ///
  /// ```swift
  /// try queue.write { db in
  ///   try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Arthur"])
  /// }
  /// ```
  public func write<T>(_ updates: (Database) throws -> T) throws -> T {
    try writeWithoutTransaction { db in
      try db.withTransaction(nil) { (try updates(db), .commit) }
    }
  }

  /// Executes `updates` on another thread, inside a transaction, which is
  /// committed if `updates` returns, and rolled back if it throws.
  ///
  /// - Throws: `CancellationError`, after a rollback, where the task is
  ///   cancelled before the commit.
  public func write<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await writeWithoutTransaction { db in
      try db.withTransaction(nil) { (try updates(db), .commit) }
    }
  }

  /// Schedules `updates` inside a transaction, and returns.
  ///
  /// - Parameter completion: Called with the result when the transaction is over.
  public func asyncWrite<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T,
    completion: @escaping @Sendable (Database, Result<T, any Error>) -> Void
  ) {
    asyncWriteWithoutTransaction { db in
      completion(db, Result { try db.withTransaction(nil) { (try updates(db), .commit) } })
    }
  }

  /// Rebuilds the file without its free pages: <https://sqlite.org/lang_vacuum.html>.
  ///
  /// The rebuilt database is made in memory, never in a plaintext file.
  public func vacuum() throws {
    try writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
  }

  /// Rebuilds the file without its free pages, on another thread.
  public func vacuum() async throws {
    try await writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
  }
}
