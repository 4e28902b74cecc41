import CofferVault

extension Database {
  /// The kind of a transaction, which determines its first lock.
  ///
  /// <https://sqlite.org/lang_transaction.html>
  public enum TransactionKind: String, Sendable, Hashable {
    /// Acquires no lock before the first statement.
    case deferred = "DEFERRED"
    /// Acquires the write lock at once.
    case immediate = "IMMEDIATE"
    /// Also blocks readers, unless the journal mode is WAL.
    case exclusive = "EXCLUSIVE"
  }

  /// The end of a transaction.
  public enum TransactionCompletion: Sendable, Hashable {
    /// Its changes are kept.
    case commit
    /// Its changes are undone.
    case rollback
  }

  /// Whether a transaction is open.
  public var isInsideTransaction: Bool {
    if accessState.contains(.pendingTransaction) { return true }
    return unsafe sqliteConnection.map { !SQLite.isAutocommit($0) } ?? false
  }

  // MARK: Whole transactions

  /// Executes `operations` inside a transaction.
  ///
  /// ```swift
  /// try db.inTransaction {
  ///   try db.execute(sql: "…")
  ///   return .commit
  /// }
  /// ```
  ///
  /// - Parameter kind: If nil, immediate, or deferred on a read-only connection or in a read-only
  ///   access.
  /// - Throws: The error of `operations`, after a rollback, or SQLite's error.
  public func inTransaction(
    _ kind: TransactionKind? = nil, _ operations: () throws -> TransactionCompletion
  ) throws {
    try beginTransaction(kind)
    do {
      switch try inTransactionBlock(operations) {
      case .commit:
        try checkCancellation()
        // A statement can have ended the transaction by itself.
        guard isInsideTransaction else { throw DatabaseError.transactionWasAborted() }
        try checkDamage()
        try commit()
      case .rollback: try rollback()
      }
    } catch {
      let error = explainingDamage(error)
      rollbackAfterError()
      throw interruption.isCancelled.load(ordering: .relaxed) ? CancellationError() : error
    }
  }

  /// Executes `updates` inside a transaction, which is committed if they return.
  @inlinable @inline(__always)
  func committing<T>(_ updates: (Database) throws -> T) throws -> T {
    var result: T?
    try inTransaction {
      result = try updates(self)
      return .commit
    }
    // The updates have returned, as nothing was thrown.
    return result!
  }

  /// Executes `body`, whose statements belong to the open transaction.
  ///
  /// SQLite rolls a transaction back by itself after some errors, and SQL can end it. Each later
  /// statement would then be committed on its own although the transaction has failed, so it
  /// throws.
  private func inTransactionBlock<T>(_ body: () throws -> T) rethrows -> T {
    let isOutermost = !accessState.contains(.transactionBlock)
    accessState.insert(.transactionBlock)
    // Observers are notified of the end afterwards, and can use the connection then.
    defer { if isOutermost { accessState.remove(.transactionBlock) } }
    return try body()
  }

  /// Throws if the transaction that statements belong to has ended.
  @inline(__always)
  func checkTransaction(_ sql: @autoclosure () -> String?) throws {
    guard accessState.contains(.transactionBlock), let sqliteConnection,
      SQLite.isAutocommit(sqliteConnection)
    else { return }
    throw DatabaseError.transactionWasAborted(sql: sql())
  }

  /// Executes `body`, whose statements belong to no transaction block.
  func outsideTransactionBlock(_ body: () -> Void) {
    let isInside = accessState.contains(.transactionBlock)
    accessState.remove(.transactionBlock)
    defer { if isInside { accessState.insert(.transactionBlock) } }
    body()
  }

  /// Rolls back any open transaction and ignores errors: SQLite can have rolled back already.
  func rollbackAfterError() {
    guard let connection = sqliteConnection, isInsideTransaction else { return }
    accessState.remove(.pendingTransaction)
    currentTransactionDate = nil
    guard !SQLite.isAutocommit(connection) else { return }
    runDespiteInterruptions(in: connection) { control.run(.rollback, in: connection) }
    forgetReadFailure(in: connection)
    hasFailedRollback = !SQLite.isAutocommit(connection)
    observation.didRollBack()
  }

