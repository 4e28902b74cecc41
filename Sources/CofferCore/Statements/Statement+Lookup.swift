// Executions that return at most one row, without the objects that a fetch creates.
import CofferVault

/// A statement that finds rows by one value, ready to be executed, which a plan of a type keeps.
///
/// Changes of the schema by the connection drop the plan. Those by other connections show when
/// SQLite has recompiled the statement at its first step; then a new plan is created.
@usableFromInline
package final class PreparedLookup {
  /// The result of a lookup.
  @usableFromInline
  package enum Result {
    /// There is a row, the current one until ``decoding(_:)`` ends.
    case found
    case none
    /// A request has to find the row: the statement is in use, or is compiled for another schema.
    case needsRequest
  }

  /// The statement, which has one parameter and only reads.
  @usableFromInline package let statement: Statement
  /// The current row of the statement.
  @usableFromInline let row: Row

  package init(_ db: Database, sql: String) throws {
    statement = try db.makeStatement(sql: sql)
    row = Row(statement: statement)
  }

  /// Looks up a value, which is not NULL.
  ///
  /// - Parameter plan: The class of the plan.
  @usableFromInline
  package func lookUp(
    _ db: Database, _ value: DatabaseValue, for plan: any AnyObject.Type
  ) throws -> Result {
    guard !statement.isActive,
      // Without either, another connection's change of the schema would go unnoticed.
      statement.reportsRecompilations || db.openTransaction != nil
    else { return .needsRequest }
    let result = try statement.lookUp(value)
    if result == .needsRequest { db.forgetPlan(plan) }
    return result
  }

  /// Decodes the row that was found, and ends the lookup; see ``Statement/decodingLookup(_:)``.
  @inlinable @inline(__always)
  package func decoding<Value>(_ decode: (Row) throws -> Value) throws -> Value {
    try statement.decodingLookup { try decode(row) }
  }
}

@available(*, unavailable)
extension PreparedLookup: Sendable {}

extension Statement {
  /// Executes an idle statement up to its first row, which is the current one until
  /// ``decodingLookup(_:)`` ends.
  ///
  /// - Precondition: The statement has one parameter, and only lookups execute it.
  /// - Returns: `needsRequest` if the schema has changed since the statement was compiled, so that
  ///   its columns are outdated.
  func lookUp(_ value: DatabaseValue) throws -> PreparedLookup.Result {
    guard let handle else { throw DatabaseError.connectionIsClosed }
    try withDatabase { try $0.checkAccess() }
    core.pointee.use &+= 1
    let bindingCode = bindKey(value, to: handle)
    guard bindingCode == SQLite.ok else { throw bindingFailure(bindingCode) }
    do { try willStep() } catch {
      clearBindings()
      throw error
    }
    let code = core.pointee.step(handle)
    if code == SQLite.row, isAsCompiled(handle) { return .found }
    return try endLookup(handle, with: code)
  }

  @inline(__always)
  @safe private func bindKey(_ value: DatabaseValue, to handle: SQLiteStatement) -> CInt {
    if case .int64(let key) = value.storage,
      core.pointee.parameters.store(key, in: handle, at: 1)
    {
      return SQLite.ok
    }
    return value.bind(to: handle, at: 1)
  }

  /// Ends a lookup that has found no row, or a row of another schema.
  @safe private func endLookup(
    _ handle: SQLiteStatement, with code: CInt
  ) throws -> PreparedLookup.Result {
    defer { endLookup() }
    guard code != SQLite.error, isAsCompiled(handle) else { return .needsRequest }
    try finish(code)
    return .none
  }

  /// Resets the statement and clears its value.
  func endLookup() {
    rewind()
    clearBindings()
  }

  /// Decodes the row of a lookup, and ends the lookup.
  ///
  /// - Throws: The error of `decode`, or `SQLITE_NOMEM` if a value was lost for lack of memory.
  @inlinable
  package func decodingLookup<Value>(_ decode: () throws -> Value) throws -> Value {
    let value: Value
    do { value = try decode() } catch { throw failLookup(error) }
    try finishLookup()
    return value
  }

  @usableFromInline @inline(never)
  func failLookup(_ error: any Error) -> any Error {
    let memoryError = memoryError
    endLookup()
    return memoryError ?? error
  }

  @usableFromInline
  func finishLookup() throws {
    let code = rewind()
    clearBindings()
    try checkMemory(ofReset: code)
  }

  @safe private func isAsCompiled(_ handle: SQLiteStatement) -> Bool {
    let count = SQLite.reprepareCount(handle)
    return count < 0 ? hasCurrentColumns(handle) : count == reprepareCount
  }
}
