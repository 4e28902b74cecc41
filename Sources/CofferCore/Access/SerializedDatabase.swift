import CofferVault
import Synchronization

/// A connection that runs one access at a time.
// SAFETY: the database is used only inside the gate, by one thread at a time, and entering and
// leaving the gate orders the accesses of different threads.
final class SerializedDatabase: @unchecked Sendable {
  private let database: Database
  private let gate: AccessGate
  private let interruption: Interruption
  private let cacheBudget: CacheBudget
  let path: String
  private let sharedConfiguration: SharedConfiguration
  /// Whether an access can leave a transaction open; set while the connection isn't shared, or lent
  /// to one user.
  private var keepsTransaction: Bool
  private let invalidity = Atomic(false)
  /// The number of readers opened from this connection, for their names.
  private let readerCount = Atomic(0)
  private let snapshotCount = Atomic(0)
  var configuration: Configuration { sharedConfiguration.value.configuration }

  init(_ database: Database) {
    self.database = database
    gate = database.gate
    interruption = database.interruption
    // A reader is opened while the connection is in use, which changes what is beside the budget.
    cacheBudget = database.cache.budget
    path = database.path
    sharedConfiguration = database.sharedConfiguration
    keepsTransaction = database.configuration.allowsUnsafeTransactions
  }

  /// Begins a read that lasts until ``endSnapshot()``, or as long as the connection. Call this
  /// before sharing the connection, or while it is lent.
  ///
  /// - Returns: The version of the data that the read sees.
  @discardableResult
  func beginSnapshot() throws -> String? {
    try sync { db in
      try db.beginTransaction(.deferred)
      try db.establishSnapshot()
      db.snapshotVersion = try db.dataVersion()
      keepsTransaction = true
      return db.snapshotVersion
    }
  }

  /// Ends the snapshot's read, so that it can begin again.
  func endSnapshot() throws {
    keepsTransaction = false
    try sync { try $0.rollback() }
  }

  /// Schedules `body`, which is called once while the connection is open, and returns. Then the
  /// snapshot's read ends.
  ///
  /// - Parameter whenOver: Called once after that.
  func scheduleUntilSnapshotEnds(
    _ body: @escaping @Sendable (Database) -> Void, whenOver: @escaping @Sendable () -> Void
  ) {
    gate.schedule { [self] in
      if unsafe database.sqliteConnection != nil {
        scheduledAccess { db in
          body(db)
          keepsTransaction = false
          db.rollbackAfterError()
        }
      }
      whenOver()
    }
  }

  // MARK: Accesses

  /// The connection, if this thread is inside an access to it; nil otherwise.
  var current: Database? { gate.isHeldByCurrentThread ? database : nil }

  /// Executes `body` on this thread, with no other access under way.
  func sync<T>(_ body: (Database) throws -> T) throws -> T {
    guard !gate.isHeldByCurrentThread else { throw DatabaseError.reentrancy(path) }
    return try gate.withAccess { () throws -> T in try access(body) }
  }

  /// Executes `body`, which can be nested in another access of this thread.
  func reentrantSync<T>(_ body: (Database) throws -> T) throws -> T {
    guard !gate.isHeldByCurrentThread else { return try body(database) }
    return try gate.withAccess { () throws -> T in try access(body) }
  }

  /// Schedules `body`, which is called once, and returns.
  func schedule(_ body: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    gate.schedule { [self] in
      do {
        try database.recoverFromRefusedPages()
        _ = try database.openConnection()
      } catch { return body(.failure(error)) }
      scheduledAccess { body(.success($0)) }
    }
  }

  /// Schedules `body` and returns. On a closed connection `body` is still called, and its
  /// statements throw.
  func scheduleEvenIfClosed(_ body: @escaping @Sendable (Database) -> Void) {
    gate.schedule { [self] in
      guard unsafe database.sqliteConnection != nil else { return body(database) }
      scheduledAccess(body)
    }
  }

  private func scheduledAccess(_ body: (Database) -> Void) {
    // A transaction that `body` left open is rolled back, which can only be reported to the log.
    do { try access(body) } catch {
      let error = error as? DatabaseError
      ErrorLog.write(error?.extendedResultCode ?? .SQLITE_MISUSE, error?.message ?? "")
    }
  }