  /// Forgets a read that failed while SQLite rolled back, of which nobody is told.
  @safe private func forgetReadFailure(in connection: SQLiteConnection) {
    guard SQLite.takeReadFailure(connection) != nil else { return }
    noteRefusedPages(DatabaseError(resultCode: .SQLITE_IOERR_READ))
  }

  /// Ends the transaction of an earlier access, which couldn't be rolled back.
  ///
  /// - Throws: ``DatabaseError`` if it still can't.
  func endLeftTransaction() throws {
    rollbackAfterError()
    let connection = try openConnection()
    guard !SQLite.isAutocommit(connection) else { return }
    throw DatabaseError(
      code: SQLite.extendedErrorCode(connection), connection: connection,
      sql: control.sql(.rollback),
      hint: "The transaction of an earlier access can't be rolled back.")
  }

  /// Runs a statement that must complete even if the access has been interrupted.
  ///
  /// - Returns: SQLite's result code.
  @discardableResult
  @safe func runDespiteInterruptions(
    in connection: SQLiteConnection, _ run: () -> CInt
  ) -> CInt {
    // An interruption lasts as long as any statement runs, so end all of them. New interruptions
    // can arrive in between, and a foreign statement that never ends must not block this loop for
    // ever.
    for _ in 0..<10_000 {
      let code = run()
      guard code == ResultCode.SQLITE_INTERRUPT.rawValue else { return code }
      registry.endExecutions()
      SQLite.endInternalStatements(connection)
    }
    return ResultCode.SQLITE_INTERRUPT.rawValue
  }

  // MARK: Cancellation

  func checkCancellation() throws {
    if interruption.isCancelled.load(ordering: .relaxed) { throw CancellationError() }
  }

  // MARK: Savepoints

  /// Executes `operations` inside a savepoint, or inside a transaction if none is open.
  ///
  /// Savepoints nest: <https://sqlite.org/lang_savepoint.html>.
  public func inSavepoint(_ operations: () throws -> TransactionCompletion) throws {
    guard isInsideTransaction else { return try inTransaction(nil, operations) }
    try execute(sql: "SAVEPOINT grdb")
    do {
      let completion = try inTransactionBlock(operations)
      // The savepoint has ended with the transaction.
      guard isInsideTransaction else { throw DatabaseError.transactionWasAborted() }
      switch completion {
      case .commit: try execute(sql: "RELEASE SAVEPOINT grdb")
      case .rollback: try rollbackSavepoint()
      }
    } catch {
      // The whole transaction can be gone, and the savepoint with it.
      guard isInsideTransaction else { throw error }
      // Where the savepoint can't be undone alone, as after an interruption, roll everything back:
      // a caller that ignores the error must not commit its changes.
      do { try rollbackSavepoint() } catch { rollbackAfterError() }
      throw error
    }
  }

  /// Executes `operations` inside a savepoint, which becomes a part of the transaction once it has
  /// changed more pages than memory should hold (``Configuration/changedPagesSize``).
  ///
  /// If it throws, the savepoint is undone, or the whole transaction if it has become a part of it.
  /// Inside a savepoint that isn't of this kind, it is always undone alone.
  @usableFromInline
  package func inBatchSavepoint(_ operations: () throws -> Void) throws {
    let count = cache.changedPages.batchCount
    guard isInsideTransaction, observation.savepoints.count == count else {
      return try inSavepoint {
        try operations()
        return .commit
      }
    }
    let outgrownCount = cache.changedPages.outgrownCount
    var isMerged: Bool { cache.changedPages.outgrownCount != outgrownCount }
    try execute(sql: "SAVEPOINT coffer_batch_\(count)")
    cache.changedPages.batchCount += 1
    defer { cache.changedPages.batchCount = isMerged ? 0 : count }
    do {
      try inTransactionBlock(operations)
      guard isInsideTransaction else { throw DatabaseError.transactionWasAborted() }
      if !isMerged { try execute(sql: "RELEASE SAVEPOINT coffer_batch_\(count)") }
    } catch {
      guard isInsideTransaction else { throw error }
      do {
        if isMerged { rollbackAfterError() } else { try rollbackSavepoint("coffer_batch_\(count)") }
      } catch {
        rollbackAfterError()
      }
      throw error
    }
  }

