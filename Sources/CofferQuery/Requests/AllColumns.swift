import CofferCore

/// All columns of a table: `*`.
public struct AllColumns: SQLSelectable, Sendable {
  // One array for all types, since comparing it with itself is fast. SAFETY: a constant whose
  // element is Sendable.
  nonisolated(unsafe) static let selection: [any SQLSelectable] = [AllColumns()]

  /// Creates a selection of all columns.
  public init() {}

  private static let selected = SQLSelection(node: AllColumnsNode())

  /// `*`, or `"table".*` in a query of several tables.
  public var sqlSelection: SQLSelection { AllColumns.selected }
}

/// All columns of a table except some, selected by name.
public struct AllColumnsExcluding: SQLSelectable, Sendable {
  private let excluded: Set<String>

  /// Creates a selection of all columns except some; names are case-insensitive.
  public init(_ excludedColumns: some Collection<String>) { excluded = Set(excludedColumns) }

  /// A selection of the remaining columns by name.
  public var sqlSelection: SQLSelection {
    SQLSelection(node: AllColumnsExcludingNode(excluded: excluded))
  }
}

extension SQLSelectable where Self == AllColumns {
  /// All columns of a table: `*`.
  public static var allColumns: Self { AllColumns() }
}

extension SQLSelectable where Self == AllColumnsExcluding {
  /// Returns a selection of all columns of a table except those with these names.
  public static func allColumns(excluding columns: some Collection<String>) -> Self {
    AllColumnsExcluding(columns)
  }

  /// Returns a selection of all columns of a table except these.
  public static func allColumns(
    excluding columns: some Collection<any ColumnExpression>
  ) -> Self {
    AllColumnsExcluding(columns.map(\.name))
  }
}

private struct AllColumnsNode: SQLNode {
  func render(into renderer: inout SQLRenderer) throws {
    if let qualifier = renderer.qualifier {
      renderer.append(identifier: qualifier)
      renderer.append(".")
    }
    renderer.append("*")
  }

  func describe(in shape: inout QueryShape) { shape.append(.allColumns) }
}

private struct AllColumnsExcludingNode: SQLNode {
  let excluded: Set<String>

  func render(into renderer: inout SQLRenderer) throws {
    let all = try renderer.database.columnNames(in: renderer.tableName)
    let columns = remaining(of: all)
    if columns.count == all.count { return try AllColumnsNode().render(into: &renderer) }
    guard !columns.isEmpty else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "no column is left to select", sql: renderer.sql)
    }
    for (index, column) in columns.enumerated() {
      if index > 0 { renderer.append(", ") }
      renderer.append(column: column)
    }
  }

  func columns(_ db: Database, in table: String) throws -> [String] {
    remaining(of: try db.columnNames(in: table))
  }

  private func remaining(of columns: [String]) -> [String] {
    let excluded = Set(excluded.map { SQLName($0) })
    return columns.filter { !excluded.contains(SQLName($0)) }
  }
}

extension SQLNodeObject {
  /// Whether the fragment only selects columns of the query's own table.
  var isOwnColumns: Bool {
    isAllColumns || cast(to: AllColumnsExcludingNode.self) != nil
      || cast(to: CheckedColumn.self) != nil
  }

  fileprivate var isAllColumns: Bool { cast(to: AllColumnsNode.self) != nil }
}

extension SQLSelection {
  /// Returns the number of columns; nil if only SQLite can determine it.
  func columnCount(_ db: Database, of relation: Relation, named table: String) throws -> Int? {
    switch content {
    case .expression: return 1
    case .sql: return nil
    case .node(let node):
      if let node = node.cast(to: AllColumnsExcludingNode.self) {
        return try node.columns(db, in: table).count
      }
      if let node = node.cast(to: AliasedSelection.self) {
        return node.selection.isAllColumns
          ? nil
          : try node.selection.columnCount(db, of: relation, named: table)
      }
      if node.cast(to: CheckedColumn.self) != nil { return 1 }
      guard node.isAllColumns else { return nil }
      if case .compound(let query, _) = relation.source {
        guard case .node(let node) = query.content, let inner = node.cast(to: Relation.self)
        else { return nil }
        return try inner.columnCount(db)
      }
      guard !relation.tableExpressions.contains(where: { $0.name.isSameName(as: table) }),
        try db.tableExists(table) || db.viewExists(table)
      else { return nil }
      return try db.columnNames(in: table).count
    }
  }

  /// Returns the columns of the relation's table that the selection has; none of expressions.
  func ownColumns(_ db: Database, of relation: Relation) throws -> [String] {
    switch content {
    case .expression(let expression, _):
      return expression.columnName(aliases: relation.aliases).map { [$0] } ?? []
    case .sql: return []
    case .node(let node):
      if node.isAllColumns { return try db.columnNames(in: relation.tableName) }
      return try node.cast(to: AllColumnsExcludingNode.self)?
        .columns(db, in: relation.tableName) ?? []
    }
  }

  /// Whether the selection is `*`.
  var isAllColumns: Bool {
    if case .node(let node) = content { node.isAllColumns } else { false }
  }
}
