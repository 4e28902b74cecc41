import Coffer

/// A table or a view, and what leads to its rows.
struct TableFacts: Sendable {
  /// A foreign key.
  struct Reference: Sendable {
    /// The table that has it.
    var origin: String
    var originColumns: [String]
    var destination: String
    var destinationColumns: [String]
  }

  let name: String
  let isView: Bool
  let columns: [ColumnInfo]
  /// The columns by which rows are found; none for a view.
  let key: [String]
  /// Whether the key is the rowid.
  let isRowID: Bool
  /// Its own foreign keys.
  let references: [Reference]

  /// The table or view with exactly this name.
  ///
  /// - Throws: ``BrowseError/missing(_:)``.
  init(_ name: String?, _ db: Database) throws {
    let type = try String.fetchOne(
      db, sql: "SELECT type FROM sqlite_master WHERE name = ? AND type IN ('table', 'view')",
      arguments: [name])
    guard let name, let type else {
      throw BrowseError.missing("There is no such table. It may have been dropped.")
    }
    self.name = name
    isView = type == "view"
    let key = isView ? nil : try? db.primaryKey(name, in: "main")
    columns = try db.columns(in: name, in: "main")
    self.key = key?.columns ?? []
    isRowID = key?.isRowID ?? false
    references = isView ? [] : try Self.references(of: name, db)
  }

  static func references(of table: String, _ db: Database) throws -> [Reference] {
    // A foreign key to a table that isn't there leads nowhere.
    guard let keys = try? db.foreignKeys(on: table, in: "main") else { return [] }
    return try keys.compactMap { key in
      let name = try String.fetchOne(
        db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE",
        arguments: [key.destinationTable])
      return name.map {
        Reference(
          origin: table, originColumns: key.originColumns, destination: $0,
          destinationColumns: key.destinationColumns)
      }
    }
  }

  func column(_ name: String?) -> ColumnInfo? {
    name.flatMap { name in columns.first { $0.name.isSame(as: name) } }
  }

  /// Finds a row by the values of its key.
  func row(_ values: [DatabaseValue]) -> SQL { SQL(key, equal: values) }
}

extension SQL {
  /// Whether columns have values, of which NULL is one.
  init(_ columns: [String], equal values: [DatabaseValue]) {
    let conditions = zip(columns, values).map { "\(identifier: $0) IS \($1)" as SQL }
    self = conditions.joined(separator: " AND ")
  }
}

extension String {
  /// Whether the bytes are the same: two names can be one for Swift, and differ in SQLite.
  func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }

  /// What tells it from other names, as a key.
  var bytes: [UInt8] { Array(utf8) }
}
