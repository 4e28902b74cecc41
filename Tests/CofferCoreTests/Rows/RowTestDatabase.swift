@testable import CofferCore
import Foundation

/// An encrypted queue on a new file.
struct RowTestDatabase {
  let directory: TemporaryDirectory
  let queue: DatabaseQueue

  init() throws {
    directory = try TemporaryDirectory()
    queue = try DatabaseQueue(
      path: directory.path("db"), key: try .raw([UInt8](repeating: 7, count: 32)))
  }

  /// Executes `body` on a new queue.
  static func with<Result>(_ body: (Database) throws -> Result) throws -> Result {
    let database = try RowTestDatabase()
    defer { withExtendedLifetime(database.directory) {} }
    return try database.queue.write(body)
  }

  /// The row of a query, as `fetchOne` copies it and as a cursor shows it.
  static func both(
    _ db: Database, _ sql: String, arguments: StatementArguments = [],
    adapter: (any RowAdapter)? = nil, _ body: (Row) throws -> Void
  ) throws {
    guard let copy = try Row.fetchOne(db, sql: sql, arguments: arguments, adapter: adapter)
    else { throw DatabaseError(message: "no row") }
    try body(copy)
    let cursor = try Row.fetchCursor(db, sql: sql, arguments: arguments, adapter: adapter)
    guard let live = try cursor.next() else { throw DatabaseError(message: "no row") }
    try body(live)
  }
}
