import CofferVault

/// A part of a database: tables, or some of their columns and rows.
///
/// ```swift
/// let region = try db.makeStatement(sql: "SELECT name FROM player").databaseRegion
/// print(region)  // player(name)
/// try print(Player.filter(key: 1).databaseRegion(db))  // player(id,name)[1]
/// ```
///
/// It determines which changes can affect the result of a request. Rows are known where a request
/// of the query interface selects them by rowid or `INTEGER PRIMARY KEY`.
///
/// It contains what the request depends on without naming it: the columns from which a generated
/// column is computed, the tables behind a view, and the tables that a virtual table reads. Where
/// that can't be known, as with the module of another library, it is the full database.
public struct DatabaseRegion: Sendable, Equatable {
  fileprivate enum Columns: Sendable, Equatable {
    case all
    case some(Set<SQLName>)

    func union(_ other: Columns) -> Columns {
      guard case .some(let columns) = self, case .some(let others) = other else { return .all }
      return .some(columns.union(others))
    }
  }

  fileprivate struct Part: Sendable, Equatable {
    var columns: Columns
    /// The rowids; nil for all rows.
    var rows: Set<Int64>?

    func union(_ other: Part) -> Part {
      var rows: Set<Int64>?
      if let own = self.rows, let others = other.rows { rows = own.union(others) }
      return Part(columns: columns.union(other.columns), rows: rows)
    }
  }

  /// The parts by table and schema; nil for the full database.
  private var tables: [SQLName: [SQLName: Part]]? = [:]
  /// The views whose definitions the region depends on.
  private var views: Set<SQLName> = []

  /// The empty region.
  public init() {}

  private init(full: Void) { tables = nil }

  /// Creates a region of all columns of a table.
  package init(table: String, schema: String = "main") {
    tables = [SQLName(table): [SQLName(schema): Part(columns: .all)]]
  }

  /// Creates a region of some columns of a table.
  package init(table: String, schema: String = "main", columns: some Sequence<String>) {
    insert(
      SQLName(table), schema: SQLName(schema), columns: Set(columns.map { SQLName($0) }))
  }

  /// All existing and future tables.
  public static let fullDatabase = DatabaseRegion(full: ())

  /// Whether the region is empty, so that no change affects it.
  public var isEmpty: Bool { tables?.isEmpty ?? false }

  /// Whether all tables are in the region.
  public var isFullDatabase: Bool { tables == nil }

  // MARK: Union

  /// Adds columns of a table; nil for all columns.
  mutating func insert(_ table: SQLName, schema: SQLName, columns: Set<SQLName>?) {
    let new = Part(columns: columns.map { Columns.some($0) } ?? .all)
    let old = tables?[table]?[schema]
    tables?[table, default: [:]][schema] = old?.union(new) ?? new
  }

  /// Adds the definition of a view.
  mutating func insert(view: SQLName) { views.insert(view) }

  /// Returns the union of both regions.
  public func union(_ other: DatabaseRegion) -> DatabaseRegion {
    var result = self
    result.formUnion(other)
    return result
  }

  /// Adds another region to this one.
  public mutating func formUnion(_ other: DatabaseRegion) {
    guard tables != nil else { return }
    guard let others = other.tables else {
      self = DatabaseRegion(full: ())
      return
    }
    views.formUnion(other.views)
    tables?.merge(others) { $0.merging($1) { $0.union($1) } }
  }

  // MARK: Rows

  /// Restricts a table to the rows with these rowids.
  ///
  /// Valid only if the request reads nothing else from the table.
  package mutating func formIntersection(rows: Set<Int64>, ofTable table: String) {
    let table = SQLName(table)
    guard let schemas = tables?[table] else { return }
    let parts = schemas.compactMapValues { part -> Part? in
      let rows = part.rows.map { $0.intersection(rows) } ?? rows
      return rows.isEmpty ? nil : Part(columns: part.columns, rows: rows)
    }
    tables?[table] = parts.isEmpty ? nil : parts
  }

  /// The rowids of the rows in the region, for tables that are restricted to some rows.
  package var rowIDs: [String: Set<Int64>] {
    var result: [String: Set<Int64>] = [:]
    for (table, schemas) in tables ?? [:] {
      let rows = schemas.values.compactMap(\.rows)
      guard rows.count == schemas.count else { continue }
      result[table.text] = rows.reduce(into: []) { $0.formUnion($1) }
    }
    return result
  }