  /// Makes the open savepoints of batches a part of the transaction.
  func mergeBatches() throws {
    try execute(sql: "RELEASE SAVEPOINT coffer_batch_0")
    cache.changedPages.batchCount = 0
    cache.changedPages.outgrownCount += 1
  }

  private func rollbackSavepoint(_ name: String = "grdb") throws {
    try executeDespiteInterruptions("ROLLBACK TRANSACTION TO SAVEPOINT \(name)")
    try executeDespiteInterruptions("RELEASE SAVEPOINT \(name)")
  }

  private func executeDespiteInterruptions(_ sql: String) throws {
    let connection = try openConnection()
    for _ in 0..<100 {
      do { return try execute(sql: sql) } catch let error as DatabaseError
        where error.resultCode == .SQLITE_INTERRUPT
      {
        // The interruption lasts as long as any statement runs.
        registry.endExecutions()
        SQLite.endInternalStatements(connection)
      }
    }
    try execute(sql: sql)
  }

  // MARK: Steps of a transaction

  /// Begins a transaction.
  ///
  /// - Parameter kind: If nil, immediate, or deferred on a read-only connection or in a read-only
  ///   access.
  public func beginTransaction(_ kind: TransactionKind? = nil) throws {
    try checkAccess()
    try checkCancellation()
    if accessState.contains(.pendingTransaction) { try beginPendingTransaction() }
    if hooks.authorizer.hasAttached { keepAttachedPages() }
    let isReadOnly = configuration.readonly || accessState.contains(.readOnly)
    if accessState.contains(.readOnly), let kind, kind != .deferred {
      throw DatabaseError(
        .SQLITE_READONLY, "attempt to write a readonly database",
        note: "Use `write { db in … }` to change the database.",
        sql: "BEGIN \(kind.rawValue) TRANSACTION")
    }
    let begun = kind ?? (isReadOnly ? .deferred : .immediate)
    switch begun {
    case .deferred: try runControl(.beginDeferred)
    case .immediate: try runControl(.beginImmediate)
    case .exclusive: try runControl(.beginExclusive)
    }
    commitLog?.didBegin()
    hooks.transactionCount &+= 1
    if begun != .deferred { hooks.lockedTransaction = hooks.transactionCount }
  }

  /// Commits the transaction.
  public func commit() throws {
    try checkAccess()
    if accessState.contains(.pendingTransaction) {
      accessState.remove(.pendingTransaction)
      currentTransactionDate = nil
      return
    }
    try runControl(.commit)
    knownSchemaVersion?.didCommit(hooks.transactionCount, self)
    if accessState.contains(.logged) { settleCommitLog() }
    try observation.didCommit()
  }

  /// Rolls the transaction back.
  ///
  /// Does nothing if none is open.
  public func rollback() throws {
    try checkAccess()
    accessState.remove(.pendingTransaction)
    if isInsideTransaction {
      let connection = try openConnection()
      let code = runDespiteInterruptions(in: connection) { control.run(.rollback, in: connection) }
      // Virtual tables can fail although SQLite has rolled back.
      guard code == SQLite.ok || SQLite.isAutocommit(connection) else {
        throw translated(
          DatabaseError(code: code, connection: connection, sql: control.sql(.rollback)))
      }
      forgetReadFailure(in: connection)
    }
    observation.didRollBack()
  }

  /// Begins the transaction that a read access has deferred to its first statement.
  func beginPendingTransaction() throws {
    try runControl(.beginDeferred)
    accessState.remove(.pendingTransaction)
    accessState.insert(.transactionBlock)
    hooks.transactionCount &+= 1
  }

  /// Ends the transaction of a read, and defers a new one to its next statement.
  func renewPendingTransaction() throws {
    accessState.remove(.transactionBlock)
    try rollback()
    accessState.insert(.pendingTransaction)
  }

  private func runControl(_ kind: ControlStatements.Kind) throws {
    let connection = try openConnection()
    try checkTransaction(control.sql(kind))
    let code = control.run(kind, in: connection)
    guard code != SQLite.ok else { return }
    let error = DatabaseError(code: code, connection: connection, sql: control.sql(kind))
    guard kind == .commit else { throw translated(error) }
    if accessState.contains(.logged) { settleCommitLog() }
    throw observation.commitDidFail() ?? translated(error)
  }

  // MARK: Read-only accesses

