import CofferCore
import CofferQuery

/// Rows of a collection's table, rewritten one by one in Swift.
struct DocumentRows {
  private let schema: CollectionSchema
  private let db: Database
  /// The quoted columns that identify a row.
  private let key: [String]
  /// The values of these columns in each row.
  private let keys: [[DatabaseValue]]

  /// - Parameter condition: The condition of the rows, in SQL.
  init(_ schema: CollectionSchema, where condition: String? = nil, _ db: Database) throws {
    self.schema = schema
    self.db = db
    let key = try schema.rowKey(db)
    self.key = key
    let columns = key.joined(separator: ", ")
    let clause = condition.map { " WHERE \($0)" } ?? ""
    let rows = try Row.fetchCursor(
      db, sql: "SELECT \(columns) FROM \(schema.quotedTable)\(clause)")
    keys = try Array(rows.map { row in key.indices.map { row.databaseValue(at: $0) } })
  }

  /// Updates each row with the values that `body` returns.
  ///
  /// - Parameters:
  ///   - columns: The expressions to select, such as quoted column names.
  ///   - body: Returns columns and the SQL of their new values; an empty array leaves the row
  ///     unchanged.
  func rewrite(_ columns: [String], _ body: (Row) throws -> [(String, SQL)]) throws {
    let condition = key.map { "\($0) = ?" }.joined(separator: " AND ")
    let selection = """
      SELECT \(columns.isEmpty ? "NULL" : columns.joined(separator: ", "))
      FROM \(schema.quotedTable) WHERE \(condition)
      """
    for key in keys {
      guard let row = try Row.fetchOne(db, sql: selection, arguments: StatementArguments(key))
      else { continue }
      let values: [(String, SQL)]
      do { values = try body(row) } catch let error as RowDecodingError {
        throw try naming(error, key, condition)
      }
      guard !values.isEmpty else { continue }
      let assignments = values.map { "\(identifier: $0) = \($1)" as SQL }.joined(separator: ", ")
      let target = SQL(sql: condition, arguments: StatementArguments(key))
      try db.execute(
        literal: "UPDATE \(sql: schema.quotedTable) SET \(assignments) WHERE \(target)")
    }
  }

  private func naming(
    _ error: RowDecodingError, _ key: [DatabaseValue], _ condition: String
  ) throws -> RowDecodingError {
    guard let id = schema.identifier, try schema.hasColumn(id.name, db) else { return error }
    let sql = "SELECT \(id.sqlText()) FROM \(schema.quotedTable) WHERE \(condition)"
    let value = try DatabaseValue.fetchOne(db, sql: sql, arguments: StatementArguments(key))
    return value.map { error.naming(recordKey: $0) } ?? error
  }
}

extension CollectionSchema {
  /// Returns the quoted columns that identify the table's rows.
  ///
  /// - Throws: ``DocumentError`` if no columns do.
  func rowKey(_ db: Database) throws -> [String] {
    guard let key = try db.primaryKeyIfAny(tableName, in: "main") else {
      throw DocumentError(
        "the rows of \(typeName) can't be identified, since its properties use all names of "
          + "SQLite's rowid",
        hint: "Rename one of them in CodingKeys.")
    }
    if let column = key.rowIDColumn { return [column.quotedDatabaseIdentifier] }
    return key.rowIDName.map { [$0] } ?? key.columns.map(\.quotedDatabaseIdentifier)
  }
}
