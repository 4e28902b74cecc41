import CofferVault

// From version 4.7 on, SQLCipher refuses all pages of a connection after one that it couldn't
// decrypt, whether that is damaged or couldn't be read. Up to 4.17 it then reports that memory is
// exhausted, 4.18 that there is no database, and 4.19 returns pages of zeros. Versions after 4.10
// can be asked:
// <https://github.com/sqlcipher/sqlcipher/blob/v4.7.0/src/sqlcipher.c>.
extension Database {
  /// Whether SQLCipher can refuse pages, and has to be asked.
  var canBeRefusedPages: Bool { SQLiteFeatures.linked.refusesPagesAfterFailure }

  /// Explains an error of a connection whose pages SQLCipher refuses, and notes the first one.
  func explainingRefusedPages(_ error: DatabaseError) -> DatabaseError {
    // Pages of another key are refused for good.
    guard canBeRefusedPages, setup == nil, error.cipherDiagnosis == nil,
      isKeyed || keying.mayHaveAttachedFile, error.canBeRefusedPage,
      let schema = refusedSchema
    else { return error }
    guard schema == "main" else {
      return DatabaseError(
        resultCode: .SQLITE_CORRUPT, message: "a page of \(schema) can't be decrypted",
        sql: error.sql,
        hint: "SQLCipher refuses all pages of the attached file since then: detach it, and attach "
          + "it again.")
    }
    guard let first = keying.refusal else {
      let first =
        [.SQLITE_NOMEM, .SQLITE_ERROR, .SQLITE_READONLY].contains(error.resultCode)
        ? Database.damage(sql: error.sql) : error
      keying.refusal = first
      return first
    }
    return DatabaseError(
      resultCode: first.extendedResultCode, message: first.message ?? "", sql: error.sql,
      hint: "SQLCipher refuses all pages of a connection after one that it couldn't read. "
        + (canReopen
          ? "The next access opens the file again."
          : "Close the database, and open it again."))
  }

  /// The first schema whose pages are refused.
  var refusedSchema: String? {
    func isRefused(_ schema: String) -> Bool {
      let status = try? setting("PRAGMA \(schema.quotedDatabaseIdentifier).cipher_status")
      if let status { return status == "0" }
      guard schema == "main", let connection = sqliteConnection else { return false }
      let code = control.run(.touchSchema, in: connection)
      return code == ResultCode.SQLITE_NOMEM.rawValue && SQLite.hasMemory
    }
    if isKeyed, isRefused("main") { return "main" }
    return keying.mayHaveAttachedFile ? attachedSchemas.first(where: isRefused) : nil
  }

  /// The names of the attached files.
  var attachedSchemas: [String] {
    guard let connection = sqliteConnection else { return [] }
    let names = (0...).lazy.map { index in
      try? LibrarySQL.scalar(
        "SELECT name FROM pragma_database_list WHERE seq > 1 LIMIT 1 OFFSET \(index)",
        in: connection)
    }
    return names.prefix { $0 != nil }.compactMap(\.self)
  }

  /// Whether nothing would be lost by closing the connection that isn't lost already: what follows
  /// the log has to see each commit.
  private var canReopen: Bool {
    !isInMemory && snapshotVersion == nil && freshness.session == nil
      && checkpointer?.hasFollowers != true
  }

  /// Opens the file again if SQLCipher refuses its pages.
  ///
  /// - Throws: What opening it throws; the next access tries again.
  func recoverFromRefusedPages() throws {
    guard keying.refusal != nil, canReopen else { return }
    if let connection = sqliteConnection {
      guard SQLite.isAutocommit(connection) else { return }
      functions.lost = functions.additions
      closeConnection()
    }
    keying.checkedMisses = 0
    try Opening.reopen(self)
    keying.refusal = nil
    for function in functions.lost.functions.values
    where functions.additions.functions[function.id] == nil { add(function: function) }
    for collation in functions.lost.collations.values
    where functions.additions.collations[collation.id] == nil { add(collation: collation) }
    functions.lost = SQLAdditions()
  }

  /// Notes the error of an access, if SQLCipher refuses pages since then.
  func noteRefusedPages(_ error: any Error) {
    guard canBeRefusedPages, keying.refusal == nil, let error = error as? DatabaseError else {
      return
    }
    _ = explainingRefusedPages(error)
  }
}

extension DatabaseError {
  /// Whether SQLite reports this error for a page that SQLCipher refuses.
  fileprivate var canBeRefusedPage: Bool {
    switch resultCode {
    case .SQLITE_NOTADB, .SQLITE_CORRUPT, .SQLITE_IOERR: true
    case .SQLITE_READONLY: extendedResultCode == .SQLITE_READONLY
    // Errors with other messages are about a statement.
    case .SQLITE_ERROR, .SQLITE_NOMEM: message == SQLite.errorString(resultCode.rawValue)
    default: false
    }
  }
}