  /// Executes `value` with writing statements refused: they throw.
  public func readOnly<T>(_ value: () throws -> T) throws -> T {
    let wasReadOnly = accessState.contains(.readOnly)
    accessState.insert(.readOnly)
    defer { if !wasReadOnly { accessState.remove(.readOnly) } }
    return try value()
  }

  /// Executes `body` as one read: its statements can't write, and all see the same state of the
  /// database.
  ///
  /// The transaction begins with the first statement, so that an access without statements costs
  /// nothing.
  package func isolatedRead<T>(_ body: (Database) throws -> T) throws -> T {
    // The enclosing read begins the transaction, and ends it.
    if accessState.contains(.pendingTransaction) { return try readOnly { try body(self) } }
    if isInsideTransaction { return try inTransactionBlock { try readOnly { try body(self) } } }
    // `.transactionBlock` is set when the transaction begins.
    let added = AccessState([.readOnly, .pendingTransaction, .transactionBlock])
      .subtracting(accessState)
    accessState.insert(added.subtracting(.transactionBlock))
    defer { accessState.remove(added) }
    do {
      let result = try body(self)
      if isInsideTransaction {
        try checkDamage()
        try endRead()
      }
      return result
    } catch {
      let error = explainingDamage(error)
      rollbackAfterError()
      throw interruption.isCancelled.load(ordering: .relaxed) ? CancellationError() : error
    }
  }

  /// Ends the transaction of a read that has succeeded: an interruption comes too late.
  private func endRead() throws {
    do { try commit() } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT
    {
      try rollback()
    }
  }

  /// Executes `value` as one read, and calls it exactly once: only the end of a transaction that
  /// has changed nothing can fail afterwards.
  func isolatedRead(reporting value: (Result<Database, any Error>) -> Void) {
    try? isolatedRead { value(.success($0)) }
  }

  // MARK: Damaged pages

  /// Throws if the transaction has read a damaged page.
  ///
  /// Where the last page of a long value fails its authentication, SQLCipher returns zeros in its
  /// place without an error, and fails at the next page that the transaction requests. So this
  /// requests one, unless all pages since the last check came from the cache, which holds no
  /// damaged pages.
  ///
  /// SQLCipher 4.19 goes on with zeros, in this transaction and in later ones, and is asked.
  func checkDamage() throws {
    guard isKeyed, !accessState.contains(.pendingTransaction) else { return }
    let connection = try openConnection()
    guard SQLite.cacheMisses(connection) != keying.checkedMisses else { return }
    let isAsked = canBeRefusedPages
    let code = runDespiteInterruptions(in: connection) {
      control.run(.touchSchema, in: connection)
    }
    guard code != SQLite.ok || isAsked && refusedSchema != nil else {
      keying.checkedMisses = SQLite.cacheMisses(connection)
      return
    }
    let error = explainingChangedKey(
      DatabaseError(
        code: code == SQLite.ok ? ResultCode.SQLITE_CORRUPT.rawValue : code, connection: connection)
    )
    switch error.resultCode {
    case .SQLITE_ERROR, .SQLITE_CORRUPT, .SQLITE_NOTADB:
      throw explainingRefusedPages(
        error.cipherDiagnosis == nil ? Database.damage(sql: nil) : error)
    case .SQLITE_NOMEM where isAsked && refusedSchema != nil:
      throw explainingRefusedPages(Database.damage(sql: nil))
    default: throw translated(error)
    }
  }

  /// Returns the error unchanged, or one that reports a damaged page where SQLCipher reports
  /// nothing but "SQL logic error".
  func explainingDamage(_ error: any Error) -> any Error {
    guard isKeyed, let error = error as? DatabaseError, error.resultCode == .SQLITE_ERROR,
      error.cipherDiagnosis == nil,
      error.message == SQLite.errorString(error.resultCode.rawValue),
      let connection = sqliteConnection, !SQLite.isAutocommit(connection),
      control.run(.touchSchema, in: connection) == ResultCode.SQLITE_ERROR.rawValue
    else { return error }
    return explainingRefusedPages(Database.damage(sql: error.sql))
  }

  static func damage(sql: String?) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_CORRUPT, message: "a page of the file is damaged", sql: sql,
      hint: "Values read in this transaction may be incomplete. Copy the file before anything "
        + "else; checkCipherIntegrity() returns the damaged pages.")
  }
}
