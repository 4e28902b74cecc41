import CSQLCipher

extension SQLite {
  /// Returns all rows of a statement without parameters: integers, texts and NULLs.
  @safe package static func rows(
    _ connection: SQLiteConnection, _ sql: String
  ) throws(Failure) -> [[DatabaseValue]] {
    let handle = try prepare(sql, in: connection)
    defer { unsafe sqlite3_finalize(handle) }
    var rows: [[DatabaseValue]] = []
    while true {
      switch unsafe sqlite3_step(handle) {
      case SQLITE_ROW:
        unsafe rows.append((0..<sqlite3_column_count(handle)).map { value(handle, $0) })
      case SQLITE_DONE: return rows
      case let code: throw Failure(code: code)
      }
    }
  }

  @safe private static func value(_ handle: SQLiteStatement, _ index: CInt) -> DatabaseValue {
    switch unsafe sqlite3_column_type(handle, index) {
    case SQLITE_NULL: .null
    case SQLITE_INTEGER: unsafe sqlite3_column_int64(handle, index).databaseValue
    default: unsafe String(decoding: columnText(handle, index), as: UTF8.self).databaseValue
    }
  }

  /// Returns whether a schema has a table of that name; false for views.
  @safe static func hasTable(
    _ connection: SQLiteConnection, _ name: String, schema: String
  ) throws(Failure) -> Bool {
    guard CName.isWhole(name), CName.isWhole(schema) else { return false }
    return try unsafe isFound(
      sqlite3_table_column_metadata(connection, schema, name, nil, nil, nil, nil, nil, nil))
  }

  /// Returns whether a table or column was found; throws if that isn't known.
  private static func isFound(_ code: CInt) throws(Failure) -> Bool {
    switch code {
    case SQLITE_OK: return true
    // There is none, or it is a view.
    case SQLITE_ERROR: return false
    default: throw Failure(code: code)
    }
  }

  /// Returns whether the rows of an existing table have rowids.
  @safe static func hasRowIDs(
    _ connection: SQLiteConnection, _ name: String, schema: String
  ) throws(Failure) -> Bool {
    guard CName.isWhole(name), CName.isWhole(schema) else { return false }
    // A column can have one of these names, but hardly all three.
    for column in ["rowid", "_rowid_", "oid"] {
      let isColumn = try unsafe isFound(
        sqlite3_table_column_metadata(
          connection, schema, name, column, nil, nil, nil, nil, nil))
      guard isColumn else { return false }
    }
    return true
  }

  /// Returns whether a column belongs to the table's primary key.
  @safe static func isKeyColumn(
    _ connection: SQLiteConnection, _ column: String, table: String, schema: String
  ) throws(Failure) -> Bool {
    guard [column, table, schema].allSatisfy(CName.isWhole) else { return false }
    var isKey: CInt = 0
    let isColumn = try unsafe isFound(
      sqlite3_table_column_metadata(
        connection, schema, table, column, nil, nil, nil, &isKey, nil))
    return isColumn && isKey != 0
  }

  /// Returns whether a table's rowids are numbered by `AUTOINCREMENT`.
  @safe static func numbersRows(
    _ connection: SQLiteConnection, _ table: String, schema: String
  ) throws(Failure) -> Bool {
    guard [table, schema].allSatisfy(CName.isWhole) else { return false }
    var isNumbered: CInt = 0
    let isColumn = try unsafe isFound(
      sqlite3_table_column_metadata(
        connection, schema, table, "rowid", nil, nil, nil, nil, &isNumbered))
    return isColumn && isNumbered != 0
  }

  /// Returns a column's collation; nil for columns of views.
  @safe static func collation(
    _ connection: SQLiteConnection, _ column: String, table: String, schema: String
  ) throws(Failure) -> String? {
    guard [column, table, schema].allSatisfy(CName.isWhole) else { return nil }
    var name: UnsafePointer<CChar>?
    let isColumn = try unsafe isFound(
      sqlite3_table_column_metadata(
        connection, schema, table, column, nil, &name, nil, nil, nil))
    guard isColumn, let name = unsafe name else { return nil }
    return unsafe String(cString: name)
  }

  /// Returns the names of the schemas, by SQLite's numbers.
  @safe static func schemaNames(_ connection: SQLiteConnection) throws(Failure) -> [Int: String] {
    var names: [Int: String] = [:]
    for row in try rows(connection, "PRAGMA database_list") {
      guard let number = Int.fromDatabaseValue(row[0]) else { continue }
      names[number] = String.fromDatabaseValue(row[1])
    }
    return names
  }

  /// What a statement reads, as its program tells.
  struct Reads {
    /// The root pages, with the numbers of their schemas.
    var pages: [(page: Int64, schema: Int)] = []
    /// How many virtual tables.
    var virtualTables = 0
  }

  @safe static func reads(
    _ connection: SQLiteConnection, of sql: String
  ) throws(Failure) -> Reads {
    var (reads, virtualTables) = (Reads(), Set<String>())
    // address, opcode, p1, p2, p3, p4, …
    for row in try rows(connection, "EXPLAIN " + sql) {
      guard let opcode = String.fromDatabaseValue(row[1]) else { continue }
      if opcode.hasPrefix("OpenRead"), let page = Int64.fromDatabaseValue(row[3]),
        let schema = Int.fromDatabaseValue(row[4])
      {
        reads.pages.append((page, schema))
      } else if opcode == "VOpen", let table = String.fromDatabaseValue(row[5]) {
        virtualTables.insert(table)
      }
    }
    reads.virtualTables = virtualTables.count
    return reads
  }
}
