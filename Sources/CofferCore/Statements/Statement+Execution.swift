import CofferVault

extension Statement {
  /// Executes the statement and ignores any rows that it returns.
  ///
  /// - Parameter arguments: The arguments; nil keeps the bound ones.
  public func execute(arguments: StatementArguments? = nil) throws {
    if let arguments { try setArguments(arguments) }
    try executeBound()
  }

  /// Executes the statement with values for its parameters, by position.
  ///
  /// The values are bound without an intermediate ``StatementArguments``.
  /// - Throws: An error, with nothing executed, if the number of values differs from the number of
  ///   parameters.
  @inlinable @inline(__always)
  public func execute<each Value: StatementBinding>(values: repeat each Value) throws {
    try execute { binder in repeat binder.bindUnknown(each values) }
  }

  /// Executes the statement with the values that `bind` assigns to its parameters.
  ///
  /// ```swift
  /// try statement.execute {
  ///   $0.bind(player.name)
  ///   $0.bind(player.score)
  /// }
  /// ```
  ///
  /// This is the fastest form: each value is bound in its own type.
  /// - Throws: The error of `bind`, or an error if the number of values differs from the number of
  ///   parameters; nothing is executed then.
  @inlinable @inline(__always)
  public func execute(binding bind: (inout StatementBinder) throws -> Void) throws {
    var binder = StatementBinder(try beginBinding(), core.pointee.parameters)
    let use = core.pointee.use
    do { try bind(&binder) } catch {
      clearBindings()
      throw error
    }
    guard binder.code == SQLite.ok, binder.count == CInt(truncatingIfNeeded: parameterCount)
    else { throw bindingFailure(binder.code, valueCount: Int(binder.count)) }
    guard use == core.pointee.use else { throw useWhileBinding() }
    try executeBound()
  }

  /// Executes the statement with the bound values.
  @usableFromInline
  package func executeBound() throws {
    try begin()
    while try step() {}
  }

  /// Prepares the statement for values that are bound one by one.
  @usableFromInline
  @safe package func beginBinding() throws -> SQLiteStatement {
    guard unsafe handle != nil else { throw DatabaseError.connectionIsClosed }
    try withDatabase { try $0.checkAccess() }
    rewind()
    core.pointee.use &+= 1
    if unsafe handle != plainHandle { try selectHandle(for: []) }
    guard let handle else { throw DatabaseError.connectionIsClosed }
    if !boundArguments.isEmpty { boundArguments = StatementArguments() }
    if regionOfArguments != nil { regionOfArguments = nil }
    lacksArguments = false
    return unsafe handle
  }

