// Executions that give one row at most, without the objects that a fetch makes.

extension Statement {
  /// What ``lookUp(_:)`` has found.
  package enum LookupResult {
    /// A row: the statement's current one, until ``endLookup()``.
    case row
    case none
    /// The schema has changed since the statement was made, and what is known of it is outdated.
    case recompiled
  }

  /// Executes the statement, which has one parameter and is not in use, up to its first row.
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

  /// Resets the statement, and forgets its value.
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
