/// Reads and writes a database, from any thread.
public protocol DatabaseWriter: DatabaseReader {
  /// Schedules `updates`, and returns.
  ///
  /// They are called on a closed database as well, whose statements throw.
  func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void)

  /// Reads the last committed state of the database, which later writes don't change.
  ///
  /// To be called inside a write, outside of a transaction. A queue, which has one connection, reads
  /// before this returns.
  func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

  /// Encrypts the database anew; see ``DatabaseQueue/changeKey(to:)``.
  func changeKey(to key: DatabaseKey) throws
}

extension DatabaseWriter {
  // MARK: Without a transaction

  /// Executes `updates` on this thread, without a transaction around it.
  public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
    try _sync(.write, updates)
  }

  /// Executes `updates` on another thread, without a transaction around it.
  ///
  /// - Throws: `CancellationError` where the task is cancelled: the statement that runs then is
  ///   interrupted.
  public func writeWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await _async(.write, updates)
  }

  /// Executes `updates` on this thread, while no other access is under way.
  public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
    try _sync(.barrierWrite, updates)
  }

  /// Executes `updates` on another thread, while no other access is under way.
  public func barrierWriteWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await _async(.barrierWrite, updates)
  }

  /// Schedules `updates` for when no other access is under way, and returns.
  public func asyncBarrierWriteWithoutTransaction(
    _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    _schedule(.barrierWrite, updates)
  }

  /// Executes `updates`, inside another write of this thread as well.
  public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) throws -> T {
    try _sync(.reentrantWrite, updates)
  }

  // MARK: In a transaction

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
