import CofferCore
import CofferRecords

/// The document type of SQL that belongs to no collection, and so has no properties.
public struct NoProperties: Codable, Sendable {}

extension DocumentStore {
  /// Executes SQL and ignores any rows.
  ///
  /// ```swift
  /// try store.execute("DELETE FROM \(employees) WHERE name = \(name)")
  /// ```
  ///
  /// Outside an access, it runs without a transaction.
  public func execute(_ sql: SQLFragment<NoProperties>) throws {
    if let db = currentDatabase { return try sql.execute(db) }
    try writer.writeWithoutTransaction(sql.execute)
  }

  /// Executes SQL on another thread and ignores any rows.
  public func execute(_ sql: SQLFragment<NoProperties>) async throws {
    try await writer.writeWithoutTransaction { try sql.execute($0) }
  }

  /// Executes SQL and decodes a value from its rows.
  ///
  /// ```swift
  /// let count = try store.execute(Int.self, "SELECT count(*) FROM \(employees)")
  /// let names = try store.execute([String].self, "SELECT name FROM \(employees)")
  /// ```
  ///
  /// A value such as `Int` is decoded from the first column of the first row, a `Codable` struct
  /// from its columns named like the properties, and a dictionary from all its columns by name. An
  /// array of these is decoded from all rows, and an array of arrays from all columns of all rows,
  /// in order. An optional is nil if there is no row.
  /// - Throws: ``DocumentError`` if there is no row; ``RowDecodingError`` if a column's value can't
  ///   be decoded as the type.
  public func execute<T: Decodable>(
    _ type: T.Type, _ sql: SQLFragment<NoProperties>
  ) throws -> T {
    if let db = currentDatabase { return try sql.fetch(type, db) }
    if let result = try writer.read({ try sql.fetchIfReadonly(type, $0) }) { return result }
    return try writer.write { try sql.fetch(type, $0) }
  }

  /// Executes SQL on another thread and decodes a value from its rows.
  ///
  /// - Throws: The errors of the synchronous form.
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

  /// Fetches on a reading connection; returns nil if the SQL writes.
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
