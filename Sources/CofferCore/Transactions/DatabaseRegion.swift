/// A part of a database: tables, or some of their columns.
///
/// ```swift
/// let region = try db.makeStatement(sql: "SELECT name FROM player").databaseRegion
/// print(region)  // player(name)
/// ```
///
/// It tells which changes may have an effect on the result of a request.
public struct DatabaseRegion: Sendable, Equatable {
  private enum Columns: Sendable, Equatable {
    case all
    case some(Set<SQLName>)

    func union(_ other: Columns) -> Columns {
      guard case .some(let columns) = self, case .some(let others) = other else { return .all }
      return .some(columns.union(others))
    }
  }

  /// By table and schema; nil for all that there is.
  private var tables: [SQLName: [SQLName: Columns]]? = [:]

  /// The empty region.
  public init() {}

  private init(full: Void) { tables = nil }

  /// All columns of a table.
  package init(table: String, schema: String = "main") {
    tables = [SQLName(table): [SQLName(schema): .all]]
  }

  /// Some columns of a table.
  package init(table: String, schema: String = "main", columns: some Sequence<String>) {
    insert(
      SQLName(table), schema: SQLName(schema), columns: Set(columns.map { SQLName($0) }))
  }

  /// All tables that there are, or will be.
  public static let fullDatabase = DatabaseRegion(full: ())

  /// Whether nothing is in the region, so that no change has an effect on it.
  public var isEmpty: Bool { tables?.isEmpty ?? false }

  /// Whether all tables are in the region.
  public var isFullDatabase: Bool { tables == nil }

  // MARK: Union

  /// Adds columns of a table; nil for all.
  mutating func insert(_ table: SQLName, schema: SQLName, columns: Set<SQLName>?) {
    let new = columns.map { Columns.some($0) } ?? .all
    let old = tables?[table]?[schema]
    tables?[table, default: [:]][schema] = old?.union(new) ?? new
  }

  /// The region that holds both.
  public func union(_ other: DatabaseRegion) -> DatabaseRegion {
    var result = self
    result.formUnion(other)
    return result
  }

  /// Adds a region to this one.
  public mutating func formUnion(_ other: DatabaseRegion) {
    guard tables != nil else { return }
    guard let others = other.tables else {
      tables = nil
      return
    }
    tables?.merge(others) { $0.merging($1) { $0.union($1) } }
  }

  // MARK: Changes

  /// Whether a statement that makes such changes may have an effect on the region.
  ///
  /// The table may be that of any schema.
  public func isModified(byEventsOfKind eventKind: DatabaseEventKind) -> Bool {
    guard let tables else { return true }
    guard let schemas = tables[SQLName(eventKind.tableName)] else { return false }
    guard case .update(_, let columnNames) = eventKind else { return true }
    let changed = Set(columnNames.map { SQLName($0) })
    return schemas.values.contains { columns in
      switch columns {
      case .all: true
      case .some(let columns): !columns.isDisjoint(with: changed)
      }
    }
  }

  /// Whether a change to a row may have an effect on the region.
  ///
  /// An event doesn't tell which columns have changed: ask for the kind of the
  /// event, in `TransactionObserver.observes(eventsOfKind:)`, first.
  public func isModified(by event: DatabaseEvent) -> Bool {
    guard let tables else { return true }
    guard let schemas = tables[SQLName(event.tableName)] else { return false }
    return schemas[SQLName(event.databaseName)] != nil
  }

  /// The kinds of changes that have an effect on the region; nil for all kinds.
  package var impactfulEventKinds: [DatabaseEventKind]? {
    tables?.flatMap { table, schemas in
      schemas.values.flatMap { columns -> [DatabaseEventKind] in
        let name = table.text
        let both: [DatabaseEventKind] = [.insert(tableName: name), .delete(tableName: name)]
        guard case .some(let columns) = columns else { return both }
        return both + [.update(tableName: name, columnNames: Set(columns.map(\.text)))]
      }
    }
  }

  /// Whether columns of a table are in the region.
  func reads(table: String, schema: String) -> Bool {
    tables.map { $0[SQLName(table)]?[SQLName(schema)] != nil } ?? true
  }

  /// The names of the tables; nil for all tables.
  package var tableNames: [String]? { tables?.keys.map(\.text) }
}

extension DatabaseRegion: CustomStringConvertible {
  /// The tables in order with their columns: `player(id,name),team(*)`.
  public var description: String {
    guard let tables else { return "full database" }
    guard !tables.isEmpty else { return "empty" }
    return tables.sorted { $0.key < $1.key }.flatMap { table, schemas in
      schemas.sorted { $0.key < $1.key }.map { schema, columns -> String in
        let prefix = schema == SQLName("main") ? "" : schema.text + "."
        guard case .some(let columns) = columns else { return "\(prefix)\(table.text)(*)" }
        return "\(prefix)\(table.text)(\(columns.sorted().map(\.text).joined(separator: ",")))"
      }
    }.joined(separator: ",")
  }
}
