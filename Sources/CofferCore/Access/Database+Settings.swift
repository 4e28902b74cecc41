import CofferVault

extension Database {
  /// Runs a statement that sets the connection up.
  func runSetting(_ sql: String) throws {
    defer { if accessState.contains(.logged) { settleCommitLog() } }
    try LibrarySQL.run(sql, in: openConnection())
  }

  /// Returns the lowercased value of a pragma.
  func setting(_ pragma: String) throws -> String? {
    try LibrarySQL.scalar(pragma, in: openConnection())?.lowercased()
  }
}