  /// Executes `body` alone, on another thread, until the task is cancelled.
  func async<T: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await CancellableAccess<T>.run { token in self.schedule(token, body) }
  }

  /// Executes `body` alone, on another thread, for a waiting request.
  ///
  /// - Parameter whenOver: Called on that thread before the request gets its result.
  func schedule<T: Sendable>(
    _ token: CancellableAccess<T>, _ body: @escaping @Sendable (Database) throws -> T,
    whenOver: @escaping @Sendable () -> Void = {}
  ) {
    gate.schedule { [self] in
      token.begin(interruption) { [self] in
        try access(body)
      } whenOver: {
        whenOver()
      }
    }
  }

  private func access<T>(_ body: (Database) throws -> T) throws -> T {
    if database.keying.refusal != nil { try database.recoverFromRefusedPages() }
    let connection = try database.openConnection()
    if !SQLite.isAutocommit(connection), !keepsTransaction { try database.endLeftTransaction() }
    database.hasFailedRollback = false
    database.registry.settleDebts()
    database.adaptCacheSize()
    let result: T
    do {
      result = try body(database)
    } catch {
      database.noteRefusedPages(error)
      try? end()
      database.closeAfterChangedKey()
      throw error
    }
    try end()
    database.closeAfterChangedKey()
    return result
  }

  /// Ends statements that the access left running.
  ///
  /// - Throws: ``DatabaseError``, after a rollback, if the access left a transaction open without
  ///   permission.
  private func end() throws {
    if database.activeStatementCount > 0 { database.registry.endExecutions() }
    if !database.boundStatements.isEmpty { database.clearBoundStatements() }
    if database.accessState.contains(.logged) {
      database.settleCommitLog()
      database.checkpointer?.restartIfNeeded(database)
    }
    guard let connection = database.sqliteConnection,
      !SQLite.isAutocommit(connection), !keepsTransaction
    else { return }
    // Its error is known, or was an observation's, after a commit that must not throw.
    let hasFailedRollback = database.hasFailedRollback
    database.rollbackAfterError()
    if hasFailedRollback { return }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: "A transaction has been left opened at the end of a database access",
      hint: "It was rolled back. Use `write` or `inTransaction`, or set "
        + "`Configuration.allowsUnsafeTransactions`.")
  }

  // MARK: From any thread

  /// Opens another connection that reads the same file, with its current key.
  ///
  /// - Parameter isSnapshot: Whether the connection is for a snapshot; this shows in its name.
  func openReader(isSnapshot: Bool = false) throws -> SerializedDatabase {
    let shared = sharedConfiguration.value
    var configuration = shared.configuration
    configuration.readonly = true
    configuration.journalMode = .default
    configuration.freshness = nil
    configuration.allowsUnsafeTransactions = false
    let number =
      isSnapshot
      ? snapshotCount.add(1, ordering: .relaxed).newValue
      : readerCount.add(1, ordering: .relaxed).newValue
    let name = configuration.connectionName(
      "DatabasePool", "\(isSnapshot ? "snapshot" : "reader").\(number)")
    return SerializedDatabase(
      try Opening(
        path: path, name: name, configuration: configuration, knownKey: shared.knownKey,
        cacheBudget: cacheBudget
      ).finish())
  }

  /// Whether the current thread is inside an access.
  var isHeldByCurrentThread: Bool { gate.isHeldByCurrentThread }

  /// Whether the connection is to be closed after its current access.
  var isInvalid: Bool { invalidity.load(ordering: .relaxed) }

  func invalidate() { invalidity.store(true, ordering: .relaxed) }

  /// Closes a connection that isn't used elsewhere, after its current access unless that is the
  /// caller.
  func closeAfterUse() {
    guard !gate.isHeldByCurrentThread else { return database.closeConnection() }
    gate.withAccess { database.closeConnection() }
  }

  func interrupt() { interruption.interrupt() }

  func close() throws {
    guard !gate.isHeldByCurrentThread else { throw DatabaseError.reentrancy(path) }
    try gate.withAccess { () throws -> Void in
      database.externalChanges?.stop()
      database.closeConnection()
      (database.keying.failure, database.keying.refusal) = (nil, nil)
      defer { database.freshness.failure = nil }
      if let failure = database.freshness.failure { throw failure }
    }
  }
}

extension DatabaseError {
  /// The error for an access nested in another one on the same thread.
  static func reentrancy(_ path: String) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_MISUSE, message: "Database methods are not reentrant.",
      hint: "The current thread is already inside an access to this database: use the `db` "
        + "that it was given, and pass it to the functions that it calls.")
  }
}
