import CofferCore

extension SQLInterpolation {
  // MARK: Tables

  /// `\(Player.self)` appends the name of the type's table.
  public mutating func appendInterpolation<T: TableRecord>(_ table: T.Type) {
    appendInterpolation(identifier: table.databaseTableName)
  }

  /// `\(table)` appends the name of the table.
  public mutating func appendInterpolation<T>(_ table: Table<T>) {
    appendInterpolation(identifier: table.tableName)
  }

  /// `\(tableOf: player)` appends the name of the record's table.
  public mutating func appendInterpolation(tableOf record: any TableRecord) {
    appendInterpolation(identifier: type(of: record).databaseTableName)
  }

  /// `\(columnsOf: Player.self)` appends the record type's selection.
  ///
  /// ```swift
  /// // SELECT "player".* FROM "player"
  /// let request: SQLRequest<Row> = "SELECT \(columnsOf: Player.self) FROM \(Player.self)"
  /// ```
  ///
  /// - Parameter alias: The table's alias in the SQL; nil for its name.
  public mutating func appendInterpolation<T: TableRecord>(
    columnsOf table: T.Type, tableAlias alias: String? = nil
  ) {
    append(
      .node(
        QualifiedSelection(
          selection: T.databaseSelection.map(\.sqlSelection),
          qualifier: alias ?? T.databaseTableName, tableName: T.databaseTableName
        ).object))
  }

  /// `\(alias)` appends the name of an alias.
  public mutating func appendInterpolation(_ alias: any TableAliasBase) {
    append(.node(AliasName(alias: alias).object))
  }

  /// `\(CodingKeys.name)` appends the name of the key's column.
  public mutating func appendInterpolation(_ key: some CodingKey) {
    appendInterpolation(identifier: key.stringValue)
  }

  // MARK: Common table expressions

  /// `\(cte)` appends the name of a common table expression.
  public mutating func appendInterpolation<T>(_ cte: CommonTableExpression<T>) {
    appendInterpolation(identifier: cte.tableName)
  }

  /// `\(definitionFor: cte)` appends `name(columns) AS (query)`.
  ///
  /// ```swift
  /// let request: SQLRequest<Row> = "WITH \(definitionFor: cte) SELECT * FROM \(cte)"
  /// ```
  public mutating func appendInterpolation<T>(definitionFor cte: CommonTableExpression<T>) {
    append(.node(cte.expression.object))
  }
}

/// A selection of a table with an explicit qualifier.
private struct QualifiedSelection: SQLNode {
  let selection: [SQLSelection]
  let qualifier: String
  let tableName: String

  func render(into renderer: inout SQLRenderer) throws {
    let outer = (renderer.qualifier, renderer.tableName)
    (renderer.qualifier, renderer.tableName) = (qualifier, tableName)
    defer { (renderer.qualifier, renderer.tableName) = outer }
    try renderer.append(selection)
  }
}

private struct AliasName: SQLNode {
  let alias: any TableAliasBase

  func render(into renderer: inout SQLRenderer) throws {
    let name = try alias._name ?? renderer.table(of: alias).name
    renderer.append(identifier: name)
  }
}