  @usableFromInline
  package func bindingFailure(_ code: CInt, valueCount: Int? = nil) -> DatabaseError {
    clearBindings()
    if let valueCount, valueCount != parameterCount { return wrongArgumentCount(valueCount) }
    guard code != SQLite.misuse else {
      return DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "an array can't be bound to a single parameter",
        sql: sql, hint: "Pass it in `arguments:`.")
    }
    return DatabaseError(code: code, connection: database.sqliteConnection, sql: sql)
  }

  /// The error of a statement that was used with other values while values were bound to it.
  @usableFromInline
  func useWhileBinding() -> DatabaseError {
    clearBindings()
    return DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: "the statement was used otherwise while values were bound", sql: sql,
      hint: "Use another statement in the closure that binds values.")
  }

  /// Ends the current execution, and marks it as superseded for the cursor that reads it.
  ///
  /// - Returns: SQLite's code for the reset.
  @discardableResult @inline(__always)
  func rewind() -> CInt { isActive ? rewindActive() : SQLite.ok }

  private func rewindActive() -> CInt {
    guard let handle else { return SQLite.ok }
    if isExecuted { supersedeExecution() }
    deactivate()
    let code = core.pointee.reset(handle)
    if !isReadonly { database.didAbandon(self) }
    return code
  }

  private func supersedeExecution() {
    if let execution, execution.phase == .running { execution.phase = .superseded }
  }

  @inline(__always)
  func deactivate() {
    isActive = false
    execution = nil
    withDatabase { $0.activeStatementCount &-= 1 }
  }

  /// Prepares the statement for its first step.
  @usableFromInline @inline(__always)
  package func begin() throws {
    guard unsafe handle != nil else { throw DatabaseError.connectionIsClosed }
    if lacksArguments {
      if let bindingError { throw bindingError }
      try validateArguments(StatementArguments())
    }
    rewind()
    if bindsFileName { try database.refuseUnsafeArguments(of: self) }
    try willStep()
    core.pointee.use &+= 1
  }

  /// Tells the database that the statement, which is idle, will be stepped.
  @inline(__always)
  func willStep() throws {
    try withDatabase {
      try $0.willExecute(self)
      $0.activeStatementCount &+= 1
    }
    isActive = true
  }

  /// Steps to the next row.
  ///
  /// - Returns: Whether a row is available. If not, the statement has been reset.
  @inlinable
  package func step() throws -> Bool {
    guard let handle else { throw DatabaseError.connectionIsClosed }
    let code = core.pointee.step(handle)
    if code == SQLite.row { return true }
    try finish(code)
    return false
  }

  /// Steps for the first time, when SQLite can have recompiled the statement.
  @inlinable
  func firstStep() throws -> Bool {
    try begin()
    let hasRow = try step()
    if hasRow || columnCount > 0 {
      do { try noticeSchemaChange() } catch {
        abandon()
        throw error
      }
    }
    return hasRow
  }

  /// Ends an execution whose last step returned no row.
  @usableFromInline
  package func finish(_ code: CInt) throws {
    guard let handle else { throw DatabaseError.connectionIsClosed }
    guard code == SQLite.done else { throw end(handle, failedWith: code) }
    deactivate()
    // A statement that returns rows can report its failure only here.
    let resetCode = core.pointee.reset(handle)
    guard resetCode == SQLite.ok else { throw database.didFail(self, with: failure(resetCode)) }
    try withDatabase { try $0.didExecute(self) }
  }

  /// Ends an execution with the error of a step.
  @safe private func end(_ handle: SQLiteStatement, failedWith code: CInt) -> any Error {
    // Reads the error first: resetting can replace the message.
    let error = failure(code)
    deactivate()
    _ = core.pointee.reset(handle)
    return database.didFail(self, with: error)
  }

  /// Returns the error of a step or a reset, with the connection's message.
  private func failure(_ code: CInt) -> DatabaseError {
    let isPublic = database.configuration.publicStatementArguments
    let error = DatabaseError(
      code: code, connection: database.sqliteConnection, sql: sql, arguments: boundArguments,
      publicStatementArguments: isPublic)
    // The text of a function's error is the application's own.
    let isOwnText = SQLite.takeFunctionFailure(of: database.sqliteConnection) == error.message
    return isPublic || isOwnText ? error : error.hidingQuotedValues()
  }

  /// Ends an execution early. A statement that writes runs to its end.
  package func stop() throws {
    guard isActive else { return }
    guard isReadonly else {
      while try step() {}
      return
    }
    try checkMemory(ofReset: rewind())
  }

  /// Throws if a value whose conversion has found no memory was read, which looks like NULL or like
  /// an empty value: only the code of the reset tells.
  func checkMemory(ofReset code: CInt) throws {
    if code == SQLite.noMemory { throw database.didFail(self, with: failure(code)) }
  }

  /// The error of a value whose conversion has just found no memory; nil if there was enough.
  var memoryError: DatabaseError? {
    guard let connection = database.sqliteConnection,
      SQLite.errorCode(connection) == SQLite.noMemory
    else { return nil }
    return failure(SQLite.noMemory)
  }

  /// Resets the statement, whatever its state.
  @usableFromInline
  func abandon() {
    rewind()
    if clearsBindings { clearBindings() }
  }

  /// Called when a cursor begins to read the statement.
  func executionDidStart(_ execution: StatementExecution) { self.execution = execution }

  /// Called when a cursor is deallocated, possibly outside of any access.
  @usableFromInline
  func executionWillDie(_ execution: StatementExecution) {
    // Another cursor can have taken over the statement.
    if let current = self.execution, current !== execution { return }
    self.execution = nil
    if registry.gate.isHeldByCurrentThread { abandon() } else { registry.abandonLater(self) }
  }

  /// Updates the columns and facts if SQLite has recompiled the statement because the schema has
  /// changed.
  @usableFromInline
  func noticeSchemaChange() throws {
    guard let handle else { return }
    let count = SQLite.reprepareCount(handle)
    if count >= 0 {
      guard count != reprepareCount else { return }
    } else if hasCurrentColumns(handle) {
      return
    }
    try refreshFacts()
    reprepareCount = count
    readColumns(of: handle)
    if database.accessState.contains(.recordingRegion) { database.record(databaseRegion) }
  }

  @safe func hasCurrentColumns(_ handle: SQLiteStatement) -> Bool {
    SQLite.columnCount(handle) == columnCount
      && layout.columnNames.indices.allSatisfy {
        SQLite.columnName(handle, $0, isEqualTo: layout.columnNames[$0])
      }
  }

  @safe func readColumns(of handle: SQLiteStatement) {
    core.pointee.columnCount = SQLite.columnCount(handle)
    layout = Statement.layout(of: handle)
    core.pointee.predictor.reset()
    plans = []
  }

  /// Requests the facts from SQLite again, since the schema has changed.
  func refreshFacts() throws {
    facts = try database.facts(of: sql)
    recompilations = database.hooks.authorizer.recompilations
  }
}
