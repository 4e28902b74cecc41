import CofferVault

extension Database {
  // MARK: Preparing

  /// Prepares a statement.
  ///
  /// - Throws: An error if `sql` is invalid, or is not exactly one statement.
  public func makeStatement(sql: String) throws -> Statement {
    try prepareStatement(sql, isPersistent: false)
  }

  /// Returns a prepared statement from the connection's cache.
  ///
  /// The statement is reserved for the caller until the last reference to it is released: a request
  /// for the same SQL returns another statement in the meantime.
  public func cachedStatement(sql: String) throws -> Statement {
    let statement = try idleStatement(sql, clearsBindings: false)
    // Clears the arguments of an earlier user.
    statement.forgetArguments()
    return statement
  }

  /// Returns a cached statement for one fetch, whose bindings are cleared when the fetch ends.
  @usableFromInline
  package func fetchStatement(_ sql: String) throws -> Statement {
    try idleStatement(sql, clearsBindings: true)
  }

  private func idleStatement(_ sql: String, clearsBindings: Bool) throws -> Statement {
    try checkAccess()
    let statement = try statementCache.statement(for: sql) {
      try prepareStatement(sql, isPersistent: true)
    }
    statement.clearsBindings = clearsBindings
    return statement
  }

  private func prepareStatement(_ sql: String, isPersistent: Bool) throws -> Statement {
    let (statement, end) = try compile(sql, from: 0, isPersistent: isPersistent)
    guard let statement else {
      throw DatabaseError(resultCode: .SQLITE_ERROR, message: "empty statement", sql: sql)
    }
    guard SQLString(sql).isBlank(from: end) else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message:
          "Multiple statements found. To execute multiple statements, use "
          + "Database.execute(sql:) or Database.allStatements(sql:) instead.",
        sql: sql)
    }
    return statement
  }

  /// Compiles the first statement of `sql` after `offset`, in UTF-8 bytes.
  ///
  /// - Returns: The statement, nil if only blanks and comments are left, and the offset of its end.
  func compile(
    _ sql: String, from offset: Int, isPersistent: Bool
  ) throws -> (statement: Statement?, end: Int) {
    try checkAccess()
    registry.settleDebts()
    if accessState.contains(.unregistered) { try registerAgain() }
    if setup?.isPreparing == true || keying.isProvisional {
      try settleKey(before: sql, from: offset)
    }
    let bindsFileName = try refuseUnsafeSQL(sql, from: offset)
    let (prepared, facts) = try preparingWithFacts {
      try prepareHandle(sql, from: offset, isPersistent: isPersistent)
    }
    let end = offset + prepared.byteCount
    guard let handle = prepared.statement else {
      guard SQLString(sql).isBlank(from: offset) else {
        throw DatabaseError(
          resultCode: .SQLITE_ERROR, message: "unrecognized token: a NUL character", sql: sql)
      }
      return (nil, sql.utf8.count)
    }
    let isWhole = offset == 0 && end == sql.utf8.count
    let statement = Statement(
      database: self,
      sql: isWhole ? SQLString(sql).trimmed : SQLString(sql).statement(in: offset..<end),
      handle: handle, facts: facts)
    statement.bindsFileName = bindsFileName
    return (statement, end)
  }

  private func prepareHandle(
    _ sql: String, from offset: Int, isPersistent: Bool
  ) throws -> SQLite.Prepared {
    let connection = try openConnection()
    let count = sql.utf8.count
    do {
      return try unsafe sql.withCString { text throws(SQLite.Failure) in
        let rest = unsafe UnsafeRawPointer(text + offset).assumingMemoryBound(to: UInt8.self)
        return try unsafe SQLite.prepare(
          UnsafeBufferPointer(start: rest, count: count - offset), in: connection,
          isPersistent: isPersistent)
      }
    } catch let failure as SQLite.Failure {
      // After a rollback, tables that the transaction has created are gone: report the rollback.
      try checkTransaction(sql)
      let position = SQLite.errorOffset(connection)
      let error = DatabaseError(
        code: failure.code, connection: connection, sql: sql,
        note: position.flatMap { SQLString(sql).excerpt(at: offset + $0) })
      throw translated(error)
    }
  }

  /// Compiles another form of a statement, and reports `reportedSQL` in errors.
  @safe func prepareHandle(_ sql: String, reportedSQL: String) throws -> SQLiteStatement {
    do {
      let (prepared, _) = try preparingWithFacts {
        try prepareHandle(sql, from: 0, isPersistent: true)
      }
      guard let handle = prepared.statement else { throw DatabaseError.connectionIsClosed }
      return unsafe handle
    } catch let error as DatabaseError {
      throw DatabaseError(
        resultCode: error.extendedResultCode, message: error.message, sql: reportedSQL)
    }
  }

  /// Returns the facts that the compiler reports about `sql` in the current schema.
  func facts(of sql: String) throws -> StatementFacts {
    let (prepared, facts) = try preparingWithFacts {
      try prepareHandle(sql, from: 0, isPersistent: false)
    }
    if let handle = prepared.statement { SQLite.finalize(handle) }
    return facts
  }

  /// Throws if the connection is used outside of an access to it.
  @inline(__always)
  func checkAccess() throws {
    guard gate.isHeldByCurrentThread else { throw Database.isOnOtherThread }
  }

  private static var isOnOtherThread: DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: "Database was not used on the correct thread.",
      hint: "Use it inside the closure that receives it, as in `queue.read { db in … }`.")
  }

  // MARK: Executing

  /// Executes one or several statements, separated by semicolons.
  ///
  /// ```swift
  /// try db.execute(
  ///   sql: "INSERT INTO player (name, score) VALUES (:name, :score)",
  ///   arguments: ["name": "Barbara", "score": 1000])
  /// ```
  ///
  /// Several statements consume their positional arguments one after the other.
  /// - Throws: The error of the first statement that fails; the statements before it have been
  ///   executed.
  public func execute(sql: String, arguments: StatementArguments = StatementArguments()) throws {
    try checkAccess()
    if let statement = statementCache.idleStatement(for: sql) {
      return try execute(statement, arguments)
    }
    let (first, end) = try compile(sql, from: 0, isPersistent: true)
    guard let first, SQLString(sql).isBlank(from: end) else {
      return try executeAll(first, of: sql, after: end, arguments)
    }
    try execute(first, arguments)
    if first.facts.isWorthCaching { statementCache.add(first, for: sql) }
  }

  private func execute(_ statement: Statement, _ arguments: StatementArguments) throws {
    defer { statement.clearBindings() }
    try statement.execute(arguments: arguments)
  }

  /// Executes a statement and the statements after it, which share the arguments.
  private func executeAll(
    _ first: Statement?, of sql: String, after end: Int, _ arguments: StatementArguments
  ) throws {
    var rest = arguments
    var (next, end) = (first, end)
    while let statement = next {
      defer { statement.clearBindings() }
      try statement.consumeArguments(&rest)
      try statement.execute()
      (next, end) = try compile(sql, from: end, isPersistent: false)
    }
    guard rest.positional.isEmpty else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "wrong number of statement arguments: \(arguments.positional.count)")
    }
  }

  /// Returns a cursor over the statements in `sql`.
  ///
  /// The cursor prepares each statement when it reaches it, so that a statement can use what an
  /// earlier one has created, once the earlier statement is executed.
  /// - Parameter arguments: The arguments of all statements; nil to set them later.
  public func allStatements(
    sql: String, arguments: StatementArguments? = nil
  ) throws -> SQLStatementCursor {
    try checkAccess()
    return SQLStatementCursor(database: self, sql: sql, arguments: arguments)
  }

  // MARK: Before and after a statement

  /// Called before the first step of every statement.
  @inline(__always)
  func willExecute(_ statement: Statement) throws {
    try checkAccess()
    if interruption.isCancelled.load(ordering: .relaxed) { throw CancellationError() }
    guard !accessState.isEmpty else { return }
    try checkTransaction(statement.sql)
    let expected: AccessState =
      statement.isReadonly ? [.transactionBlock, .readOnly] : .transactionBlock
    if !accessState.isSubset(of: expected) { try prepareExecution(of: statement) }
  }

  private func prepareExecution(of statement: Statement) throws {
    if accessState.contains(.unregistered) { try registerAgain() }
    if accessState.contains(.readOnly), !statement.isReadonly, !statement.facts.asksJournalMode {
      throw DatabaseError(
        .SQLITE_READONLY, "attempt to write a readonly database",
        note: "Use `write { db in … }` to change the database.", sql: statement.sql)
    }
    if accessState.contains(.pendingTransaction) { try beginPendingTransaction() }
    if accessState.contains(.recordingRegion) { record(statement.databaseRegion) }
    if accessState.contains(.logged), !statement.isReadonly { commitLog?.note(statement) }
    if accessState.contains(.observed) { try observation.willExecute(statement) }
  }

  /// Called when a statement has been executed to its end.
  func didExecute(_ statement: Statement) throws {
    if accessState.contains(.logged) { settleCommitLog() }
    if statement.hasAftermath || accessState.contains(.observed) {
      try followUp(statement)
    }
    if !statement.isReadonly { try boundChangedPages() }
  }

  private func followUp(_ statement: Statement) throws {
    if statement.facts.transactionEffect != nil { hooks.transactionCount &+= 1 }
    if statement.facts.invalidatesSchemaCache {
      schemaDidChange()
      observation.didChangeSchema()
      if statement.facts.attachesFile, setup == nil { keepAttachedPages() }
    }
    try observation.didExecute(statement)
  }

  /// Called when a statement has failed.
  ///
  /// - Returns: The error to throw: a different one if an observer has refused a commit, or if the
  ///   access was cancelled.
  func didFail(_ statement: Statement, with error: DatabaseError) -> any Error {
    if accessState.contains(.logged) { settleCommitLog() }
    if statement.facts.invalidatesSchemaCache { hooks.authorizer.forgetDroppedTable() }
    // `OR FAIL` keeps the changes made before the failure.
    let keepsChanges = error.resultCode == .SQLITE_CONSTRAINT && changesCount > 0
    return observation.didFail(statement, keepsChanges: keepsChanges) ?? translated(error)
  }

  /// Called when a statement that writes was reset before its end.
  func didAbandon(_ statement: Statement) {
    if accessState.contains(.logged) { settleCommitLog() }
    if accessState.contains(.observed) { observation.didAbandon(statement) }
  }

  /// Called when the connection has changed the schema or undone a change of it.
  func schemaDidChange() {
    statementCache.removeAll()
    hooks.generation &+= 1
    hooks.authorizer.forgetDroppedTable()
  }
}
