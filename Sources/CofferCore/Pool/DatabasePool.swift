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

  // MARK: Accesses

  /// Executes `body` on this thread.
  ///
  /// A read inside a write of the same thread sees the state before that write's transaction.
  public func _sync<T>(_ access: _Access, _ body: (Database) throws -> T) throws -> T {
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
          // Reads that writes have begun on the way here.
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

  /// Executes `updates` inside a transaction, which ends as `updates` says.
  ///
  /// - Parameter kind: Nil for an immediate one.
  public func writeInTransaction(
    _ kind: Database.TransactionKind? = nil,
    _ updates: (Database) throws -> Database.TransactionCompletion
  ) throws {
    try writer.sync { db in try db.inTransaction(kind) { try updates(db) } }
  }

  /// Schedules `updates`, and returns.
  ///
  /// They are called on a closed database as well, whose statements throw.
  public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
    writer.scheduleEvenIfClosed(updates)
  }
}
