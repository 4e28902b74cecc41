extension DatabaseError {
  /// Creates the error of a statement whose transaction has ended.
  static func transactionWasAborted(sql: String? = nil) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_ABORT, message: "Transaction was aborted", sql: sql,
      hint: "A statement has rolled it back or ended it: let the access fail, then run it again.")
  }

  /// Creates an error that the library reports, with a hint at the remedy.
  package init(resultCode: ResultCode, message: String, sql: String? = nil, hint: String?) {
    self.init(resultCode, message, hint: hint, sql: sql)
  }

  /// Creates the error of a C call that has returned `code`.
  @safe package init(
    code: CInt, connection: SQLiteConnection?, sql: String? = nil,
    arguments: StatementArguments? = nil, publicStatementArguments: Bool = false,
    hint: String? = nil, note: String? = nil
  ) {
    // The connection's message can belong to another call than the one that failed.
    let isCurrent =
      unsafe connection.map {
        SQLite.extendedErrorCode($0) == code || SQLite.errorCode($0) == code & 0xFF
      } ?? false
    let message =
      unsafe isCurrent ? connection.map { SQLite.errorMessage($0) } : SQLite.errorString(code)
    self.init(
      ResultCode(rawValue: code), message ?? SQLite.errorString(code), hint: hint, note: note,
      sql: sql,
      arguments: arguments, publicStatementArguments: publicStatementArguments)
  }

  /// The error of using a closed connection.
  @usableFromInline static var connectionIsClosed: DatabaseError {
    DatabaseError(resultCode: .SQLITE_MISUSE, message: "Connection is closed")
  }
}
