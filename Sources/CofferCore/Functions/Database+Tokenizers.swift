import CofferVault

/// The error of a tokenizer called by SQLite, which only forwards its code and no message.
struct TokenizerFailure {
  var code: CInt
  var tokenizer: String
  var message: String
}

/// A tokenizer that is registered once FTS5 can be found. It holds a closure and no memory of
/// SQLite's.
@safe struct WaitingTokenizer {
  let name: String
  let make: (Database, [String]) throws -> SQLite.Tokenize
}

extension Database {
  /// Registers an FTS5 tokenizer in this connection.
  ///
  /// Does nothing if SQLite has no FTS5, in which case no statement can use a tokenizer.
  /// - Parameter make: Creates a tokenizer; SQLite calls it with the arguments of `tokenize=`
  ///   whenever it opens a table.
  package func addTokenizer(
    named name: String, make: @escaping (Database, [String]) throws -> SQLite.Tokenize
  ) {
    precondition(CName.isWhole(name), "a tokenizer's name has no NUL")
    // The closure is called by this connection, so it is alive.
    register("the tokenizer \(name)") { [unowned self] _ in
      guard let fts5API else {
        setup?.waitingTokenizers.append(unsafe WaitingTokenizer(name: name, make: make))
        return SQLite.ok
      }
      return SQLite.addTokenizer(named: name, to: fts5API) {
        [unowned self] arguments throws(SQLite.Failure) in
        do {
          return try unsafe make(self, arguments)
        } catch {
          throw SQLite.Failure(code: noteTokenizerFailure(error, of: name))
        }
      }
    }
  }

  /// Stores the error of a tokenizer for the error that SQLite will report.
  ///
  /// - Returns: The code for SQLite.
  package func noteTokenizerFailure(_ error: any Error, of tokenizer: String) -> CInt {
    let databaseError = error as? DatabaseError
    var code = databaseError?.extendedResultCode ?? .SQLITE_ERROR
    // Codes that aren't failures, and the one that makes SQLite restart the statement.
    switch code.primaryResultCode {
    case .SQLITE_OK, .SQLITE_ROW, .SQLITE_DONE, .SQLITE_SCHEMA: code = .SQLITE_ERROR
    default: break
    }
    hooks.tokenizerFailure = TokenizerFailure(
      code: code.rawValue, tokenizer: tokenizer,
      message: databaseError?.message ?? "\(error)")
    return code.rawValue
  }

  /// Adds the error of a tokenizer, or the remedy for a missing tokenizer, to an error.
  func explainingTokenizers(_ error: DatabaseError) -> DatabaseError {
    let failure = hooks.tokenizerFailure
    hooks.tokenizerFailure = nil
    if let failure, failure.code & 0xFF == error.resultCode.rawValue {
      return DatabaseError(
        ResultCode(rawValue: failure.code), failure.message,
        hint: "The tokenizer \(failure.tokenizer) has thrown it.", sql: error.sql,
        arguments: error.arguments,
        publicStatementArguments: configuration.publicStatementArguments)
    }
    guard error.hint == nil, error.message?.hasPrefix("no such tokenizer: ") == true else {
      return error
    }
    return error.addingHint(
      "It isn't registered in this connection: call db.add(tokenizer:) in "
        + "Configuration.prepareDatabase, which registers it in all connections.")
  }
}

extension Database {
  /// Returns and clears the error of a tokenizer that wasn't called by a statement; nil if none.
  package func takeTokenizerError() -> DatabaseError? {
    guard let failure = hooks.tokenizerFailure else { return nil }
    hooks.tokenizerFailure = nil
    return DatabaseError(
      ResultCode(rawValue: failure.code), failure.message,
      hint: "The tokenizer \(failure.tokenizer) has thrown it.")
  }
}
