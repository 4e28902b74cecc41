import CofferCore

extension Database {
  // MARK: Tables

  /// Creates a table with the indexes of its definition.
  ///
  /// ```swift
  /// try db.create(table: "player") { t in
  ///   t.autoIncrementedPrimaryKey("id")
  ///   t.column("name", .text).notNull()
  ///   t.belongsTo("team", onDelete: .cascade)
  /// }
  /// ```
  ///
  /// These are separate statements: outside of a transaction, the table remains if creating an
  /// index fails.
  /// - Throws: An error of `body`, or SQLite's error.
  public func create(
    table name: String, options: TableOptions = [], body: (TableDefinition) throws -> Void
  ) throws {
    let definition = TableDefinition(name)
    try body(definition)
    let statements = try DefinitionRenderer.statements(
      creating: definition, options: options, in: self)
    for sql in statements { try execute(sql: sql) }
  }

  /// Creates a table with the indexes of its definition.
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
  /// Before SQLite 3.25, views and trigger bodies aren't updated; before 3.26, neither are
  /// references of other tables if foreign keys are disabled.
  ///
  /// Full-text tables that are synchronized with the table follow it under its new name; they are
  /// created and indexed again.
  public func rename(table name: String, to newName: String) throws {
    try renameFollowed(name, to: newName)
  }

  /// Changes a table, with one statement per change.
  ///
  /// ```swift
  /// try db.alter(table: "player") { t in
  ///   t.add(column: "url", .text)
  ///   t.rename(column: "mail", to: "email")
  /// }
  /// ```
  ///
  /// - Throws: An error of `body`, or SQLite's error for the first change that fails; outside of a
  ///   transaction, earlier changes remain.
  public func alter(table name: String, body: (TableAlteration) throws -> Void) throws {
    let alteration = TableAlteration(name)
    try body(alteration)
    for change in alteration.changes {
      let statements = try DefinitionRenderer.statements(of: change, table: name, in: self)
      if case .rename(let column, let newName) = change {
        for sql in statements { try renameFollowedColumn(column, to: newName, of: name, sql) }
      } else {
        for sql in statements { try execute(sql: sql) }
      }
    }
  }

  /// Drops a table, with its rows, indexes and triggers.
  ///
  /// The triggers of a synchronized full-text table are dropped with it.
  public func drop(table name: String) throws { try dropFollowed(name) }

  // MARK: Views

  /// Creates a view from a request.
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

  /// Creates a view from an SQL query.
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
