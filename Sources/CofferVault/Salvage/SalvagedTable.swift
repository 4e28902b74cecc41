import CofferSQLite

/// A table of the new file, with what is needed to recognize and insert its stored rows.
struct SalvagedTable {
  /// A column in the order of the stored record.
  struct Column {
    let name: String
    /// Whether it is the rowid, which the record stores as NULL.
    let isRowid: Bool
    /// Whether its value can be inserted, rather than being computed.
    let isInsertable: Bool
    let isNotNull: Bool
    /// Whether numbers are stored as text.
    let isText: Bool
  }

  let name: String
  let columns: [Column]
  let isWithoutRowid: Bool
  /// The name under which a rowid is inserted; nil if it can't be.
  let rowidName: String?
  /// The fewest values of a record: columns that were added later are missing in older rows.
  private let fewestFields: Int

  init(name: String, in connection: FileConnection) throws {
    self.name = name
    let shape = try TableShape(name: name, in: connection)
    let quoted = name.quotedDatabaseIdentifier
    let extended = try connection.rows("PRAGMA main.table_xinfo(\(quoted))")
    let info =
      extended.isEmpty ? try connection.rows("PRAGMA main.table_info(\(quoted))") : extended
    guard !info.isEmpty else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "there is no table \(name)")
    }
    // 2 is a virtual generated column, 3 a stored one.
    var stored = info.filter { $0.count < 7 || $0[6] != "2" }
    let indexes = try connection.rows("PRAGMA main.index_list(\(quoted))")
    func columns(of index: [String]) throws -> [[String]] {
      try connection.rows("PRAGMA main.index_xinfo(\(index[1].quotedDatabaseIdentifier))")
    }
    var isWithoutRowid = false
    var needed = Set(info.filter { $0[5] != "0" }.map { $0[0] })
    for index in indexes where index.count > 3 && index[3] != "c" {
      let parts = try columns(of: index)
      needed.formUnion(parts.lazy.filter { $0[5] == "1" }.map { $0[1] })
      // The key of a table with rowids leads to the rowid.
      if index[3] == "pk", !parts.contains(where: { $0[1] == "-1" }) {
        isWithoutRowid = true
        stored = parts.compactMap { part in info.first { $0[0] == part[1] } }
      }
    }
    self.isWithoutRowid = isWithoutRowid
    rowidName = isWithoutRowid ? nil : shape.insertedRowidName
    self.columns = stored.map { column in
      let type = column[2].uppercased()
      return Column(
        name: column[1], isRowid: column[1] == shape.rowidColumn,
        isInsertable: column.count < 7 || column[6] == "0", isNotNull: column[3] != "0",
        isText: !type.contains("INT")
          && ["CHAR", "CLOB", "TEXT"].contains { type.contains($0) })
    }
    let last = stored.lastIndex { column in
      let hasDefault = !column[4].isEmpty && column[4].uppercased() != "NULL"
      return needed.contains(column[0]) || column[3] != "0" && !hasDefault
        || column.count > 6 && column[6] == "3"
    }
    fewestFields = last.map { $0 + 1 } ?? 0
  }

  /// Whether a record may belong to the table. False only if it certainly doesn't.
  func canHold(_ record: SalvagedRecord) -> Bool {
    let fields = record.fields + record.missing
    guard fields.count <= columns.count, fields.count >= fewestFields else { return false }
    return zip(fields, columns).allSatisfy { field, column in
      if column.isRowid { return field.isNull }
      if field.isNull { return !column.isNotNull }
      return !(column.isText && field.isNumber)
    }
  }

  /// Returns SQL that inserts a row whose record has the first columns only; the others get their
  /// defaults.
  ///
  /// The first parameter is the rowid if ``rowidName`` isn't nil.
  func insertSQL(fieldCount: Int) -> String {
    var names = columns.prefix(fieldCount).filter { $0.isInsertable && !$0.isRowid }.map(\.name)
    if let rowidName { names.insert(rowidName, at: 0) }
    let table = "main.\(name.quotedDatabaseIdentifier)"
    guard !names.isEmpty else { return "INSERT OR FAIL INTO \(table) DEFAULT VALUES" }
    let list = names.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
    // The clause takes precedence over those of the table's constraints: no row replaces another.
    return """
      INSERT OR FAIL INTO \(table) (\(list)) \
      VALUES (\(repeatElement("?", count: names.count).joined(separator: ", ")))
      """
  }
}

/// The number of values in an index's entries.
struct SalvagedIndex {
  private let fieldCount: Int
  private let endsWithRowid: Bool

  /// Returns nil if there is no such index.
  init?(name: String, in connection: FileConnection) throws {
    let parts = try connection.rows(
      "PRAGMA main.index_xinfo(\(name.quotedDatabaseIdentifier))")
    if parts.isEmpty { return nil }
    fieldCount = parts.count
    endsWithRowid = parts.last.map { $0[1] == "-1" } ?? false
  }

  /// Whether a record may be an entry of the index. False only if it certainly isn't.
  func canHold(_ record: SalvagedRecord) -> Bool {
    let fields = record.fields + record.missing
    return fields.count == fieldCount && (!endsWithRowid || fields.last?.isInteger == true)
  }
}
