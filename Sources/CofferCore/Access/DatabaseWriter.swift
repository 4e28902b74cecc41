import CofferVault

/// A database that can be read and written from any thread.
public protocol DatabaseWriter: DatabaseReader {
  /// Schedules `updates` and returns.
  ///
  /// On a closed database `updates` are still called, and their statements throw.
  func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void)

  /// Reads the last committed state of the database, regardless of later writes.
  ///
  /// Call this inside a write and outside a transaction. A queue, which has one connection, reads
  /// before this method returns.
  func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

  /// Re-encrypts the database; see ``DatabaseQueue/changeKey(to:)``.
  func changeKey(to key: DatabaseKey) throws
}

extension DatabaseWriter {
  // MARK: Without a transaction

  /// Executes `updates` on this thread, without a transaction around it.
  @inlinable
  public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
    try _sync(.write, updates)
  }

  /// Executes `updates` on another thread, without a transaction around it.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, which interrupts the running
  ///   statement.
  public func writeWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await _async(.write, updates)
  }

  /// Executes `updates` on this thread, while no other access is under way.
  @inlinable
  public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
    try _sync(.barrierWrite, updates)
  }

  /// Executes `updates` on another thread, while no other access is under way.
  public func barrierWriteWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await _async(.barrierWrite, updates)
  }

  /// Schedules `updates` to run while no other access is under way, and returns.
  public func asyncBarrierWriteWithoutTransaction(
    _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    _schedule(.barrierWrite, updates)
  }

  /// Executes `updates`, which can be nested in another write of this thread.
  @inlinable
  public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) throws -> T {
    try _sync(.reentrantWrite, updates)
  }

  // MARK: In a transaction

  /// Executes `updates` inside a transaction.
  ///
  /// The transaction is committed if `updates` returns, and rolled back if it throws.
  ///
  /// ```swift
  /// try queue.write { db in
  ///   try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Arthur"])
  /// }
  /// ```
  @inlinable
  public func write<T>(_ updates: (Database) throws -> T) throws -> T {
    try _sync(.write) { try $0.committing(updates) }
  }

  /// Executes `updates` on another thread, inside a transaction.
  ///
  /// The transaction is committed if `updates` returns, and rolled back if it throws.
  /// - Throws: `CancellationError`, after a rollback, if the task is cancelled before the commit.
  public func write<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await writeWithoutTransaction { try $0.committing(updates) }
  }

  /// Schedules `updates` inside a transaction, and returns.
  ///
  /// - Parameter completion: Called with the result after the transaction.
  public func asyncWrite<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T,
    completion: @escaping @Sendable (Database, Result<T, any Error>) -> Void
  ) {
    asyncWriteWithoutTransaction { db in
      completion(db, Result { try db.committing(updates) })
    }
  }

  /// Rebuilds the file without its free pages: <https://sqlite.org/lang_vacuum.html>.
  ///
  /// The rebuilt database is held in memory, never in a plaintext file.
  public func vacuum() throws {
    try writeWithoutTransaction { try $0.vacuum() }
  }

  /// Rebuilds the file without its free pages, on another thread.
  public func vacuum() async throws {
    try await writeWithoutTransaction { try $0.vacuum() }
  }
}
