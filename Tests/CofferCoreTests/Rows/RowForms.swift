@testable import CofferCore
import Testing

/// Executes `body` with the first row of a query as `fetchOne` copies it, and again with that row
/// as a cursor shows it.
func withCopiedAndLiveRow(
  _ db: Database, _ sql: String, arguments: StatementArguments = [],
  adapter: (any RowAdapter)? = nil, _ body: (Row) throws -> Void
) throws {
  try body(#require(try Row.fetchOne(db, sql: sql, arguments: arguments, adapter: adapter)))
  let cursor = try Row.fetchCursor(db, sql: sql, arguments: arguments, adapter: adapter)
  try body(#require(try cursor.next()))
}
