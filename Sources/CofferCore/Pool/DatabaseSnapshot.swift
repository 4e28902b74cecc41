import CofferVault

/// A reader of one state of a database, regardless of later writes.
public protocol DatabaseSnapshotReader: DatabaseReader {}

extension DatabaseSnapshotReader {
  /// Executes `value`, which can be nested in another access of the same thread.
  public func reentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
    try unsafeReentrantRead(value)
  }
}

/// One state of a database, on one connection whose accesses run one after the other.
///
/// ```swift
/// let snapshot = try pool.makeSnapshot()
/// try pool.write { try $0.execute(sql: "DELETE FROM player") }
/// let count = try snapshot.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM player") }
/// ```
///
/// While the snapshot exists, the write-ahead log can't restart, so it grows with each write, and
/// a change of the key fails if the snapshot needs pages in the log.
public final class DatabaseSnapshot: DatabaseSnapshotReader {
  private let access: SerializedDatabase

  /// The configuration with which the snapshot was opened.
  public var configuration: Configuration { access.configuration }

  /// The path of the file.
  public var path: String { access.path }

  /// Creates a snapshot on a connection that isn't used elsewhere.
  init(_ access: SerializedDatabase) throws {
    self.access = access
    try access.beginSnapshot()
  }

  /// Opens a file in WAL mode, and creates a snapshot of its current state.
  ///
  /// - Throws: ``DatabaseError``, for example if the file isn't in WAL mode, where a snapshot would
  ///   block all writes.
  public convenience init(path: String, configuration: Configuration = Configuration()) throws {
    try self.init(SerializedDatabase(try Database.openForSnapshot(path, configuration)))
  }

  /// Executes `body` on this thread.
  ///
  /// All accesses read the same state.
  public func _run(_ access: _Access, _ body: (Database) throws -> Void) throws {
    guard case .reentrantRead = access else {
      return try self.access.sync { try $0.snapshotRead(body) }
    }
    return try self.access.reentrantSync { try $0.snapshotRead(body) }
  }

  /// Executes `body` on another thread, until the task is cancelled.
  public func _async<T: Sendable>(
    _ access: _Access, _ body: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await self.access.async { try $0.snapshotRead(body) }
  }

  /// Schedules `body`, which is called once, and returns.
  public func _schedule(
    _ access: _Access, _ body: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    self.access.schedule { $0.snapshotRead(reporting: body) }
  }

  /// Interrupts the running statements, which fail with `SQLITE_INTERRUPT`.
  public func interrupt() { access.interrupt() }

  /// Closes the snapshot after the accesses that are under way. Closing twice does nothing.
  public func close() throws { try access.close() }
}

/// One state of a database, on several connections that read at the same time.
///
/// It differs from ``DatabaseSnapshot`` in that an access waits only if all connections are in use.
/// A connection whose transaction is ended by a statement is closed after that access. Once all are
/// closed, reads throw.
public final class DatabaseSnapshotPool: DatabaseSnapshotReader {
  private let readers: ReaderPool

  /// The configuration with which the snapshot was opened.
  public let configuration: Configuration

  /// The path of the file.
  public let path: String

  private init(_ snapshots: [SerializedDatabase]) {
    path = snapshots[0].path
    configuration = snapshots[0].configuration
    readers = ReaderPool(
      path: path, maximumCount: snapshots.count,
      queue: configuration.accessQueue(configuration.connectionName("DatabaseSnapshotPool")),
      readers: snapshots, open: nil)
  }

  /// Creates a snapshot of the last commit of a pool, or of a file in WAL mode.
  ///
  /// - Parameters:
  ///   - db: A connection outside a transaction, in a read before its first statement, or in a
  ///     pool's write that has written nothing.
  ///   - configuration: The configuration of the snapshot's connections; nil for that of `db`. All
  ///     `maximumReaderCount` connections are opened at once.
  public convenience init(_ db: Database, configuration: Configuration? = nil) throws {
    self.init(try db.openSnapshots(configuration))
  }

  /// Opens a file in WAL mode, and creates a snapshot of its current state.
  public convenience init(path: String, configuration: Configuration = Configuration()) throws {
    let database = try Database.openForSnapshot(path, configuration)
    defer { database.gate.withAccess { database.closeConnection() } }
    self.init(try database.gate.withAccess { () throws in try database.openSnapshots(nil) })
  }

  /// Executes `body` on this thread.
  ///
  /// All accesses read the same state.
  public func _run(_ access: _Access, _ body: (Database) throws -> Void) throws {
    guard case .reentrantRead = access else {
      return try readers.sync { try $0.snapshotRead(body) { drop() } }
    }
    return try readers.reentrantSync { try $0.snapshotRead(body) { drop() } }
  }

  /// Executes `body` on another thread, until the task is cancelled.
  public func _async<T: Sendable>(
    _ access: _Access, _ body: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await readers.async { [self] db in try db.snapshotRead(body) { drop() } }
  }

  /// Schedules `body`, which is called once, and returns.
  public func _schedule(
    _ access: _Access, _ body: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    readers.schedule { [self] result in
      switch result {
      // Nothing fails before `body` is called, and `body` doesn't throw.
      case .success(let db): try? db.snapshotRead({ _ in body(result) }) { drop() }
      case .failure: body(result)
      }
    }
  }

  /// Retires this thread's connection after its access: a statement has ended its transaction.
  private func drop() { readers.current?.invalidate() }

  /// Interrupts the running statements, which fail with `SQLITE_INTERRUPT`.
  public func interrupt() { readers.interrupt() }

  /// Closes the snapshot after the accesses that are under way. Closing twice does nothing.
  public func close() throws {
    guard readers.current == nil else { throw DatabaseError.reentrancy(path) }
    readers.closeWhenIdle()
  }
}

extension DatabasePool {
  /// Creates a snapshot of the current state of the database.
  ///
  /// Inside a write, call this outside a transaction. It opens a connection, which takes less than
  /// a millisecond.
  public func makeSnapshot() throws -> DatabaseSnapshot {
    if writer.isHeldByCurrentThread {
      try writer.reentrantSync { try $0.requireNoTransaction("a snapshot") }
    }
    return try DatabaseSnapshot(try writer.openReader(isSnapshot: true))
  }

  /// Creates a snapshot of the current state for several readers at the same time.
  ///
  /// Opens `maximumReaderCount` connections, after the write that is under way.
  public func makeSnapshotPool() throws -> DatabaseSnapshotPool {
    try writer.reentrantSync { try DatabaseSnapshotPool($0) }
  }
}
