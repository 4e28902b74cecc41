import CofferCore
import CofferRecords

/// A type of no collection: SQL for a whole store has no properties of its own.
public struct NoProperties: Codable, Sendable {}

extension DocumentStore {
  /// Executes SQL; rows that it gives are ignored.
  ///
  /// ```swift
  /// try store.execute("DELETE FROM \(employees) WHERE name = \(name)")
  /// ```
  ///
  /// Outside of an access, it runs without a transaction around it.
  public func execute(_ sql: SQLFragment<NoProperties>) throws {
    if let db = currentDatabase { return try sql.execute(db) }
    try writer.writeWithoutTransaction(sql.execute)
  }

  /// Executes SQL on another thread; rows that it gives are ignored.
  public func execute(_ sql: SQLFragment<NoProperties>) async throws {
    try await writer.writeWithoutTransaction { try sql.execute($0) }
  }

  /// Executes SQL, and makes a value of its rows.
  ///
  /// ```swift
  /// let count = try store.execute(Int.self, "SELECT count(*) FROM \(employees)")
  /// let names = try store.execute([String].self, "SELECT name FROM \(employees)")
  /// ```
  ///
  /// Of the first row, a value such as `Int` takes the first column, a `Codable` struct the columns
  /// named as its properties, and a dictionary all columns by their names. An array of these takes
  /// all rows, and an array of arrays all columns of all rows, in their order. An optional is nil
  /// where there is no row.
  /// - Throws: ``DocumentError`` where there is no row; ``RowDecodingError`` where the type doesn't
  ///   take a column's value.
  public func execute<T: Decodable>(
    _ type: T.Type, _ sql: SQLFragment<NoProperties>
  ) throws -> T {
    if let db = currentDatabase { return try sql.fetch(type, db) }
    if let result = try writer.read({ try sql.fetchIfReadonly(type, $0) }) { return result }
    return try writer.write { try sql.fetch(type, $0) }
  }

  /// Executes SQL on another thread, and makes a value of its rows.
  ///
  /// - Throws: What the synchronous form throws.
  public func execute<T: Decodable & Sendable>(
    _ type: T.Type, _ sql: SQLFragment<NoProperties>
  ) async throws -> T {
    if let result = try await writer.read({ try sql.fetchIfReadonly(type, $0) }) { return result }
    return try await writer.write { try sql.fetch(type, $0) }
  }
}

extension SQLFragment {
  fileprivate func execute(_ db: Database) throws {
    let (sql, arguments) = try built(db)
    try db.execute(sql: sql, arguments: arguments)
  }

  /// What a connection that reads can say; nil for SQL that writes.
  fileprivate func fetchIfReadonly<T: Decodable>(_ type: T.Type, _ db: Database) throws -> T? {
    let statement = try db.fetchStatement(built(db).sql)
    guard statement.isReadonly else { return nil }
    return try fetch(type, db)
  }

  fileprivate func fetch<T: Decodable>(_ type: T.Type, _ db: Database) throws -> T {
    let (sql, arguments) = try built(db)
    let statement = try db.fetchStatement(sql)
    let rows = try CofferCore.Row.fetchCursor(statement, arguments: arguments)
    return try ExecutionResult.value(type, rows)
  }

  private func built(_ db: Database) throws -> (sql: String, arguments: StatementArguments) {
    let rendered = try rendered(collation: .columns)
    for collation in rendered.collations { collation.ensure(in: db) }
    return try rendered.sql.build(db)
  }
}
