import Dispatch

/// A database with one connection that writes, and several that read at the same time.
///
/// ```swift
/// let pool = try DatabasePool(path: "vault.db", key: .passphrase("correct horse battery staple"))
/// try pool.write { db in
///   try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Arthur"])
/// }
/// let count = try pool.read { db in
///   try Int.fetchOne(db, sql: "SELECT count(*) FROM player")
/// }
/// ```
///
/// The file is in WAL mode (<https://sqlite.org/wal.html>). Each read sees the last commit before
/// its first statement, whatever is written meanwhile, and waits for no write; it waits for
/// another read where all of `Configuration.maximumReaderCount` connections are in use. Writes
/// take turns.
///
/// The key is derived once, whatever the number of readers.
public final class DatabasePool: DatabaseWriter {
  let writer: SerializedDatabase
  let readers: ReaderPool
  /// Counts the commits; nil where there are none to count.
  let commits: CommitCount?

  /// How the database was opened.
  public var configuration: Configuration { writer.configuration }

  /// The path of the file.
  public var path: String { writer.path }

  // MARK: Opening

  /// Opens the file at `path`, which is made if there is none, and set to WAL mode.
  ///
  /// Deriving the key from a passphrase takes about 0.1 s; readers are opened when they are first
  /// needed, in less than a millisecond.
  /// - Throws: ``DatabaseError``; where the key doesn't open the file, its
  ///   ``DatabaseError/cipherDiagnosis`` tells why.
  public init(path: String, configuration: Configuration = Configuration()) throws {
    guard path != ":memory:", !path.isEmpty else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "a pool needs a file",
        hint: "Use DatabaseQueue for a database in memory.")
    }
    var configuration = configuration
    configuration.journalMode = .wal
    let database = try Database.open(
      path: path, name: configuration.connectionName("DatabasePool", "writer"),
      configuration: configuration)
    let commits = try database.gate.withAccess { () throws -> CommitCount? in
      guard !configuration.readonly else {
        return configuration.maySeeCommits ? database.startCommitLog().commits : nil
      }
      return try database.setUpPoolWriter()
    }
    let writer = SerializedDatabase(database)
    self.commits = commits
    self.writer = writer
    configuration.readonly = true
    readers = ReaderPool(
      path: path, maximumCount: configuration.maximumReaderCount,
      queue: configuration.accessQueue(configuration.connectionName("DatabasePool", "reader"))
    ) { try writer.openReader() }
    try writer.observeExternalChanges()
  }

  /// Opens the encrypted file at `path`, which is made if there is none, and set to WAL mode.
  ///
  /// Deriving the key from a passphrase takes about 0.1 s, for all connections together.
  /// - Throws: ``DatabaseError``; where the key doesn't open the file, its
  ///   ``DatabaseError/cipherDiagnosis`` tells why.
  public convenience init(
    path: String, key: DatabaseKey, configuration: Configuration = Configuration()
  ) throws {
    var configuration = configuration
    configuration.key = key
    try self.init(path: path, configuration: configuration)
  }

  // Readers go first: a connection that only reads can't tidy the log up.
  deinit { readers.invalidate() }

  // MARK: Reading

  /// Executes `value` on this thread, in which statements that write throw.
  ///
  /// It sees the last commit before its first statement. Inside a write of the same thread, that
  /// is the state before that write's transaction.
  public func read<T>(_ value: (Database) throws -> T) throws -> T {
    try readers.sync(isUrgent: writer.isHeldByCurrentThread) { try $0.isolatedRead(value) }
  }

  /// Executes `value` on another thread, in which statements that write throw.
  public func read<T: Sendable>(
    _ value: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await readers.async { try $0.isolatedRead(value) }
  }

  /// Schedules a read, and returns.
  public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    readers.schedule { $0.isolatedRead(reporting: value) }
  }

  /// Executes `value`, whose statements may see different states of the database.
  public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
    try readers.sync(isUrgent: writer.isHeldByCurrentThread) { db in
      try db.readOnly { try value(db) }
    }
  }

  /// Executes `value` on another thread, whose statements may see different states.
  public func unsafeRead<T: Sendable>(
    _ value: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await readers.async { db in try db.readOnly { try value(db) } }
  }

  /// Schedules a read whose statements may see different states, and returns.
  public func asyncUnsafeRead(
    _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    readers.schedule { $0.unsafeRead(reporting: value) }
  }

  /// Executes `value`, with the connection of the access that this thread is in, if it is in one:
  /// inside a write, it sees what the write has done so far.
  public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
    if readers.current == nil, let db = writer.current { return try db.readOnly { try value(db) } }
    return try readers.reentrantSync { db in try db.readOnly { try value(db) } }
  }

  /// Reads the last commit, which later writes don't change.
  ///
  /// Inside a write, to be called outside of a transaction:
  ///
  /// ```swift
  /// try pool.writeWithoutTransaction { db in
  ///   try db.inTransaction {
  ///     try db.execute(sql: "DELETE FROM player")
  ///     return .commit
  ///   }
  ///   pool.asyncConcurrentRead { result in … }
  /// }
  /// ```
  ///
  /// Returns once the read has begun; waits where all readers are in use.
  /// - Parameter value: Called once on another thread, with an error where there is no read.
  public func asyncConcurrentRead(
    _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    let isWriting = writer.isHeldByCurrentThread
    if isWriting, (try? writer.reentrantSync { $0.isInsideTransaction }) == true {
      return value(
        .failure(
          DatabaseError(
            resultCode: .SQLITE_MISUSE, message: "must not be called from inside a transaction.",
            hint: "Other connections don't see yet what the transaction has written.")))
    }
    let hasBegun = DispatchSemaphore(value: 0)
    readers.schedule(isUrgent: isWriting) { result in
      do {
        let db = try result.get()
        try db.isolatedRead { db in
          do { _ = try db.establishSnapshot() } catch {
            hasBegun.signal()
            return value(.failure(error))
          }
          hasBegun.signal()
          value(.success(db))
        }
      } catch {
        // Of a read that has begun, nothing but its end can fail.
        guard case .failure = result else { return }
        hasBegun.signal()
        value(.failure(error))
      }
    }
    hasBegun.wait()
  }

  /// Reads the last commit; the same as ``asyncConcurrentRead(_:)``.
  public func spawnConcurrentRead(
    _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    asyncConcurrentRead(value)
  }

  // MARK: Writing

  /// Executes `updates` on this thread, without a transaction around it.
  public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
    try writer.sync(updates)
  }

  /// Executes `updates` on another thread, without a transaction around it.
  public func writeWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await writer.async(updates)
  }

  /// Executes `updates` inside a transaction, which ends as `updates` says.
  ///
  /// - Parameter kind: Nil for an immediate one.
  public func writeInTransaction(
    _ kind: Database.TransactionKind? = nil,
    _ updates: (Database) throws -> Database.TransactionCompletion
  ) throws {
    try writer.sync { db in try db.inTransaction(kind) { try updates(db) } }
  }

  /// Executes `updates` on this thread, while no other access is under way.
  public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
    guard readers.current == nil, !writer.isHeldByCurrentThread else {
      throw DatabaseError.reentrancy(path)
    }
    let isIdle = DispatchSemaphore(value: 0)
    readers.beginBarrier { isIdle.signal() }
    isIdle.wait()
    defer { readers.endBarrier() }
    return try writer.sync { db in
      // Those that writes have begun on the way here.
      readers.waitUntilIdle()
      return try updates(db)
    }
  }

  /// Executes `updates` on another thread, while no other access is under way.
  public func barrierWriteWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    let readers = readers
    let writer = writer
    return try await CancellableAccess<T>.run { token in
      readers.beginBarrier {
        writer.schedule(token) { db in
          readers.waitUntilIdle()
          return try updates(db)
        } whenOver: {
          readers.endBarrier()
        }
      }
    }
  }

  /// Schedules `updates`, and returns; nothing is called once the database is closed.
  public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
    writer.scheduleEvenIfClosed(updates)
  }

  /// Schedules `updates` for when no other access is under way, and returns.
  public func asyncBarrierWriteWithoutTransaction(
    _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    readers.beginBarrier { [readers, writer] in
      writer.schedule { result in
        readers.waitUntilIdle()
        updates(result)
        readers.endBarrier()
      }
    }
  }

  /// Executes `updates`, inside another write of this thread as well.
  public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) throws -> T {
    try writer.reentrantSync(updates)
  }
}
