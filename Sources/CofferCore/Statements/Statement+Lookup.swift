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
    /// The row, which is the statement's current one until ``Statement/decodingLookup(_:)``
    /// ends.
    case found(Row, Statement)
    case none
    /// The lookup wasn't executed: a request has to find the row.
    case needsRequest
  }

  /// The statement, which has one parameter; nil if rows always have to be found by a request.
  package let statement: Statement?
  /// The current row of the statement.
  private let row: Row?

  package init(_ db: Database, sql: String?) throws {
    statement = try sql.map { try db.makeStatement(sql: $0) }
    row = statement.map { Row(statement: $0) }
  }

  /// - Parameter plan: The class of the plan.
  package func lookUp(
    _ db: Database, _ value: DatabaseValue, for plan: any AnyObject.Type
  ) throws -> Result {
    guard let statement, let row, !statement.isActive,
      // Without either, another connection's change of the schema would go unnoticed.
      statement.reportsRecompilations || db.openTransaction != nil
    else { return .needsRequest }
    switch try statement.lookUp(value) {
    case .row: return .found(row, statement)
    case .none: return .none
    case .recompiled:
      db.forgetPlan(plan)
      return .needsRequest
    }
  }
}

@available(*, unavailable)
extension PreparedLookup: Sendable {}

extension Statement {
  /// The result of ``lookUp(_:)``.
  package enum LookupResult {
    /// A row: the statement's current one until ``decodingLookup(_:)`` ends.
    case row
    case none
    /// The schema has changed since the statement was compiled, and its columns are outdated.
    case recompiled
  }

  /// Executes an idle statement, which has one parameter, up to its first row.
  package func lookUp(_ value: DatabaseValue) throws -> LookupResult {
    let handle = try beginBinding()
    let bindingCode = value.bind(to: handle, at: 1)
    guard bindingCode == SQLite.ok else { throw bindingFailure(bindingCode) }
    do {
      try begin()
      let code = core.pointee.step(handle)
      guard code != SQLite.error, isAsCompiled(handle) else {
        endLookup()
        return .recompiled
      }
      if code == SQLite.row { return .row }
      try finish(code)
      clearBindings()
      return .none
    } catch {
      endLookup()
      throw error
    }
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

  @usableFromInline
  func failLookup(_ error: any Error) -> any Error {
    let memoryError = memoryError
    endLookup()
    return memoryError ?? error
  }

  @usableFromInline
  func finishLookup() throws {
    defer { clearBindings() }
    try checkMemory(ofReset: rewind())
  }

  @safe private func isAsCompiled(_ handle: SQLiteStatement) -> Bool {
    let count = SQLite.reprepareCount(handle)
    return count < 0 ? hasCurrentColumns(handle) : count == reprepareCount
  }
}
