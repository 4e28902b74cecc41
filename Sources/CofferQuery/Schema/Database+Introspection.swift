import CofferCore

extension Database {
  // MARK: What exists
  //
  // Names are looked up as SQLite does: in either case, and without a schema in
  // the temporary one, the main one, and those that are attached.

  /// Whether there is a table of that name, a virtual one included; views are none.
  ///
  /// - Parameter schemaName: `main`, `temp` or the name of an attached database; nil for all.
  /// - Throws: An error where there is no such schema.
  public func tableExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
    guard let object = try schemaCache.object(named: name, in: schemaName) else { return false }
    if object.kind != .view || schemaName != nil { return object.kind != .view }
    return try existsBehind(object, where: { $0.kind != .view })
  }

  /// Whether there is a view of that name.
  ///
  /// - Parameter schemaName: `main`, `temp` or the name of an attached database; nil for all.
  /// - Throws: An error where there is no such schema.
  public func viewExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
    guard let object = try schemaCache.object(named: name, in: schemaName) else { return false }
    if object.kind == .view || schemaName != nil { return object.kind == .view }
    return try existsBehind(object, where: { $0.kind == .view })
  }

  /// Whether there is a trigger of that name.
  ///
  /// - Parameter schemaName: `main`, `temp` or the name of an attached database; nil for all.
  /// - Throws: An error where there is no such schema.
  public func triggerExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
    try schemaCache.hasTrigger(named: name, in: schemaName)
  }

  /// Whether another schema has an object of that name, which this one hides.
  private func existsBehind(
    _ hiding: SchemaTable, where condition: (SchemaTable) -> Bool
  ) throws -> Bool {
    try schemaCache.objects(named: hiding.id.name).contains(where: condition)
  }

  /// Whether the name is that of a table of SQLite's own, or one that it reserves.
  public static func isSQLiteInternalTable(_ tableName: some StringProtocol) -> Bool {
    SQLName(String(tableName)).isInternal
  }

  /// Whether the name is that of a table in which migrations are recorded.
  public static func isGRDBInternalTable(_ tableName: some StringProtocol) -> Bool {
    tableName.lowercased().hasPrefix("grdb_")
  }

  /// SQLite's count of the changes to the main schema, made by any connection.
  public func schemaVersion() throws -> Int32 {
    try schemaVersion(of: .main)
  }

  // MARK: What a table has

  /// The columns of a table or view, in their order.
  ///
  /// Generated columns are among them, where SQLite can have any; hidden ones of virtual tables
  /// are not.
  /// - Parameter schemaName: `main`, `temp` or the name of an attached database; nil for the
  ///   first that has the table.
  /// - Throws: An error where there is no such table or schema.
  public func columns(in tableName: String, in schemaName: String? = nil) throws -> [ColumnInfo] {
    try schemaCache.reading(tableName, in: schemaName) { object in
      let columns = try schemaCache.allColumns(of: object)
      return columns.contains(where: \.isHidden) ? columns.filter { !$0.isHidden } : columns
    }
  }

  /// The primary key of a table.
  ///
  /// Each table has one: where none was declared, it is the rowid. Those of views are known to
  /// ``Configuration/schemaSource`` alone.
  /// - Parameter schemaName: `main`, `temp` or the name of an attached database; nil for the
  ///   first that has the table.
  /// - Throws: An error where there is no such table or schema, and for a view without a key.
  public func primaryKey(
    _ tableName: String, in schemaName: String? = nil
  ) throws -> PrimaryKeyInfo {
    guard let key = try primaryKeyIfAny(tableName, in: schemaName) else {
      throw DatabaseError.noSuchTable(
        tableName, note: "It is a view: Configuration.schemaSource can tell its primary key.")
    }
    return key
  }

  /// The indexes on columns of a table: constraints' own, and those that were created.
  ///
  /// Indexes on expressions are not among them.
  /// - Parameter schemaName: `main`, `temp` or the name of an attached database; nil for the
  ///   first that has the table.
  /// - Throws: An error where there is no such table or schema.
  public func indexes(on tableName: String, in schemaName: String? = nil) throws -> [IndexInfo] {
    try schemaCache.reading(tableName, in: schemaName) { try schemaCache.indexes(of: $0) }
  }

  /// Whether no two rows of a table can have the same values in some columns.
  ///
  /// Those of the primary key, or of a unique index on all rows, are among the columns.
  /// - Throws: An error where there is no such table.
  public func table(
    _ tableName: String, hasUniqueKey columns: some Sequence<String>
  ) throws -> Bool {
    try uniqueKey(of: tableName, on: columns) != nil
  }

  /// The references of a table to others.
  ///
  /// One that names no columns is to the primary key of the other table.
  /// - Parameter schemaName: `main`, `temp` or the name of an attached database; nil for the
  ///   first that has the table.
  /// - Throws: An error where there is no such table or schema.
  public func foreignKeys(
    on tableName: String, in schemaName: String? = nil
  ) throws -> [ForeignKeyInfo] {
    try schemaCache.reading(tableName, in: schemaName) { try schemaCache.foreignKeys(of: $0) }
  }

  // MARK: Schema sources

  /// Executes `block`, in which another source completes the schema.
  ///
  /// - Parameter schemaSource: Nil for none.
  public func withSchemaSource<T>(
    _ schemaSource: (any DatabaseSchemaSource)?, execute block: () throws -> T
  ) rethrows -> T {
    let previous = self.schemaSource
    self.schemaSource = schemaSource
    schemaCache.forgetViewKeys()
    defer {
      self.schemaSource = previous
      schemaCache.forgetViewKeys()
    }
    return try block()
  }
}
