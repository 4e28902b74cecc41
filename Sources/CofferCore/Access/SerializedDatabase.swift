import Synchronization

/// A connection with one access at a time.
// SAFETY: the database is touched inside the gate alone, by one thread at a
// time; entering and leaving it orders what they do.
final class SerializedDatabase: @unchecked Sendable {
  private let database: Database
  private let gate: AccessGate
  private let interruption: Interruption
  let path: String
  private let sharedConfiguration: SharedConfiguration
  /// Whether an access may leave a transaction open; set before others know the connection.
  private var keepsTransaction: Bool
  private let invalidity = Atomic(false)
  /// The connections that were opened beside this one, by what they are for.
  private let readerCount = Atomic(0)
  private let snapshotCount = Atomic(0)
  var configuration: Configuration { sharedConfiguration.value.configuration }

  init(_ database: Database) {
    self.database = database
    gate = database.gate
    interruption = database.interruption
    path = database.path
    sharedConfiguration = database.sharedConfiguration
    keepsTransaction = database.configuration.allowsUnsafeTransactions
  }

  /// Begins a read that lasts as long as the connection, before anybody else knows it.
  ///
  /// - Returns: The version of the data that it sees.
  @discardableResult
  func beginSnapshot() throws -> String? {
    try sync { db in
      try db.beginTransaction(.deferred)
      _ = try db.establishSnapshot()
      db.snapshotVersion = try db.dataVersion()
      keepsTransaction = true
      return db.snapshotVersion
    }
  }

  /// Ends that read, for it to begin anew.
  func endSnapshot() throws {
    keepsTransaction = false
    try sync { try $0.rollback() }
  }

  // MARK: Accesses

  /// The connection, inside an access of this thread to it; nil otherwise.
  var current: Database? { gate.isHeldByCurrentThread ? database : nil }

  /// Executes `body` alone, on this thread.
  func sync<T>(_ body: (Database) throws -> T) throws -> T {
    guard !gate.isHeldByCurrentThread else { throw DatabaseError.reentrancy(path) }
    return try gate.withAccess { () throws -> T in try access(body) }
  }

  /// Executes `body`, inside another access of this thread as well.
  func reentrantSync<T>(_ body: (Database) throws -> T) throws -> T {
    guard !gate.isHeldByCurrentThread else { return try body(database) }
    return try gate.withAccess { () throws -> T in try access(body) }
  }

  /// Schedules `body`, which is called once, and returns.
  func schedule(_ body: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    gate.schedule { [self] in
      guard database.sqliteConnection != nil else {
        return body(.failure(DatabaseError.connectionIsClosed))
      }
      scheduledAccess { body(.success($0)) }
    }
  }

  /// Schedules `body`, and returns. It is called on a closed connection as
  /// well, whose statements throw.
  func scheduleEvenIfClosed(_ body: @escaping @Sendable (Database) -> Void) {
    gate.schedule { [self] in
      guard database.sqliteConnection != nil else { return body(database) }
      scheduledAccess(body)
    }
  }

  private func scheduledAccess(_ body: (Database) -> Void) {
    // What `body` has left open is rolled back; there is nobody to tell of it
    // but the log.
    do { try access(body) } catch {
      let error = error as? DatabaseError
      Database.logError?(error?.extendedResultCode ?? .SQLITE_MISUSE, error?.message ?? "")
    }
  }

  /// Executes `body` alone, on another thread, until the task is cancelled.
  func async<T: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await CancellableAccess<T>.run { token in self.schedule(token, body) }
  }

  /// Executes `body` alone, on another thread, for a request that waits.
  ///
  /// - Parameter whenOver: Called on that thread, before the request gets its result.
  func schedule<T: Sendable>(
    _ token: CancellableAccess<T>, _ body: @escaping @Sendable (Database) throws -> T,
    whenOver: @escaping @Sendable () -> Void = {}
  ) {
    gate.schedule { [self] in
      token.begin(interruption) { [self] in
        try access { try $0.revocably(body) }
      } whenOver: {
        whenOver()
      }
    }
  }

  private func access<T>(_ body: (Database) throws -> T) throws -> T {
    _ = try database.openConnection()
    database.registry.settleDebts()
    let result: T
    do {
      result = try body(database)
    } catch {
      try? end()
      throw error
    }
    try end()
    return result
  }

  /// No access leaves a statement under way to the next one, nor a
  /// transaction, unless it may.
  private func end() throws {
    if database.activeStatementCount > 0 { database.registry.endExecutions() }
    if database.accessState.contains(.logged) {
      database.settleCommitLog()
      database.checkpointer?.restartIfNeeded(database)
    }
    guard let connection = database.sqliteConnection,
      !SQLite.isAutocommit(connection), !keepsTransaction
    else { return }
    database.rollbackAfterError()
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: "A transaction has been left opened at the end of a database access",
      hint: "It was rolled back. Use `write` or `inTransaction`, or set "
        + "`Configuration.allowsUnsafeTransactions`.")
  }

  // MARK: From any thread

  /// Opens a connection that reads the same file, with the key that it has now.
  ///
  /// - Parameter isSnapshot: Whether it is to keep the state of now, which its name tells.
  func openReader(isSnapshot: Bool = false) throws -> SerializedDatabase {
    let shared = sharedConfiguration.value
    var configuration = shared.configuration
    configuration.readonly = true
    configuration.journalMode = .default
    configuration.allowsUnsafeTransactions = false
    let number =
      isSnapshot
      ? snapshotCount.add(1, ordering: .relaxed).newValue
      : readerCount.add(1, ordering: .relaxed).newValue
    let name = configuration.connectionName(
      "DatabasePool", "\(isSnapshot ? "snapshot" : "reader").\(number)")
    return SerializedDatabase(
      try Database.open(
        path: path, name: name, configuration: configuration, knownKey: shared.knownKey))
  }

  /// Whether the current thread is inside an access.
  var isHeldByCurrentThread: Bool { gate.isHeldByCurrentThread }

  /// Whether the connection is to be closed when its access is over.
  var isInvalid: Bool { invalidity.load(ordering: .relaxed) }

  func invalidate() { invalidity.store(true, ordering: .relaxed) }

  /// Closes the connection, which nobody else uses any more, unless it is this access.
  func closeAfterUse() {
    guard !gate.isHeldByCurrentThread else { return database.closeConnection() }
    gate.withAccess { database.closeConnection() }
  }

  func interrupt() { interruption.interrupt() }

  func close() throws {
    guard !gate.isHeldByCurrentThread else { throw DatabaseError.reentrancy(path) }
    gate.withAccess {
      database.externalChanges?.stop()
      database.closeConnection()
    }
  }
}

extension DatabaseError {
  /// The error of an access inside another one of the same thread.
  static func reentrancy(_ path: String) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_MISUSE, message: "Database methods are not reentrant.",
      hint: "The current thread is already inside an access to this database: use the `db` "
        + "that it was given, and pass it to the functions that it calls.")
  }
}
