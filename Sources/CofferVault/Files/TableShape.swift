import CofferSQLite
import Glibc

/// A table with its own storage, and the SQL that reads all its rows in a fixed order.
struct TableShape {
  let name: String
  /// The stored columns, into which rows can be inserted.
  private let columns: [String]
  /// The rowid's name in SQL; nil for a table without rowids, or if columns take all the names.
  private let rowidName: String?
  /// The declared column that is the rowid.
  let rowidColumn: String?
  /// Whether the table has rowids that no declared column holds.
  private let hasImplicitRowids: Bool

  /// Returns the tables of the main database, including those in which virtual tables store data.
  static func all(in connection: FileConnection) throws -> [TableShape] {
    try connection.rows(
      """
      SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0
      AND name NOT LIKE 'sqlite_stat%' ORDER BY name
      """
    ).map { try TableShape(name: $0[0], in: connection) }
  }

  init(name: String, in connection: FileConnection) throws {
    self.name = name
    let quoted = name.quotedDatabaseIdentifier
    let info = try connection.rows("PRAGMA main.table_info(\(quoted))")
    columns = info.map { $0[1] }
    // Generated columns, which table_info doesn't list, can take these names too.
    let taken = Set(try connection.rows("PRAGMA main.table_xinfo(\(quoted))").map(\.[1]))
      .union(columns)
    let takenNames = Set(taken.map(SQLName.init))
    let free = ["rowid", "_rowid_", "oid"].first { !takenNames.contains(SQLName($0)) }
    let hasRowid = try free.map {
      try connection.canPrepare("SELECT \($0) FROM main.\(quoted)")
    }
    rowidName = hasRowid == true ? free : nil
    let primaryKey = info.filter { $0[5] != "0" }
    // `INTEGER PRIMARY KEY DESC` looks the same, but has an index and isn't the rowid.
    let hasKeyIndex = try connection.rows("PRAGMA main.index_list(\(quoted))").contains {
      $0.count > 3 && $0[3] == "pk"
    }
    let isAlias =
      primaryKey.count == 1 && primaryKey[0][2].uppercased() == "INTEGER" && !hasKeyIndex
    rowidColumn = isAlias ? primaryKey[0][1] : nil
    hasImplicitRowids = rowidName != nil && !isAlias && !SQLName(name).isInternal
  }

  /// The name under which a row's rowid is inserted; nil if it can't be.
  var insertedRowidName: String? { rowidColumn ?? rowidName }

  /// Returns SQL that reads all rows in storage order, with any rowids that no column holds.
  func selectAll(schema: String) -> String {
    let table = "\(schema).\(name.quotedDatabaseIdentifier)"
    guard let rowidName, hasImplicitRowids else {
      return "SELECT * FROM \(table) NOT INDEXED"
    }
    return "SELECT \(rowidName), * FROM \(table) NOT INDEXED ORDER BY \(rowidName)"
  }

  /// Returns SQL that replaces a copy's rows with the original's, including their rowids; nil if
  /// there are no rowids that no column holds.
  func copyWithRowids(to schema: String) -> String? {
    guard let rowidName, hasImplicitRowids else { return nil }
    let table = name.quotedDatabaseIdentifier
    let list = ([rowidName] + columns.map(\.quotedDatabaseIdentifier)).joined(separator: ", ")
    return """
      DELETE FROM \(schema).\(table);
      INSERT INTO \(schema).\(table) (\(list))
      SELECT \(list) FROM main.\(table) NOT INDEXED ORDER BY \(rowidName)
      """
  }

  /// Whether `SELECT *` has the order of the rowids: an index that has all columns would be read
  /// instead of the table.
  private func isCopiedInOrder(by connection: FileConnection) throws -> Bool {
    let indexes = try connection.rows("PRAGMA main.index_list(\(name.quotedDatabaseIdentifier))")
    return try indexes.allSatisfy { index in
      let columns = try connection.rows(
        "PRAGMA main.index_info(\(index[1].quotedDatabaseIdentifier))")
      return columns.count < self.columns.count
    }
  }

  /// Whether the copy's table has each rowid of a range, so that a table with as many rows of the
  /// same range has the same rowids.
  private func hasAllRowids(
    of range: [String], in connection: FileConnection, _ schema: String
  ) throws -> Bool {
    guard let first = Int(range[0]), let last = Int(range[1]) else { return true }
    let (distance, isTooLarge) = last.subtractingReportingOverflow(first)
    guard !isTooLarge else { return false }
    let table = "\(schema).\(name.quotedDatabaseIdentifier)"
    return try connection.integer("SELECT count(*) FROM \(table)") - 1 == distance
  }

  /// Whether the copy has the same rows under the same rowids, where it has the same rows.
  func hasSameRowids(in connection: FileConnection, as schema: String) throws -> Bool {
    guard let rowidName else { return true }
    let table = name.quotedDatabaseIdentifier
    func range(_ schema: String) throws -> [[String]] {
      try connection.rows("SELECT min(\(rowidName)), max(\(rowidName)) FROM \(schema).\(table)")
    }
    let rowids = try range(schema)
    guard try range("main") == rowids else { return false }
    if try isCopiedInOrder(by: connection),
      try hasAllRowids(of: rowids[0], in: connection, schema)
    {
      return true
    }
    let original = selectAll(schema: "main")
    return try connection.withStatement(original) { old in
      try connection.withStatement(selectAll(schema: schema)) { new in
        try RowComparison(sql: original, old, connection, new, connection).areEqual()
      }
    }
  }
}

/// Compares the rows of two statements value by value.
@safe struct RowComparison {
  private let sql: String
  @safe private let first: SQLiteStatement
  private let firstConnection: FileConnection
  @safe private let second: SQLiteStatement
  private let secondConnection: FileConnection

  @safe init(
    sql: String, _ first: SQLiteStatement, _ firstConnection: FileConnection,
    _ second: SQLiteStatement, _ secondConnection: FileConnection
  ) {
    self.sql = sql
    self.first = unsafe first
    self.firstConnection = firstConnection
    self.second = unsafe second
    self.secondConnection = secondConnection
  }

  /// Whether both return the same rows in the same order, with the same types.
  func areEqual() throws -> Bool {
    let count = SQLite.columnCount(first)
    guard count == SQLite.columnCount(second) else { return false }
    while true {
      let hasFirst = try firstConnection.step(first, sql)
      let hasSecond = try secondConnection.step(second, sql)
      guard hasFirst == hasSecond else { return false }
      guard hasFirst else { return true }
      for index in 0..<CInt(count) where !isEqual(index) { return false }
    }
  }

  private func isEqual(_ index: CInt) -> Bool {
    let type = SQLite.columnType(first, index)
    guard type == SQLite.columnType(second, index) else { return false }
    switch type {
    case SQLite.nullType: return true
    case SQLite.integerType:
      return SQLite.columnInt64(first, index) == SQLite.columnInt64(second, index)
    case SQLite.floatType:
      return SQLite.columnDouble(first, index).bitPattern
        == SQLite.columnDouble(second, index).bitPattern
    default:
      let one = SQLite.columnBlob(first, index)
      let other = SQLite.columnBlob(second, index)
      guard one.count == other.count else { return false }
      guard let start = one.baseAddress, let otherStart = other.baseAddress else { return true }
      // SAFETY: both buffers have `one.count` bytes, and stay valid until the next step.
      return unsafe memcmp(start, otherStart, one.count) == 0
    }
  }
}
