import CofferCore

extension Database {
  // MARK: Tables

  /// Creates a table, and the indexes that its definition asks for.
  ///
  /// ```swift
  /// try db.create(table: "player") { t in
  ///   t.autoIncrementedPrimaryKey("id")
  ///   t.column("name", .text).notNull()
  ///   t.belongsTo("team", onDelete: .cascade)
  /// }
  /// ```
  ///
  /// Each is a statement of its own: outside of a transaction, the table stays if an index can't be
  /// created.
  /// - Throws: What `body` throws, or SQLite's error.
  public func create(
    table name: String, options: TableOptions = [], body: (TableDefinition) throws -> Void
  ) throws {
    let definition = TableDefinition(name)
    try body(definition)
    let statements = try DefinitionRenderer.statements(
      creating: definition, options: options, in: self)
    for sql in statements { try execute(sql: sql) }
  }

  /// Creates a table, and the indexes that its definition asks for.
  @_disfavoredOverload
  public func create(
    table name: String, temporary: Bool = false, ifNotExists: Bool = false,
    withoutRowID: Bool = false, body: (TableDefinition) throws -> Void
  ) throws {
    var options: TableOptions = []
    if temporary { options.insert(.temporary) }
    if ifNotExists { options.insert(.ifNotExists) }
    if withoutRowID { options.insert(.withoutRowID) }
    try create(table: name, options: options, body: body)
  }

  /// Renames a table.
  ///
  /// SQLite before 3.25 leaves views and the bodies of triggers as they are, and before 3.26
  /// references of other tables too where foreign keys are not enforced.
  public func rename(table name: String, to newName: String) throws {
    try execute(
      sql: "ALTER TABLE \(name.quotedDatabaseIdentifier) RENAME TO "
        + newName.quotedDatabaseIdentifier)
  }

  /// Changes a table, one statement for each change.
  ///
  /// ```swift
  /// try db.alter(table: "player") { t in
  ///   t.add(column: "url", .text)
  ///   t.rename(column: "mail", to: "email")
  /// }
  /// ```
  ///
  /// - Throws: What `body` throws, or SQLite's error at the first change that fails; outside of a
  ///   transaction, those before it stay.
  public func alter(table name: String, body: (TableAlteration) throws -> Void) throws {
    let alteration = TableAlteration(name)
    try body(alteration)
    for change in alteration.changes {
      let statements = try DefinitionRenderer.statements(of: change, table: name, in: self)
      for sql in statements { try execute(sql: sql) }
    }
  }

  /// Drops a table, with its rows, indexes and triggers.
  public func drop(table name: String) throws {
    try execute(sql: "DROP TABLE \(name.quotedDatabaseIdentifier)")
  }

  // MARK: Views

  /// Creates a view of what a request fetches.
  ///
  /// ```swift
  /// try db.create(view: "hero", as: Player.filter { $0.isHero })
  /// ```
  ///
  /// - Parameter columns: The names of the view's columns; nil for those of the request.
  public func create(
    view name: String, options: ViewOptions = [], columns: [String]? = nil,
    as subquery: some SQLSubqueryable
  ) throws {
    try create(
      view: name, options: options, columns: columns, asLiteral: subquery.sqlSubquery.sql)
  }

  /// Creates a view of what a query in SQL fetches.
  ///
  /// - Parameter columns: The names of the view's columns; nil for those of the query.
  public func create(
    view name: String, options: ViewOptions = [], columns: [String]? = nil, asLiteral literal: SQL
  ) throws {
    var sql = "CREATE \(options.contains(.temporary) ? "TEMPORARY " : "")VIEW "
    if options.contains(.ifNotExists) { sql += "IF NOT EXISTS " }
    sql += name.quotedDatabaseIdentifier
    if let columns { sql += " (\(columns.quotedList))" }
    try execute(sql: "\(sql) AS \(SQLExpression(sql: literal).quotedSQL(self))")
  }

  /// Drops a view.
  public func drop(view name: String) throws {
    try execute(sql: "DROP VIEW \(name.quotedDatabaseIdentifier)")
  }
}
