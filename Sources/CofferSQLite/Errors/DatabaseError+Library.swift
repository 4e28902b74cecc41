import Glibc

extension DatabaseError {
  /// Creates the error of a statement whose transaction has ended.
  package static func transactionWasAborted(sql: String? = nil) -> DatabaseError {
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
    arguments: (any ErrorArguments)? = nil, publicStatementArguments: Bool = false,
    hint: String? = nil, note: String? = nil
  ) {
    // The connection's message can belong to another call than the one that failed.
    let isCurrent =
      unsafe connection.map {
        SQLite.extendedErrorCode($0) == code || SQLite.errorCode($0) == code & 0xFF
      } ?? false
    let message =
      unsafe isCurrent ? connection.map { SQLite.errorMessage($0) } : SQLite.errorString(code)
    // A failure that is told now must not be told again with a later error.
    if code & 0xFF == ResultCode.SQLITE_IOERR.rawValue {
      if let connection = unsafe connection { SQLite.takeReadFailure(connection) }
    } else if DatabaseError.canHideReadFailure(code, message: message),
      let failed = unsafe connection.flatMap({ SQLite.takeReadFailure($0) })
    {
      self.init(
        .SQLITE_IOERR_READ,
        unsafe "the file could not be read: \(String(cString: strerror(failed)))", hint: hint,
        note: note, sql: sql, arguments: arguments,
        publicStatementArguments: publicStatementArguments)
      return
    }
    let (result, text) = DatabaseError.meaning(
      of: ResultCode(rawValue: code), message ?? SQLite.errorString(code))
    self.init(
      result, text, hint: hint ?? DatabaseError.hint(for: result), note: note, sql: sql,
      arguments: arguments, publicStatementArguments: publicStatementArguments)
  }

  /// Returns what SQLite would have said of a conflict that a trigger of a synchronized full-text
  /// table has found first: it can't note the row that is in the way.
  private static func meaning(
    of code: ResultCode, _ message: String
  ) -> (code: ResultCode, message: String) {
    guard code == .SQLITE_CONSTRAINT_NOTNULL, message.hasSuffix("_conflicts.isReplaced")
    else { return (code, message) }
    return (.SQLITE_CONSTRAINT_UNIQUE, "UNIQUE constraint failed")
  }

  /// The remedy of an error that `FileLayer` reports.
  private static func hint(for code: ResultCode) -> String? {
    guard code == .SQLITE_READONLY_DBMOVED else { return nil }
    return "The database file was deleted or replaced, or it has another name now: what is written "
      + "would be lost. Close the database, and open the file again."
  }

  /// Whether SQLite, or SQLCipher, reports this error for a page that couldn't be read.
  private static func canHideReadFailure(_ code: CInt, message: String?) -> Bool {
    let result = ResultCode(rawValue: code)
    return switch result.primaryResultCode {
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: result != .SQLITE_CORRUPT_VTAB
    // Errors with other messages are about a statement.
    case .SQLITE_ERROR, .SQLITE_NOMEM: message == SQLite.errorString(result.rawValue)
    default: false
    }
  }

  /// The error of using a closed connection.
  @usableFromInline package static var connectionIsClosed: DatabaseError {
    DatabaseError(resultCode: .SQLITE_MISUSE, message: "Connection is closed")
  }
}
