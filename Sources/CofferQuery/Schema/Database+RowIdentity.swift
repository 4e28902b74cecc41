import CofferCore

// What tells the rows of a table apart.

extension Database {
  /// Returns the columns that tell the rows of a table apart: its rowid, or else its primary key.
  ///
  /// - Throws: ``DatabaseError`` if there are none.
  func rowIdentity(of table: String) throws -> [SQLExpression] {
    let key = try primaryKey(table)
    if let name = key.rowIDName { return [Column(name).sqlExpression] }
    if try mayHaveNullKeys(table) {
      let condition = key.columns.map { Column($0).sqlExpression == nil }
      let request = Relation(table: table, selection: [1.sqlExpression]).filtered(
        SQLExpression.AssociativeBinaryOperator.or.joining(condition))
      if try !QueryInterfaceRequest<Row>(relation: request).isEmpty(self) {
        throw DatabaseError(
          resultCode: .SQLITE_MISUSE, message: "rows of \(table) have NULL in their primary key",
          hint: "The columns have all names of the rowid, so that nothing tells these rows apart.")
      }
    }
    let object = try objectID(table)
    return try key.columns.map { name in
      let column = Column(name).sqlExpression
      // The key can have another collation than its columns: rows that differ for it can be equal
      // for them.
      return try isBinary(name, in: object) ? column : column.collating(.binary)
    }
  }

  func isBinary(_ column: String, in table: DatabaseObjectID) throws -> Bool {
    try collation(ofColumn: column, in: table)?.isSameName(as: "BINARY") ?? true
  }

  /// Returns the names of these columns.
  func identityColumns(of table: String) throws -> [String] {
    let key = try primaryKey(table)
    return key.rowIDName.map { [$0] } ?? key.columns
  }

  /// Returns whether these columns have different values in each row of a table.
  func isRowIdentity(_ columns: [String], of table: String) throws -> Bool {
    func isGiven(_ name: String) -> Bool { columns.contains { $0.isSameName(as: name) } }
    guard let key = try primaryKeyIfAny(table) else { return false }
    if let name = key.rowIDName, isGiven(name) { return true }
    guard !key.isRowID, key.columns.allSatisfy(isGiven) else {
      guard key.tableHasRowID else { return false }
      return try schemaCache.reading(table, in: nil) { object in
        try SchemaCache.rowIDNames.contains { name in
          try isGiven(name) && schemaCache.column(named: name, of: object) == nil
        }
      }
    }
    let object = try objectID(table)
    return try !mayHaveNullKeys(table) && key.columns.allSatisfy { try isBinary($0, in: object) }
  }

  /// Whether rows may have NULL in their primary keys, as in all tables with rowids.
  private func mayHaveNullKeys(_ table: String) throws -> Bool {
    try schemaCache.reading(table, in: nil) { object in
      guard object.kind != .view, try !hasRowIDs(object.id) else {
        let key = try schemaCache.primaryKey(of: object)?.columns ?? []
        return try !key.allSatisfy { name in
          try schemaCache.column(named: name, of: object)?.isNotNull ?? false
        }
      }
      return false
    }
  }

  /// Whether SQLite finds in each index what tells rows apart, so that an index has the key of a
  /// row where it has all else that is selected.
  func everyIndexHasKey(_ table: String) throws -> Bool {
    guard let key = try primaryKeyIfAny(table), !key.tableHasRowID else { return true }
    return try schemaCache.reading(table, in: nil) { try $0.kind != .view && !hasRowIDs($0.id) }
  }

  /// Whether SQLite reads a table in one order only, whatever is selected: it has no index to
  /// prefer.
  func isReadInOneOrder(_ table: String) throws -> Bool {
    try schemaCache.reading(table, in: nil) { object in
      try object.kind == .table && !schemaCache.hasIndexes(object)
    }
  }
}
