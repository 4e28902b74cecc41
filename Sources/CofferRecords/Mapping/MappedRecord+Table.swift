import CofferCore
import CofferQuery

extension MappedRecord {
  /// Creates the table of the type.
  ///
  /// It has a column for each of the mapping's columns, with a type derived from the property's
  /// type, `NOT NULL` unless the property is optional, and the fields' options.
  ///
  /// ```swift
  /// struct Player: MappedRecord {
  ///   var id: Int64?
  ///   var name: String
  ///   var score: Int?
  ///   static let mapping = Mapping(
  ///     Player.init(id:name:score:), Field("id", \.id), Field("name", \.name, .unique),
  ///     Field("score", \.score))
  /// }
  /// // CREATE TABLE "player" ("id" INTEGER PRIMARY KEY AUTOINCREMENT,
  /// //   "name" TEXT NOT NULL UNIQUE, "score" INTEGER)
  /// try Player.createTable(db)
  /// ```
  ///
  /// The primary key consists of the columns with ``FieldOption/primaryKey``, or else of the column
  /// `id`. A single integer column is the rowid; if its property is optional, SQLite assigns the
  /// values.
  /// - Parameter body: Adds to the definition: keys of several columns, checks, other columns.
  /// - Throws: The error of `body`, or ``DatabaseError``.
  public static func createTable(
    _ db: Database, options: TableOptions = [],
    body: (TableDefinition) throws -> Void = { _ in }
  ) throws {
    try mapping.checkNames()
    try db.create(table: databaseTableName, options: options) { table in
      mapping.define(table, options)
      try body(table)
    }
  }
}

extension Database {
  /// Creates the table of a mapped record type: see ``MappedRecord/createTable(_:options:body:)``.
  public func create<Record: MappedRecord>(
    tableOf type: Record.Type, options: TableOptions = [],
    body: (TableDefinition) throws -> Void = { _ in }
  ) throws {
    try type.createTable(self, options: options, body: body)
  }
}

extension Mapping {
  /// Adds the columns to a definition.
  fileprivate func define(_ table: TableDefinition, _ options: TableOptions) {
    let key = primaryKey
    for column in columns {
      let type = column.declaredType
      let isKey = key == [column.name]
      let definition: ColumnDefinition
      if isKey, type == .integer, !options.contains(.withoutRowID) {
        definition =
          column.isOptional
          ? table.autoIncrementedPrimaryKey(column.name) : table.primaryKey(column.name, .integer)
      } else {
        definition = table.column(column.name, type ?? (options.contains(.strict) ? .any : nil))
        if isKey { definition.primaryKey() }
        if !column.isOptional || key.contains(column.name) { definition.notNull() }
      }
      for option in column.options {
        if case .define(let define) = option.kind { define(definition) }
      }
    }
    if key.count > 1 { table.primaryKey(key) }
  }

  /// The names of the primary key's columns; empty if there is no primary key.
  private var primaryKey: [String] {
    let declared = columns.filter(\.isInPrimaryKey).map(\.name)
    if !declared.isEmpty { return declared }
    return columns.first { $0.name.isSameName(as: "id") }.map { [$0.name] } ?? []
  }
}
