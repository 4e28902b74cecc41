extension Database {
  /// How a transaction begins: <https://sqlite.org/lang_transaction.html>.
  public enum TransactionKind: String, Sendable, Hashable {
    /// Locks nothing before the first statement.
    case deferred = "DEFERRED"
    /// Takes the right to write at once.
    case immediate = "IMMEDIATE"
    /// Keeps others from reading too, unless the journal is a WAL.
    case exclusive = "EXCLUSIVE"
  }

  /// How a transaction ends.
  public enum TransactionCompletion: Sendable, Hashable {
    /// Its changes are kept.
    case commit
    /// Its changes are undone.
    case rollback
  }

  /// Whether a transaction is open.
  public var isInsideTransaction: Bool {
    if accessState.contains(.pendingTransaction) { return true }
    return sqliteConnection.map { !SQLite.isAutocommit($0) } ?? false
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
  /// - Parameter kind: Nil for an immediate one, or a deferred one on a
  ///   read-only connection.
  /// - Throws: What `operations` throws, after a rollback, or SQLite's error.
  public func inTransaction(
    _ kind: TransactionKind? = nil, _ operations: () throws -> TransactionCompletion
  ) throws {
    try withTransaction(kind) { () throws -> (Void, TransactionCompletion) in
      ((), try operations())
    }
  }

  package func withTransaction<T>(
    _ kind: TransactionKind?, _ operations: () throws -> (T, TransactionCompletion)
  ) throws -> T {
    try beginTransaction(kind)
    let misses = cacheMisses
    do {
      let (result, completion) = try inTransactionBlock(operations)
      switch completion {
      case .commit:
        try checkCancellation()
        // A statement may have ended the transaction by itself.
        guard isInsideTransaction else { throw DatabaseError.transactionWasAborted() }
        try checkDamage(since: misses)
        try commit()
      case .rollback: try rollback()
      }
      return result
    } catch {
      let error = explainingDamage(error)
      rollbackAfterError()
      throw interruption.isCancelled.load(ordering: .relaxed) ? CancellationError() : error
    }
  }

  /// Executes `body`, whose statements belong to the transaction that is open.
  ///
  /// SQLite rolls a transaction back by itself after some errors, and SQL may end it: what comes
  /// after that would be committed one by one, though the whole has failed. So it throws.
  private func inTransactionBlock<T>(_ body: () throws -> T) rethrows -> T {
    let isOutermost = !accessState.contains(.transactionBlock)
    accessState.insert(.transactionBlock)
    // Observers are told of the end afterwards, and may use the connection.
    defer { if isOutermost { accessState.remove(.transactionBlock) } }
    return try body()
  }

  /// Throws where the transaction that statements belong to is over.
  @inline(__always)
  func checkTransaction(_ sql: @autoclosure () -> String?) throws {
    guard accessState.contains(.transactionBlock), let sqliteConnection,
      SQLite.isAutocommit(sqliteConnection)
    else { return }
    throw DatabaseError.transactionWasAborted(sql: sql())
  }

  /// Executes `body`, whose statements belong to no transaction.
  func outsideTransactionBlock(_ body: () -> Void) {
    let isInside = accessState.contains(.transactionBlock)
    accessState.remove(.transactionBlock)
    defer { if isInside { accessState.insert(.transactionBlock) } }
    body()
  }

  /// Rolls back whatever is open, and ignores what can't be helped: SQLite may
  /// have rolled back by itself.
  func rollbackAfterError() {
    guard let connection = sqliteConnection, isInsideTransaction else { return }
    accessState.remove(.pendingTransaction)
    currentTransactionDate = nil
    guard !SQLite.isAutocommit(connection) else { return }
    runDespiteInterruptions(in: connection) { control.run(.rollback, in: connection) }
    observation.didRollBack()
  }

  /// Runs what has to be done, though the access may have been interrupted.
  func runDespiteInterruptions(in connection: SQLiteConnection, _ run: () -> CInt) {
    // An interruption lasts as long as a statement runs: end them all. Others may come in
    // between; a statement that isn't ours, and never ends, must not keep us here for ever.
    for _ in 0..<10_000 {
      guard run() == ResultCode.SQLITE_INTERRUPT.rawValue else { return }
      registry.endExecutions()
      SQLite.endInternalStatements(connection)
    }
  }

  // MARK: Cancellation

  func checkCancellation() throws {
    if interruption.isCancelled.load(ordering: .relaxed) { throw CancellationError() }
  }

  /// Executes `body`, and throws where it was cancelled and has committed nothing, also where
  /// `body` has taken no notice.
  func revocably<T>(_ body: (Database) throws -> T) throws -> T {
    accessState.insert(.revocable)
    defer { accessState.remove(.revocable) }
    let result = try body(self)
    if accessState.contains(.revocable) { try checkCancellation() }
    return result
  }

  /// Notes that the access can't be taken back any more.
  func didCommit() {
    // The end of a read is no commit.
    if !accessState.contains(.readOnly) { accessState.remove(.revocable) }
  }

  /// Notes whether a statement has committed something when it ended.
  func noteCommit(by statement: Statement) {
    guard let sqliteConnection, SQLite.isAutocommit(sqliteConnection) else { return }
    switch statement.facts.transactionEffect {
    case nil: if !statement.isReadonly { didCommit() }
    case .commit, .releaseSavepoint: didCommit()
    default: break
    }
  }

  // MARK: Savepoints

  /// Executes `operations` inside a savepoint, or inside a transaction where
  /// none is open.
  ///
  /// Savepoints nest: <https://sqlite.org/lang_savepoint.html>.
  public func inSavepoint(_ operations: () throws -> TransactionCompletion) throws {
    guard isInsideTransaction else { return try inTransaction(nil, operations) }
    try execute(sql: "SAVEPOINT grdb")
    do {
      let completion = try inTransactionBlock(operations)
      // The savepoint has gone with the transaction.
      guard isInsideTransaction else { throw DatabaseError.transactionWasAborted() }
      switch completion {
      case .commit: try execute(sql: "RELEASE SAVEPOINT grdb")
      case .rollback: try rollbackSavepoint()
      }
    } catch {
      // The whole transaction may be gone, and the savepoint with it.
      guard isInsideTransaction else { throw error }
      // Where the savepoint can't be undone alone, as after an interruption, its
      // changes must not be committed by whoever ignores the error.
      do { try rollbackSavepoint() } catch { rollbackAfterError() }
      throw error
    }
  }

  private func rollbackSavepoint() throws {
    try execute(sql: "ROLLBACK TRANSACTION TO SAVEPOINT grdb")
    try execute(sql: "RELEASE SAVEPOINT grdb")
  }

  // MARK: Steps of a transaction

  /// Begins a transaction.
  ///
  /// - Parameter kind: Nil for an immediate one, or a deferred one on a
  ///   read-only connection or in a read-only access.
  public func beginTransaction(_ kind: TransactionKind? = nil) throws {
    try checkAccess()
    try checkCancellation()
    if accessState.contains(.pendingTransaction) { try beginPendingTransaction() }
    let isReadOnly = configuration.readonly || accessState.contains(.readOnly)
    switch kind ?? (isReadOnly ? .deferred : .immediate) {
    case .deferred: try runControl(.beginDeferred)
    case .immediate: try runControl(.beginImmediate)
    case .exclusive: try runControl(.beginExclusive)
    }
    commitLog?.didBegin()
    hooks.transactionCount &+= 1
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
    didCommit()
    if accessState.contains(.logged) { settleCommitLog() }
    try observation.didCommit()
  }

  /// Rolls the transaction back; does nothing where none is open.
  public func rollback() throws {
    try checkAccess()
    accessState.remove(.pendingTransaction)
    if isInsideTransaction { try runControl(.rollback) }
    observation.didRollBack()
  }

  /// Begins the transaction that a read access owes its first statement.
  func beginPendingTransaction() throws {
    try runControl(.beginDeferred)
    accessState.remove(.pendingTransaction)
    accessState.insert(.transactionBlock)
    hooks.transactionCount &+= 1
  }

  /// Ends the transaction of a read, which owes it to its next statement again.
  func renewPendingTransaction() throws {
    accessState.remove(.transactionBlock)
    try rollback()
    accessState.insert(.pendingTransaction)
  }

  private func runControl(_ kind: ControlStatements.Kind) throws {
    let connection = try openConnection()
    if kind != .rollback { try checkTransaction(control.sql(kind)) }
    let code = control.run(kind, in: connection)
    guard code != SQLite.ok else { return }
    let error = DatabaseError(code: code, connection: connection, sql: control.sql(kind))
    guard kind == .commit else { throw translated(error) }
    throw observation.commitDidFail() ?? translated(error)
  }

  // MARK: Read-only accesses

  /// Executes `value`, in which statements that write throw.
  public func readOnly<T>(_ value: () throws -> T) throws -> T {
    let wasReadOnly = accessState.contains(.readOnly)
    accessState.insert(.readOnly)
    defer { if !wasReadOnly { accessState.remove(.readOnly) } }
    return try value()
  }

  /// Executes `body` as one read: statements that write throw, and all see the
  /// same state of the database.
  ///
  /// The transaction begins with the first statement, so that an access
  /// without one costs nothing.
  func isolatedRead<T>(_ body: (Database) throws -> T) throws -> T {
    // A read around this one owes the transaction, and ends it.
    if accessState.contains(.pendingTransaction) { return try readOnly { try body(self) } }
    if isInsideTransaction { return try inTransactionBlock { try readOnly { try body(self) } } }
    // The transaction's own mark comes with its beginning.
    let added = AccessState([.readOnly, .pendingTransaction, .transactionBlock])
      .subtracting(accessState)
    accessState.insert(added.subtracting(.transactionBlock))
    defer { accessState.remove(added) }
    let misses = cacheMisses
    do {
      let result = try body(self)
      if isInsideTransaction {
        try checkDamage(since: misses)
        try commit()
      }
      return result
    } catch {
      let error = explainingDamage(error)
      rollbackAfterError()
      throw interruption.isCancelled.load(ordering: .relaxed) ? CancellationError() : error
    }
  }

  /// Executes `value` as one read, and calls it once: what may fail afterwards
  /// is the end of a transaction that has changed nothing.
  func isolatedRead(reporting value: (Result<Database, any Error>) -> Void) {
    try? isolatedRead { value(.success($0)) }
  }

  // MARK: Damaged pages

  /// How many pages an encrypted connection has read from its files; 0 for others.
  var cacheMisses: CInt {
    guard isKeyed, let sqliteConnection else { return 0 }
    return SQLite.cacheMisses(sqliteConnection)
  }

  /// Throws where a page that the transaction has read was damaged.
  ///
  /// Where the last page of a long value fails its authentication, SQLCipher
  /// hands out zeros in its place without an error, and fails at the next page
  /// that the transaction asks for: so ask for one, unless all pages came from
  /// the cache, where nothing damaged is kept.
  func checkDamage(since misses: CInt) throws {
    guard isKeyed, !accessState.contains(.pendingTransaction), cacheMisses != misses else {
      return
    }
    let connection = try openConnection()
    let code = control.run(.touchSchema, in: connection)
    guard code != SQLite.ok else { return }
    let error = explainingChangedKey(DatabaseError(code: code, connection: connection))
    switch error.resultCode {
    case .SQLITE_ERROR, .SQLITE_CORRUPT, .SQLITE_NOTADB:
      throw error.cipherDiagnosis == nil ? Database.damage(sql: nil) : error
    default: throw translated(error)
    }
  }

  /// The error as it is, or that a page is damaged where SQLCipher has no other
  /// words for it than "SQL logic error".
  private func explainingDamage(_ error: any Error) -> any Error {
    guard isKeyed, let error = error as? DatabaseError, error.resultCode == .SQLITE_ERROR,
      error.cipherDiagnosis == nil,
      error.message == SQLite.errorString(error.resultCode.rawValue),
      let connection = sqliteConnection, !SQLite.isAutocommit(connection),
      control.run(.touchSchema, in: connection) == ResultCode.SQLITE_ERROR.rawValue
    else { return error }
    return Database.damage(sql: error.sql)
  }

  private static func damage(sql: String?) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_CORRUPT, message: "a page of the file is damaged", sql: sql,
      hint: "It is not what was written, and values that were read may be incomplete. Copy the "
        + "file before anything else; checkCipherIntegrity() tells which pages are damaged.")
  }
}
