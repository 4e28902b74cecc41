import CofferVault

extension StatementArguments: ErrorArguments {}

extension DatabaseError {
  /// Creates an error with a primary or extended code.
  /// - Parameters:
  ///   - message: The message; SQLite's description of the code if nil.
  ///   - publicStatementArguments: Whether ``description`` shows the arguments;
  ///     ``expandedDescription`` always does.
  public init(
    resultCode: ResultCode = .SQLITE_ERROR,
    message: String? = nil,
    sql: String? = nil,
    arguments: StatementArguments? = nil,
    publicStatementArguments: Bool = false
  ) {
    self.init(
      resultCode, message ?? resultCode.errorString, sql: sql, arguments: arguments,
      publicStatementArguments: publicStatementArguments)
  }

  /// The values of the statement's parameters, which can be private data.
  public var arguments: StatementArguments? { storedArguments as? StatementArguments }
}
