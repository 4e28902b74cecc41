import CofferVault
import Dispatch

/// A database with one writing connection, and several that read at the same time.
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
/// its first statement, regardless of concurrent writes. Reads don't wait for writes, but wait for
/// other reads if all `Configuration.maximumReaderCount` connections are in use. Writes run one
/// after the other.
///
/// The key is derived once, regardless of the number of readers.
public final class DatabasePool: DatabaseWriter {
  let writer: SerializedDatabase
  let readers: ReaderPool
  /// Counts the commits; nil if commits can't be observed.
  let commits: CommitCount?

  /// The configuration with which the database was opened.
  public var configuration: Configuration { writer.configuration }

  /// The path of the file.
  public var path: String { writer.path }

  // MARK: Opening

  /// Opens the file at `path`, creates it if it doesn't exist, and sets WAL mode.
  ///
  /// Deriving the key from a passphrase takes about 0.1 s. Each reader is opened when it is first
  /// needed, in less than a millisecond.
  /// - Throws: ``DatabaseError``. If the key doesn't open the file, its
  ///   ``DatabaseError/cipherDiagnosis`` has the reason.
  public init(path: String, configuration: Configuration = Configuration()) throws {
    guard path != ":memory:", !path.isEmpty else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "a pool needs a file",
        hint: "Use DatabaseQueue for a database in memory.")
    }
    var configuration = configuration
    configuration.journalMode = .wal
    let database = try Opening(
      path: path, name: configuration.connectionName("DatabasePool", "writer"),
      configuration: configuration
    ).finish()
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
      path: database.path, maximumCount: configuration.maximumReaderCount,
      queue: configuration.accessQueue(configuration.connectionName("DatabasePool", "reader"))
    ) { try writer.openReader() }
    try writer.observeExternalChanges()
  }

  /// Opens the encrypted file at `path`, creates it if it doesn't exist, and sets WAL mode.
  ///
  /// Deriving the key from a passphrase takes about 0.1 s, once for all connections.
  /// - Throws: ``DatabaseError``. If the key doesn't open the file, its
  ///   ``DatabaseError/cipherDiagnosis`` has the reason.
  public convenience init(
    path: String, key: DatabaseKey, configuration: Configuration = Configuration()
  ) throws {
    var configuration = configuration
    configuration.key = key
    try self.init(path: path, configuration: configuration)
  }

  // Closes the readers first: a connection that only reads can't clean up the log.
  deinit { readers.invalidate() }

  // MARK: Accesses

  /// Executes `body` on this thread.
  ///
  /// A read nested in a write of the same thread sees the state before the write's transaction.
  public func _run(_ access: _Access, _ body: (Database) throws -> Void) throws {
    switch access {
    case .read:
      return try readers.sync(isUrgent: writer.isHeldByCurrentThread) { try $0.isolatedRead(body) }
    case .unsafeRead:
      return try readers.sync(isUrgent: writer.isHeldByCurrentThread) { db in
        try db.readOnly { try body(db) }
      }
    case .reentrantRead:
      if readers.current == nil, let db = writer.current { return try db.readOnly { try body(db) } }
      return try readers.reentrantSync { db in try db.readOnly { try body(db) } }
    case .write: return try writer.sync(body)
    case .barrierWrite:
      return try barrier {
        try writer.sync { db in
          // Waits for reads that earlier writes have begun meanwhile.
          readers.waitUntilIdle()
          return try body(db)
        }
      }
    case .reentrantWrite: return try writer.reentrantSync(body)
    }
  }

  /// Executes `body` on another thread, until the task is cancelled.
  public func _async<T: Sendable>(
    _ access: _Access, _ body: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    switch access {
    case .read: return try await readers.async { try $0.isolatedRead(body) }
    case .unsafeRead, .reentrantRead:
      return try await readers.async { db in try db.readOnly { try body(db) } }
    case .write, .reentrantWrite: return try await writer.async(body)
    case .barrierWrite:
      let (readers, writer) = (readers, writer)
      return try await CancellableAccess<T>.run { token in
        readers.beginBarrier {
          writer.schedule(token) { db in
            readers.waitUntilIdle()
            return try body(db)
          } whenOver: {
            readers.endBarrier()
          }
        }
      }
    }
  }

  /// Schedules `body`, which is called once, and returns.
  public func _schedule(
    _ access: _Access, _ body: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    switch access {
    case .read: readers.schedule { $0.isolatedRead(reporting: body) }
    case .unsafeRead, .reentrantRead: readers.schedule { $0.unsafeRead(reporting: body) }
    case .write, .reentrantWrite: writer.schedule(body)
    case .barrierWrite:
      readers.beginBarrier { [readers, writer] in
        writer.schedule { result in
          readers.waitUntilIdle()
          body(result)
          readers.endBarrier()
        }
      }
    }
  }

  /// Reads the last commit, regardless of later writes.
  ///
  /// Inside a write, call this outside a transaction:
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
  /// Returns once the read has begun; waits if all readers are in use.
  /// - Parameter value: Called once on another thread, with an error if the read can't begin.
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
          do { try db.establishSnapshot() } catch {
            hasBegun.signal()
            return value(.failure(error))
          }
          hasBegun.signal()
          value(.success(db))
        }
      } catch {
        // Once a read has begun, only its end can fail.
        guard case .failure = result else { return }
        hasBegun.signal()
        value(.failure(error))
      }
    }
    hasBegun.wait()
  }

  /// Reads the last commit, like ``asyncConcurrentRead(_:)``.
  public func spawnConcurrentRead(
    _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    asyncConcurrentRead(value)
  }

  // MARK: Writing

  /// Executes `updates` inside a transaction, and ends it according to the result of `updates`.
  ///
  /// - Parameter kind: The kind of transaction; nil for an immediate one.
  public func writeInTransaction(
    _ kind: Database.TransactionKind? = nil,
    _ updates: (Database) throws -> Database.TransactionCompletion
  ) throws {
    try writer.sync { db in try db.inTransaction(kind) { try updates(db) } }
  }

  /// Schedules `updates` and returns.
  ///
  /// On a closed database `updates` are still called, and their statements throw.
  public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
    writer.scheduleEvenIfClosed(updates)
  }
}
