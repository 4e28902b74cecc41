import CofferCore

/// The definition of an index.
struct IndexDefinition {
  var name: String
  var table: String
  var expressions: [SQLExpression]
  var options: IndexOptions
  var condition: SQLExpression?

  init(
    name: String, table: String, columns: [String], options: IndexOptions = [],
    condition: SQLExpression? = nil
  ) {
    self.init(
      name: name, table: table, expressions: columns.map { Column($0).sqlExpression },
      options: options, condition: condition)
  }

  init(
    name: String, table: String, expressions: [SQLExpression], options: IndexOptions,
    condition: SQLExpression?
  ) {
    self.name = name
    self.table = table
    self.expressions = expressions
    self.options = options
    self.condition = condition
  }

  func sql(_ db: Database) throws -> String {
    var sql = "CREATE \(options.contains(.unique) ? "UNIQUE " : "")INDEX "
    if options.contains(.ifNotExists) { sql += "IF NOT EXISTS " }
    let terms = try expressions.map { try $0.quotedSQL(db) }.joined(separator: ", ")
    sql += "\(name.quotedDatabaseIdentifier) ON \(table.quotedDatabaseIdentifier)(\(terms))"
    if let condition { sql += " WHERE \(try condition.quotedSQL(db))" }
    return sql
  }
}

extension Database {
  /// Returns the default name of an index.
  static func defaultIndexName(on table: String, columns: [String]) -> String {
    "index_\(table)_on_\(columns.joined(separator: "_"))"
  }
}
