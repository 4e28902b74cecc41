import CofferVault

extension Database {
  /// Executes `body` with foreign key enforcement switched off.
  ///
  /// Enforcement is restored however `body` ends, even if the access was cancelled.
  /// - Parameter body: Receives whether foreign keys were enforced before.
  /// - Throws: The error of `body`, or `SQLITE_MISUSE` inside a transaction, where SQLite ignores
  ///   the setting.
  package func withoutForeignKeys<T>(
    _ body: (_ wereEnforced: Bool) throws -> T
  ) throws -> T {
    guard try Int.fetchOne(self, sql: "PRAGMA foreign_keys") == 1 else { return try body(false) }
    guard !isInsideTransaction else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "foreign keys can't be switched off inside a transaction", hint: nil)
    }
    try execute(sql: "PRAGMA foreign_keys = OFF")
    defer { enforceForeignKeys() }
    return try body(true)
  }

  private func enforceForeignKeys() {
    guard let connection = sqliteConnection else { return }
    // Not a statement, which a cancellation would refuse, and which needs memory.
    SQLite.setForeignKeys(connection, true)
  }
}

extension Database {
  /// Whether the transaction holds foreign key violations, which prevent its commit.
  package var hasBrokenForeignKeys: Bool {
    unsafe sqliteConnection.map(SQLite.hasBrokenForeignKeys) ?? false
  }
}
