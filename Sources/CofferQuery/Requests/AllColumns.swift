import CofferCore

/// All columns of a table: `*`.
public struct AllColumns: SQLSelectable, Sendable {
  /// All columns.
  public init() {}

  /// `*`, or `"table".*` beside other tables.
  public var sqlSelection: SQLSelection { SQLSelection(node: AllColumnsNode()) }
}

/// All columns of a table but some, named one by one.
public struct AllColumnsExcluding: SQLSelectable, Sendable {
  private let excluded: Set<String>

  /// All columns but those of these names; case doesn't count.
  public init(_ excludedColumns: some Collection<String>) { excluded = Set(excludedColumns) }

  /// The names of the other columns.
  public var sqlSelection: SQLSelection {
    SQLSelection(node: AllColumnsExcludingNode(excluded: excluded))
  }
}

extension SQLSelectable where Self == AllColumns {
  /// All columns of a table: `*`.
  public static var allColumns: Self { AllColumns() }
}

extension SQLSelectable where Self == AllColumnsExcluding {
  /// All columns of a table but those of these names.
  public static func allColumns(excluding columns: some Collection<String>) -> Self {
    AllColumnsExcluding(columns)
  }

  /// All columns of a table but these.
  public static func allColumns(
    excluding columns: some Collection<any ColumnExpression>
  ) -> Self {
    AllColumnsExcluding(columns.map(\.name))
  }
}

private struct AllColumnsNode: SQLFragment {
  func render(into renderer: inout SQLRenderer) throws {
    if let qualifier = renderer.qualifier {
      renderer.append(identifier: qualifier)
      renderer.append(".")
    }
    renderer.append("*")
  }
}

private struct AllColumnsExcludingNode: SQLFragment {
  let excluded: Set<String>

  func render(into renderer: inout SQLRenderer) throws {
    let excluded = Set(excluded.map { $0.lowercased() })
    let columns = try renderer.database.columnNames(in: renderer.tableName).filter {
      !excluded.contains($0.lowercased())
    }
    guard !columns.isEmpty else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "no column is left to select", sql: renderer.sql)
    }
    for (index, column) in columns.enumerated() {
      if index > 0 { renderer.append(", ") }
      renderer.append(column: column)
    }
  }
}

extension SQLSelection {
  /// Whether it is `*`.
  var isAllColumns: Bool {
    if case .node(let node) = content { node is AllColumnsNode } else { false }
  }
}
