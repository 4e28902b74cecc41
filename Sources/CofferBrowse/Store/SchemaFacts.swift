import Coffer
import Synchronization

/// A table or a view, and what leads to its rows.
struct TableFacts: Sendable {
  struct Reference: Sendable {
    /// The table that has the foreign key.
    var origin: String
    var originColumns: [String]
    var destination: String
    var destinationColumns: [String]
  }

  let name: String
  /// `table`, `view` or `virtual table`.
  let kind: String
  let sql: String
  let columns: [ColumnInfo]
  /// The columns by which rows are found; none for a view.
  let key: [String]
  /// Whether the key is the rowid.
  let isRowID: Bool
  /// Its own foreign keys.
  let references: [Reference]

  var quoted: String { name.quotedDatabaseIdentifier }

  /// Whether a value can be read in parts.
  var hasParts: Bool { kind == "table" && isRowID }

  func column(_ name: String?) -> ColumnInfo? {
    name.flatMap { name in columns.first { $0.name.isSame(as: name) } }
  }
}

/// What pages need of the schema, kept until the schema changes.
final class SchemaFacts: Sendable {
  private struct State {
    var version: Int32?
    /// By the bytes of their names.
    var tables: [[UInt8]: TableFacts] = [:]
    var references: [TableFacts.Reference]?
  }

  private let state = Mutex(State())

  /// The condition for tables that somebody has made, in `sqlite_master`: neither SQLite's own, nor
  /// those in which virtual tables keep their content.
  static let isMade = """
    name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT IN (
      SELECT v.name || s.column1 FROM sqlite_master v, (
        VALUES ('_data'), ('_idx'), ('_content'), ('_docsize'), ('_config'), ('_segments'),
          ('_segdir'), ('_stat'), ('_node'), ('_parent'), ('_rowid')
      ) s WHERE v.type = 'table' AND v.sql LIKE 'CREATE VIRTUAL%')
    """
  /// The most tables that are kept.
  private static let limit = 200

  private func refresh(_ db: Database) throws {
    let version = try db.schemaVersion()
    state.withLock { if $0.version != version { $0 = State(version: version) } }
  }

  /// The table or view with exactly this name.
  ///
  /// - Throws: ``BrowseError/missing(_:)``.
  func table(_ name: String?, _ db: Database) throws -> TableFacts {
    guard let name else { throw BrowseError.missing("The address names no table.") }
    try refresh(db)
    if let known = state.withLock({ $0.tables[Array(name.utf8)] }) { return known }
    guard
      let row = try Row.fetchOne(
        db,
        sql:
          "SELECT type, coalesce(sql, '') FROM sqlite_master WHERE name = ? AND type IN ('table', 'view')",
        arguments: [name])
    else { throw BrowseError.missing("There is no such table. It may have been dropped.") }
    let (type, sql): (String, String) = (row[0], row[1])
    let isVirtual = sql.uppercased().hasPrefix("CREATE VIRTUAL TABLE")
    let key = type == "view" ? nil : try? db.primaryKey(name, in: "main")
    let table = TableFacts(
      name: name, kind: isVirtual ? "virtual table" : type, sql: sql,
      columns: try db.columns(in: name, in: "main"), key: key?.columns ?? [],
      isRowID: key?.isRowID ?? false,
      references: type == "view" ? [] : try Self.references(of: name, db))
    state.withLock { state in
      if state.tables.count >= Self.limit { state.tables = [:] }
      state.tables[Array(name.utf8)] = table
    }
    return table
  }

  /// All foreign keys of the database.
  func references(_ db: Database) throws -> [TableFacts.Reference] {
    try refresh(db)
    if let known = state.withLock(\.references) { return known }
    // Only a text with the word can have one.
    let names = try String.fetchAll(
      db,
      sql: """
        SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%references%' ORDER BY rowid
        """)
    let all = try names.flatMap { try Self.references(of: $0, db) }
    state.withLock { $0.references = all }
    return all
  }

  private static func references(of table: String, _ db: Database) throws -> [TableFacts.Reference]
  {
    // A foreign key to a table that isn't there leads nowhere.
    guard let keys = try? db.foreignKeys(on: table, in: "main") else { return [] }
    return try keys.compactMap { key in
      let name = try String.fetchOne(
        db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE",
        arguments: [key.destinationTable])
      return name.map {
        TableFacts.Reference(
          origin: table, originColumns: key.originColumns, destination: $0,
          destinationColumns: key.destinationColumns)
      }
    }
  }
}

extension String {
  /// Whether the bytes are the same: two names can be one for Swift, and differ in SQLite.
  func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
