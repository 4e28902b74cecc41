/// A message of SQLite about an execution, which can quote values: arguments, and what is stored.
///
/// SQLite puts messages together from fixed texts, names of the schema, and sometimes values, which
/// can be anything. So a message is shown if it is known to have no value, and without its end if a
/// value is known to begin there. Of any other message, only what its code means is shown.
package struct SQLiteMessage {
  let text: String
  let code: ResultCode

  package init(text: String, code: ResultCode) { (self.text, self.code) = (text, code) }

  /// What stands for a value that isn't shown.
  static let placeholder = "…(redacted)"

  /// The message without values.
  ///
  /// - Parameter sql: The SQL of the statement; an empty string if it isn't known.
  package func withoutValues(of sql: String) -> String {
    if hasNoValues(sql) || endsWithName(of: sql) { return text }
    return withoutQuotedEnd ?? code.errorString
  }

  /// The message without the value that begins in it; nil if none is known to.
  var withoutQuotedEnd: String? {
    Self.beginningsOfValues.first { text.hasPrefix($0) }.map { $0 + Self.placeholder }
  }

  /// Whether the message ends with a name in the SQL, such as that of a function that is missing
  /// when a cached statement is compiled anew.
  private func endsWithName(of sql: String) -> Bool {
    guard let beginning = Self.beginningsOfValues.first(where: { text.hasPrefix($0) }) else {
      return false
    }
    let end = text.dropFirst(beginning.count)
    let names = SQLWord.words(of: sql).filter { $0.kind == .word || $0.kind == .quotedIdentifier }
      .map(\.text)
    return !end.isEmpty && end.split(separator: ".").allSatisfy { names.contains(String($0)) }
  }

  private func hasNoValues(_ sql: String) -> Bool {
    if text == code.errorString || text == code.primaryResultCode.errorString { return true }
    switch code {
    case .SQLITE_CONSTRAINT_FUNCTION, .SQLITE_CONSTRAINT_VTAB: break
    // Names of tables, columns and constraints; or the text of a RAISE, which is the application's.
    case _ where code.primaryResultCode == .SQLITE_CONSTRAINT: return true
    default: break
    }
    return Self.withoutValues.contains(text)
      || Self.beginningsOfNames.contains { text.hasPrefix($0) }
      || SQLString(sql).isWithoutData
  }

  // MARK: What SQLite says

  /// Texts without anything variable.
  private static let withoutValues: Set<String> = [
    "integer overflow", "malformed JSON", "JSON cannot hold BLOB values",
    "json_object() labels must be TEXT", "json_object() requires an even number of arguments",
    "FLAGS parameter to json_valid() must be between 1 and 15",
    "ESCAPE expression must be a single character", "LIKE or GLOB pattern too complex",
    "argument of ntile must be a positive integer",
    "second argument to nth_value must be a positive integer",
    "frame starting offset must be a non-negative integer",
    "frame ending offset must be a non-negative integer",
    "frame starting offset must be a non-negative number",
    "frame ending offset must be a non-negative number", "local time unavailable",
    "unterminated string", "fts5: parser stack overflow",
    "fts5: column queries are not supported (detail=none)",
    "fts5: phrase queries are not supported (detail!=full)",
    "fts5: NEAR queries are not supported (detail!=full)",
    "fts5 expression tree is too large (maximum depth 256)",
    "FTS expression tree is too large (maximum depth 12)",
    "unable to use function MATCH in the requested context",
    "unable to use function highlight in the requested context",
    "recursively defined fts5 content table", "abort due to ROLLBACK", "query aborted",
    "cannot commit - no transaction is active", "cannot rollback - no transaction is active",
    "cannot start a transaction within a transaction",
    "cannot commit transaction - SQL statements in progress",
    "cannot open savepoint - SQL statements in progress",
    "cannot release savepoint - SQL statements in progress",
    "cannot VACUUM from within a transaction", "cannot VACUUM - SQL statements in progress",
    "cannot change into wal mode from within a transaction",
    "cannot change out of wal mode from within a transaction",
    "Safety level may not be changed inside a transaction", "non-text filename",
    "output file already exists", "database is already attached",
    "attached databases must use the same text encoding as main database",
    "Cannot add a NOT NULL column with default value NULL",
    "Cannot add a REFERENCES column with non-NULL default value",
    "Cannot add a column with non-constant default", "string or blob too big",
    "parser stack overflow", "database corruption", "callback requested query abort",
    "incomplete input", "backup is not supported with encrypted databases",
  ]

  /// Texts that go on with names or SQL of the schema.
  private static let beginningsOfNames = [
    "near \"", "unrecognized token: ", "database table is locked: ", "database schema is locked: ",
    "malformed database schema",
    "malformed inverted index for FTS", "foreign key mismatch - ", "no such table: ",
    "no such tokenizer: ", "no such collation sequence: ", "no such savepoint: ",
    "too many levels of trigger recursion", "invalid fts5 file format ", "error in view ",
    "error in trigger ", "error in table ", "error in index ", "fts5: corruption ",
  ]

  /// Texts that go on with a value.
  private static let beginningsOfValues = [
    "bad JSON path: ", "JSON path error near ", "malformed MATCH expression: ",
    "fts5: syntax error near ", "unknown special query: ", "no such column: ",
    "no such database: ", "unable to open database: ", "no such vfs: ", "invalid uri authority: ",
    "unknown tokenizer: ", "unknown database ", "no such function: ", "no such cursor: ",
    "parse error in rank function: ", "parse error in ", "unrecognized matchinfo request: ",
    "no such rowid: ", "expected integer, got ",
  ]
}

extension DatabaseError {
  /// Returns the error of an execution, whose message from SQLite may quote values.
  ///
  /// ``expandedDescription`` still has them.
  package func hidingQuotedValues() -> DatabaseError {
    guard let message else { return self }
    let shown = SQLiteMessage(text: message, code: extendedResultCode)
      .withoutValues(of: sql ?? "")
    return shown == message ? self : replacing(message: shown, fullMessage: message)
  }
}