  // MARK: Changes

  /// Returns whether a statement that makes such changes can affect the region.
  ///
  /// The table can be in any schema.
  public func isModified(byEventsOfKind eventKind: DatabaseEventKind) -> Bool {
    guard let tables else { return true }
    let table = SQLName(eventKind.tableName)
    guard let schemas = tables[table] else { return views.contains(table) }
    guard case .update(_, let columnNames) = eventKind else { return true }
    let changed = Set(columnNames.map { SQLName($0) })
    // Where a column is the rowid, SQLite has two names for it.
    if changed.contains(SQLName("rowid")) { return true }
    return schemas.values.contains { part in
      switch part.columns {
      case .all: true
      case .some(let columns): !columns.isDisjoint(with: changed)
      }
    }
  }

  /// Returns whether a change to a row can affect the region.
  ///
  /// An event doesn't report which columns have changed: check the kind of the event first, in
  /// `TransactionObserver.observes(eventsOfKind:)`. Nor does it report the old rowid where an
  /// update has replaced it: `databaseDidChange()` is called then.
  public func isModified(by event: DatabaseEvent) -> Bool {
    guard let tables else { return true }
    guard let schemas = tables[SQLName(event.tableName)] else { return false }
    guard let part = schemas[SQLName(event.databaseName)] else { return false }
    return part.rows?.contains(event.rowID) ?? true
  }

  /// Returns the kinds of changes that affect the region; nil for all kinds.
  ///
  /// - Parameters:
  ///   - name: Returns the name of a table as the schema has it.
  ///   - columnNames: Returns the columns of a table in a schema.
  func impactfulEventKinds(
    name: (_ table: String, _ schema: String) throws -> String,
    columnNames: (_ table: String, _ schema: String) throws -> Set<String>
  ) rethrows -> [DatabaseEventKind]? {
    guard tables != nil else { return nil }
    return try parts.flatMap { table, schema, columns in
      try DatabaseEventKind.all(
        of: name(table.text, schema.text),
        columnNames: columns.map { Set($0.map(\.text)) } ?? columnNames(table.text, schema.text))
    }
  }

  /// Returns whether columns of a table are in the region.
  func reads(table: String, schema: String) -> Bool {
    tables.map { $0[SQLName(table)]?[SQLName(schema)] != nil } ?? true
  }

  /// The names of the tables, and of the views on whose definitions the region depends; nil for
  /// all tables.
  package var tableNames: [String]? {
    tables.map { $0.keys.map(\.text) + views.map(\.text) }
  }

  /// The tables with their columns, nil for all columns.
  var parts: [(table: SQLName, schema: SQLName, columns: Set<SQLName>?)] {
    (tables ?? [:]).flatMap { table, schemas in
      schemas.map { schema, part in
        guard case .some(let columns) = part.columns else { return (table, schema, nil) }
        return (table, schema, columns)
      }
    }
  }

  /// Whether tables are in the region that SQLite changes by itself.
  var hasInternalTables: Bool { tables?.keys.contains(where: \.isInternal) ?? false }
}

extension DatabaseRegion: CustomStringConvertible {
  /// The tables in alphabetical order with their columns: `player(id,name)[1,2],team(*)`.
  ///
  /// Rowids follow for tables of which only some rows are in the region.
  public var description: String {
    guard let tables else { return "full database" }
    guard !tables.isEmpty else { return "empty" }
    return tables.sorted { $0.key < $1.key }.flatMap { table, schemas in
      schemas.sorted { $0.key < $1.key }.map { schema, part -> String in
        let prefix = schema == SQLName("main") ? "" : schema.text + "."
        return "\(prefix)\(table.text)(\(part.columnList))\(part.rowList)"
      }
    }.joined(separator: ",")
  }
}

extension DatabaseRegion.Part {
  fileprivate var columnList: String {
    guard case .some(let columns) = columns else { return "*" }
    return columns.sorted().map(\.text).joined(separator: ",")
  }

  fileprivate var rowList: String {
    rows.map { "[" + $0.sorted().map(String.init).joined(separator: ",") + "]" } ?? ""
  }
}
