import CofferVault
import Foundation

/// A database with one connection, whose accesses run one after the other.
///
/// ```swift
/// let queue = try DatabaseQueue(path: "vault.db", key: .passphrase("correct horse battery staple"))
/// try queue.write { db in
///   try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Arthur"])
/// }
/// let count = try queue.read { db in
///   try Int.fetchOne(db, sql: "SELECT count(*) FROM player")
/// }
/// ```
///
/// Accesses run in the order of their requests, synchronous ones on the caller's thread. An access
/// nested in another one throws instead of deadlocking.
public final class DatabaseQueue: DatabaseWriter {
  let access: SerializedDatabase

  /// The configuration with which the database was opened.
  public var configuration: Configuration { access.configuration }

  /// The path of the file, or `:memory:`.
  public var path: String { access.path }

  // MARK: Opening

  /// Opens the file at `path`, and creates it if it doesn't exist.
  ///
  /// Deriving the key from a passphrase takes about 0.1 s.
  /// - Throws: ``DatabaseError``. If the key doesn't open the file, its
  ///   ``DatabaseError/cipherDiagnosis`` has the reason.
  public init(path: String, configuration: Configuration = Configuration()) throws {
    access = SerializedDatabase(
      try Opening(
        path: path, name: configuration.connectionName("DatabaseQueue"),
        configuration: configuration
      ).finish())
    try access.observeExternalChanges()
  }

  /// Opens the encrypted file at `path`, and creates it if it doesn't exist.
  ///
  /// Deriving the key from a passphrase takes about 0.1 s.
  /// - Throws: ``DatabaseError``. If the key doesn't open the file, its
  ///   ``DatabaseError/cipherDiagnosis`` has the reason.
  public convenience init(
    path: String, key: DatabaseKey, configuration: Configuration = Configuration()
  ) throws {
    var configuration = configuration
    configuration.key = key
    try self.init(path: path, configuration: configuration)
  }

  /// Opens an in-memory database that lives as long as the queue.
  ///
  /// - Parameter name: Queues of one process with the same name share a database; nil for a private
  ///   one.
  public init(named name: String? = nil, configuration: Configuration = Configuration()) throws {
    access = SerializedDatabase(
      try Opening(
        inMemoryNamed: name, name: configuration.connectionName("DatabaseQueue"),
        configuration: configuration
      ).finish())
  }

  // MARK: Accesses

  /// Executes `body` on this thread.
  public func _run(_ access: _Access, _ body: (Database) throws -> Void) throws {
    switch access {
    case .read: try self.access.sync { try $0.isolatedRead(body) }
    case .unsafeRead, .write, .barrierWrite: try self.access.sync(body)
    case .reentrantRead, .reentrantWrite: try self.access.reentrantSync(body)
    }
  }

  /// Executes `body` on another thread, until the task is cancelled.
  public func _async<T: Sendable>(
    _ access: _Access, _ body: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    guard case .read = access else { return try await self.access.async(body) }
    return try await self.access.async { try $0.isolatedRead(body) }
  }

  /// Schedules `body`, which is called once, and returns.
  public func _schedule(
    _ access: _Access, _ body: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    guard case .read = access else { return self.access.schedule(body) }
    self.access.schedule { $0.isolatedRead(reporting: body) }
  }

  /// Executes `updates` without a transaction around it.
  ///
  /// ```swift
  /// try queue.inDatabase { db in
  ///   try db.execute(sql: "PRAGMA wal_autocheckpoint = 500")
  /// }
  /// ```
  public func inDatabase<T>(_ updates: (Database) throws -> T) throws -> T {
    try access.sync(updates)
  }

  /// Executes `updates` inside a transaction, and ends it according to the result of `updates`.
  ///
  /// - Parameter kind: The kind of transaction; nil for an immediate one.
  public func inTransaction(
    _ kind: Database.TransactionKind? = nil,
    _ updates: (Database) throws -> Database.TransactionCompletion
  ) throws {
    try access.sync { db in try db.inTransaction(kind) { try updates(db) } }
  }

  /// Schedules `updates` and returns.
  ///
  /// On a closed database `updates` are still called, and their statements throw.
  public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
    access.scheduleEvenIfClosed(updates)
  }

  /// Reads the last committed state before it returns, since a queue has only one connection.
  public func spawnConcurrentRead(
    _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    do {
      try access.reentrantSync { db in
        guard !db.isInsideTransaction else {
          throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "must not be called from inside a transaction.")
        }
        db.isolatedRead(reporting: value)
      }
    } catch { value(.failure(error)) }
  }

  // MARK: The connection

  /// Interrupts the running statements, which fail with `SQLITE_INTERRUPT`.
  public func interrupt() { access.interrupt() }

  /// Closes the database after the accesses that are under way. Closing twice does nothing.
  public func close() throws { try access.close() }

  /// Releases memory that the connection doesn't need, such as cached pages, and returns it to the
  /// system.
  ///
  /// Call this under memory pressure. Waits for an access that is under way, and takes a few
  /// milliseconds. Later accesses read and decrypt their pages again.
  public func releaseMemory() {
    try? access.reentrantSync { $0.releaseMemory() }
    SQLite.returnFreeMemory()
  }
}

extension DatabaseQueue: ObservableReader {
  package var currentDatabase: Database? { access.current }

  package var observableWriter: (any DatabaseWriter)? { configuration.maySeeCommits ? self : nil }

  package func beginTracking(_ start: TrackingStart) {
    do { try access.reentrantSync { start.run(in: $0) } } catch { _ = start.fetch(.failure(error)) }
  }

  package func scheduleTracking(_ start: TrackingStart) {
    access.schedule { result in
      switch result {
      case .success(let db): start.run(in: db)
      case .failure: _ = start.fetch(result)
      }
    }
  }
}
