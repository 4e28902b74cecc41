import CofferCore

// What requests need to know of a table's keys.

extension Database {
  /// A column that is NULL only where there is no row: the rowid, or else one of the primary key,
  /// which takes no NULL in tables without rowids.
  func presenceColumn(of table: String) throws -> String {
    let key = try primaryKey(table)
    if let column = key.rowIDName ?? key.columns.first { return column }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE, message: "\(table) has no primary key",
      hint: "It is a view: Configuration.schemaSource can tell its primary key.")
  }

  /// The one column of the primary key; the rowid of a table without one.
  package func keyColumn(ofTable table: String) throws -> String {
    let key = try primaryKey(table)
    if let column = key.singleColumn { return column }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: "the primary key of table \(table) has \(key.columns.count) columns",
      hint: "Give a dictionary of all of them: \(key.columns.joined(separator: ", ")).")
  }

  /// The columns of a unique key, in its order, each with the name that was asked for.
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

  /// Whether a unique key of the table has none but some of these columns.
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

  /// An order by the primary key.
  func keyOrdering(of table: String) throws -> [SQLOrdering] {
    try primaryKey(table).columns.map { Column($0).sqlOrdering }
  }

  /// An order in which no two rows of the table are equal; those of a view without a known key
  /// only where all of their columns are.
  func stableOrdering(of table: String) throws -> [SQLOrdering] {
    let columns = try primaryKeyIfAny(table)?.columns ?? columnNames(in: table)
    return columns.map { Column($0).sqlOrdering }
  }

  /// The columns to group by, for groups of one row.
  func groupingColumns(of table: String) throws -> [String] {
    let key = try primaryKey(table)
    return key.rowIDName.map { [$0] } ?? key.columns
  }
}
