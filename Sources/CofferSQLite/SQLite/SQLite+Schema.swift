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
    case SQLITE_INTEGER:
      unsafe DatabaseValue(storage: .int64(sqlite3_column_int64(handle, index)))
    default:
      unsafe DatabaseValue(
        storage: .string(String(decoding: columnText(handle, index), as: UTF8.self)))
    }
  }

  /// Returns whether a schema has a table of that name; false for views.
  @safe package static func hasTable(
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
  @safe package static func hasRowIDs(
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
  @safe package static func isKeyColumn(
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
  @safe package static func numbersRows(
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
  @safe package static func collation(
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
  @safe package static func schemaNames(_ connection: SQLiteConnection) throws(Failure) -> [Int:
    String]
  {
    var names: [Int: String] = [:]
    for row in try rows(connection, "PRAGMA database_list") {
      guard let number = row[0].integer else { continue }
      names[number] = row[1].text
    }
    return names
  }

  /// What a statement reads, as its program tells.
  package struct Reads {
    /// The root pages, with the numbers of their schemas.
    package var pages: [(page: Int64, schema: Int)] = []
    /// How many virtual tables.
    package var virtualTables = 0
  }

  @safe package static func reads(
    _ connection: SQLiteConnection, of sql: String
  ) throws(Failure) -> Reads {
    var (reads, virtualTables) = (Reads(), Set<String>())
    // address, opcode, p1, p2, p3, p4, …
    for row in try rows(connection, "EXPLAIN " + sql) {
      guard let opcode = row[1].text else { continue }
      if opcode.hasPrefix("OpenRead"), let page = row[3].integer,
        let schema = row[4].integer
      {
        reads.pages.append((Int64(page), schema))
      } else if opcode == "VOpen", let table = row[5].text {
        virtualTables.insert(table)
      }
    }
    reads.virtualTables = virtualTables.count
    return reads
  }
}
