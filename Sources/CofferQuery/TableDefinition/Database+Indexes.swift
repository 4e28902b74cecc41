import CofferCore

extension Database {
  // MARK: Indexes

  /// Creates an index on columns, with a default name.
  ///
  /// ```swift
  /// // CREATE INDEX "index_player_on_name" ON "player"("name")
  /// try db.create(indexOn: "player", columns: ["name"])
  /// ```
  ///
  /// - Parameter condition: The condition for rows to include; nil for all.
  public func create(
    indexOn table: String, columns: [String], options: IndexOptions = [],
    condition: (any SQLExpressible)? = nil
  ) throws {
    try create(
      index: Database.defaultIndexName(on: table, columns: columns), on: table, columns: columns,
      options: options, condition: condition)
  }

  /// Creates an index on columns.
  ///
  /// - Parameter condition: The condition for rows to include; nil for all.
  public func create(
    index name: String, on table: String, columns: [String], options: IndexOptions = [],
    condition: (any SQLExpressible)? = nil
  ) throws {
    let index = IndexDefinition(
      name: name, table: table, columns: columns, options: options,
      condition: condition?.sqlExpression)
    try create(index)
  }

  /// Creates an index on columns.
  ///
  /// - Parameter condition: The condition for rows to include; nil for all.
  @_disfavoredOverload
  public func create(
    index name: String, on table: String, columns: [String], unique: Bool = false,
    ifNotExists: Bool = false, condition: (any SQLExpressible)? = nil
  ) throws {
    var options: IndexOptions = []
    if unique { options.insert(.unique) }
    if ifNotExists { options.insert(.ifNotExists) }
    try create(index: name, on: table, columns: columns, options: options, condition: condition)
  }

  /// Creates an index on expressions, or on columns with other collations.
  ///
  /// ```swift
  /// // CREATE INDEX "byName" ON "player"("name" COLLATE NOCASE)
  /// try db.create(index: "byName", on: "player", expressions: [Column("name").collating(.nocase)])
  /// ```
  ///
  /// - Parameter condition: The condition for rows to include; nil for all.
  public func create(
    index name: String, on table: String, expressions: [any SQLExpressible],
    options: IndexOptions = [], condition: (any SQLExpressible)? = nil
  ) throws {
    let index = IndexDefinition(
      name: name, table: table, expressions: expressions.map(\.sqlExpression), options: options,
      condition: condition?.sqlExpression)
    try create(index)
  }

  private func create(_ index: IndexDefinition) throws {
    try execute(sql: index.sql(self))
    if index.options.contains(.unique) { try refreshFollowers(of: index.table) }
  }

  /// Drops an index.
  public func drop(index name: String) throws {
    try execute(sql: "DROP INDEX \(name.quotedDatabaseIdentifier)")
  }

  /// Drops the index on columns of a table, regardless of its name; does nothing if there is none.
  ///
  /// Indexes of constraints are ignored. Of several indexes, the one with the default name of
  /// ``create(indexOn:columns:options:condition:)`` is dropped.
  /// - Throws: ``DatabaseError`` if there is no such table, or several indexes without the default
  ///   name.
  public func drop(indexOn table: String, columns: [String]) throws {
    let names = columns.map { SQLName($0) }
    let indexes = try indexes(on: table).filter {
      $0.origin == .createIndex && $0.columns.map { SQLName($0) } == names
    }
    guard indexes.count > 1 else {
      if let index = indexes.first { try drop(index: index.name) }
      return
    }
    let defaultName = Database.defaultIndexName(on: table, columns: columns)
    guard let index = indexes.first(where: { $0.name.isSameName(as: defaultName) }) else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "table \(table) has several indexes on these columns: "
          + indexes.map(\.name).joined(separator: ", "),
        hint: "Drop one by its name, with drop(index:).")
    }
    try drop(index: index.name)
  }
}
