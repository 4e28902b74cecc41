// Executions that return at most one row, without the objects that a fetch creates.

extension Statement {
  /// The result of ``lookUp(_:)``.
  package enum LookupResult {
    /// A row: the statement's current one until ``endLookup()``.
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
      let code = SQLite.step(handle)
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
  @usableFromInline
  package func endLookup() {
    rewind()
    clearBindings()
  }

  private func isAsCompiled(_ handle: SQLiteStatement) -> Bool {
    let count = SQLite.reprepareCount(handle)
    return count < 0 ? hasCurrentColumns(handle) : count == reprepareCount
  }
}
