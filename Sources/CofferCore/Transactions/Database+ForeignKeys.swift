extension Database {
  /// Executes `body` while foreign keys aren't enforced, where they are otherwise.
  ///
  /// They are enforced again however `body` ends, a cancelled access included.
  /// - Parameter body: Receives whether foreign keys are enforced otherwise.
  /// - Throws: What `body` throws; and inside a transaction, where SQLite ignores the setting.
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
    // Not a statement of the access, which a cancellation would refuse.
    runDespiteInterruptions(in: connection) {
      SQLite.run(connection, "PRAGMA foreign_keys = ON")
    }
  }
}

extension Database {
  /// Whether the transaction has foreign keys that lead nowhere, which it couldn't be committed with.
  package var hasBrokenForeignKeys: Bool {
    sqliteConnection.map(SQLite.hasBrokenForeignKeys) ?? false
  }
}
