import CofferCore

extension Database {
  // MARK: Tables, views and triggers
  //
  // Names are looked up as SQLite does: case-insensitively, and without a schema in the temporary
  // one, the main one, and the attached ones.

  /// Returns whether there is a table with this name. Virtual tables count, views don't.
  ///
  /// - Parameter schemaName: `main`, `temp` or the name of an attached database; nil for all.
  /// - Throws: ``DatabaseError`` if there is no such schema.
  public func tableExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
    guard let object = try schemaCache.object(named: name, in: schemaName) else { return false }
    if object.kind != .view || schemaName != nil { return object.kind != .view }
    return try existsBehind(object, where: { $0.kind != .view })
  }

  /// Returns whether there is a view with this name.
  ///
  /// - Parameter schemaName: `main`, `temp` or the name of an attached database; nil for all.
  /// - Throws: ``DatabaseError`` if there is no such schema.
  public func viewExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
    guard let object = try schemaCache.object(named: name, in: schemaName) else { return false }
    if object.kind == .view || schemaName != nil { return object.kind == .view }
    return try existsBehind(object, where: { $0.kind == .view })
  }

  /// Returns whether there is a trigger with this name.
  ///
  /// - Parameter schemaName: `main`, `temp` or the name of an attached database; nil for all.
  /// - Throws: ``DatabaseError`` if there is no such schema.
  public func triggerExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
    try schemaCache.hasTrigger(named: name, in: schemaName)
  }

  /// Returns whether some schema has an object of this name that satisfies a condition.
  ///
  /// The object may be hidden by this one.
  private func existsBehind(
    _ hiding: SchemaTable, where condition: (SchemaTable) -> Bool
  ) throws -> Bool {
    try schemaCache.objects(named: hiding.id.name).contains(where: condition)
  }

  /// Returns whether the name is one of SQLite's internal tables, or reserved for them.
  public static func isSQLiteInternalTable(_ tableName: some StringProtocol) -> Bool {
    SQLName(String(tableName)).isInternal
  }

  /// Returns whether the name is one of the tables that record migrations.
  public static func isGRDBInternalTable(_ tableName: some StringProtocol) -> Bool {
    tableName.lowercased().hasPrefix("grdb_")
  }

  /// Returns SQLite's count of changes to the main schema, by any connection.
  public func schemaVersion() throws -> Int32 {
    try schemaVersion(of: .main)
  }

  // MARK: Parts of a table

  /// Returns the columns of a table or view, in order.
  ///
  /// Generated columns are included if SQLite supports them; hidden columns of virtual tables are
  /// not.
  /// - Parameter schemaName: `main`, `temp` or the name of an attached database; nil for the first
  ///   with such a table.
  /// - Throws: ``DatabaseError`` if there is no such table or schema.
  public func columns(in tableName: String, in schemaName: String? = nil) throws -> [ColumnInfo] {
    try schemaCache.reading(tableName, in: schemaName) { object in
      let columns = try schemaCache.allColumns(of: object)
      return columns.contains(where: \.isHidden) ? columns.filter { !$0.isHidden } : columns
    }
  }

  /// Returns the primary key of a table.
  ///
  /// A table without a declared primary key has the rowid, unless its columns have all of its
  /// names. Only ``Configuration/schemaSource`` defines the keys of views.
  /// - Parameter schemaName: `main`, `temp` or the name of an attached database; nil for the first
  ///   with such a table.
  /// - Throws: ``DatabaseError`` if there is no such table or schema, and for a view or a table
  ///   without a key.
  public func primaryKey(
    _ tableName: String, in schemaName: String? = nil
  ) throws -> PrimaryKeyInfo {
    guard let key = try primaryKeyIfAny(tableName, in: schemaName) else {
      guard try schemaCache.object(named: tableName, in: schemaName)?.kind == .view else {
        throw DatabaseError(
          resultCode: .SQLITE_MISUSE, message: "table \(tableName) has no primary key",
          hint: "Its columns have all the names of the rowid: rename one, or add a primary key.")
      }
      throw DatabaseError.noSuchTable(
        tableName, note: "It is a view: define its primary key in Configuration.schemaSource.")
    }
    return key
  }

  /// Returns the indexes on columns of a table, including those of constraints.
  ///
  /// Indexes on expressions are not included.
  /// - Parameter schemaName: `main`, `temp` or the name of an attached database; nil for the first
  ///   with such a table.
  /// - Throws: ``DatabaseError`` if there is no such table or schema.
  public func indexes(on tableName: String, in schemaName: String? = nil) throws -> [IndexInfo] {
    try schemaCache.reading(tableName, in: schemaName) { try schemaCache.indexes(of: $0) }
  }

  /// Returns whether some columns include a unique key.
  ///
  /// No two rows have the same values in them then. A unique key is the primary key, or a unique
  /// index that isn't partial.
  /// - Throws: ``DatabaseError`` if there is no such table.
  public func table(
    _ tableName: String, hasUniqueKey columns: some Sequence<String>
  ) throws -> Bool {
    try uniqueKey(of: tableName, on: columns) != nil
  }

  /// Returns the foreign keys of a table.
  ///
  /// A foreign key without destination columns refers to the primary key of the other table.
  /// - Parameter schemaName: `main`, `temp` or the name of an attached database; nil for the first
  ///   with such a table.
  /// - Throws: ``DatabaseError`` if there is no such table or schema.
  public func foreignKeys(
    on tableName: String, in schemaName: String? = nil
  ) throws -> [ForeignKeyInfo] {
    try schemaCache.reading(tableName, in: schemaName) { try schemaCache.foreignKeys(of: $0) }
  }

  // MARK: Schema sources

  /// Executes `block` with another schema source.
  ///
  /// - Parameter schemaSource: The source; nil for none.
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
