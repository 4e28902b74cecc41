import CofferVault

/// A cursor over the statements of an SQL text.
///
/// Each statement is compiled when the cursor reaches it.
public final class SQLStatementCursor: Cursor {
  /// A statement.
  public typealias Element = Statement

  /// Nil once the connection is released.
  private weak var database: Database?
  private let sql: String
  private var end = 0
  private var arguments: StatementArguments?
  private let argumentCount: Int

  init(database: Database, sql: String, arguments: StatementArguments?) {
    self.database = database
    self.sql = sql
    self.arguments = arguments
    argumentCount = arguments?.positional.count ?? 0
  }

  /// Returns the next statement, with its arguments bound if there are any; nil at the end.
  public func next() throws -> Statement? {
    guard end < sql.utf8.count else { return try finish() }
    do {
      guard let database else { throw DatabaseError.connectionIsClosed }
      let (statement, next) = try database.compile(sql, from: end, isPersistent: false)
      end = next
      guard let statement else { return try finish() }
      if var rest = arguments {
        try statement.consumeArguments(&rest)
        arguments = rest
      }
      return statement
    } catch {
      end = sql.utf8.count
      arguments = nil
      throw error
    }
  }

  private func finish() throws -> Statement? {
    guard let rest = arguments else { return nil }
    arguments = nil
    guard rest.positional.isEmpty else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "wrong number of statement arguments: \(argumentCount)")
    }
    return nil
  }
}
