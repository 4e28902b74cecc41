import CofferCore

// Table keys for requests.

extension Database {
  /// Returns columns that are all NULL only for missing rows of a join.
  ///
  /// The rowid, or else a column of the primary key, which can't be NULL in tables without rowids;
  /// all columns of a view without a known key, of which an equal one has joined the row.
  func presenceColumns(of table: String) throws -> [String] {
    guard let key = try primaryKeyIfAny(table) else { return try columnNames(in: table) }
    return key.rowIDName.map { [$0] } ?? Array(key.columns.prefix(1))
  }

  /// Returns the only column of the primary key; the rowid for a table without a primary key.
  package func keyColumn(ofTable table: String) throws -> String {
    let key = try primaryKey(table)
    if let column = key.singleColumn { return column }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: "the primary key of table \(table) has \(key.columns.count) columns",
      hint: "Pass a dictionary of all columns: \(key.columns.joined(separator: ", ")).")
  }

  /// Returns the columns of a unique key, in the key's order, each with the requested name.
  func uniqueKeyColumns(
    _ names: [String], ofTable table: String
  ) throws -> [(name: String, key: String)] {
    guard let columns = try uniqueKey(of: table, on: names) else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "table \(table) has no unique key on column(s) "
          + names.sorted().joined(separator: ", "),
        hint: "A key is the primary key, or all columns of a unique index.")
    }
    return columns.map { column in
      (column, names.first { $0.isSameName(as: column) } ?? column)
    }
  }

  /// Returns whether some of these columns form a unique key of the table.
  func hasUniqueKey(in columns: [String], ofTable table: String) throws -> Bool {
    guard let key = try primaryKeyIfAny(table) else { return false }
    func isGiven(_ name: String) -> Bool { columns.contains { $0.isSameName(as: name) } }
    if key.columns.allSatisfy(isGiven) { return true }
    if let name = key.rowIDName, isGiven(name) { return true }
    return try indexes(on: table).contains { index in
      index.isUnique && !index.isPartial && !index.columns.isEmpty
        && index.columns.allSatisfy(isGiven)
    }
  }

  /// Returns an ordering by the primary key.
  func keyOrdering(of table: String) throws -> [SQLOrdering] {
    try primaryKey(table).columns.map { Column($0).sqlOrdering }
  }

  /// Returns an ordering that is unique for each row of a table.
  ///
  /// For a view without a known key, an ordering by all columns.
  func stableOrdering(of table: String) throws -> [SQLOrdering] {
    let columns = try primaryKeyIfAny(table)?.columns ?? columnNames(in: table)
    return columns.map { Column($0).sqlOrdering }
  }
}
