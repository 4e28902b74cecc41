import CofferCore
import CofferQuery

/// Which columns of a conflicting row an upsert updates.
public enum UpsertUpdateStrategy: Sendable, Hashable {
  /// All columns of the record, except those of the primary key and of the conflict target, and
  /// those that the assignments keep.
  case allColumns
  /// Only those that the assignments set.
  case noColumnUnlessSpecified
}

/// An insertion that updates a conflicting row.
struct Upsert {
  let table: RecordTable
  let container: PersistenceContainer
  /// The columns of the unique key; empty for any key.
  let target: [String]
  /// The row that would have been inserted.
  let excluded: any TableAliasBase
  /// The assignments to the conflicting row.
  let assignments: [ColumnAssignment]

  /// - Throws: ``DatabaseError`` if an assignment names no column of the table.
  init(
    table: RecordTable, container: PersistenceContainer, target: [String],
    excluded: any TableAliasBase, strategy: UpsertUpdateStrategy = .allColumns,
    assignments: [ColumnAssignment]
  ) throws {
    self.table = table
    self.container = container
    self.target = target
    self.excluded = excluded
    let key = try table.requirePrimaryKey()
    for name in assignments.map(\.columnName) where !table.hasColumn(name) {
      guard key.rowIDName?.isSameName(as: name) != true else { continue }
      throw DatabaseError(
        resultCode: .SQLITE_ERROR, message: "table \(table.name) has no column named \(name)",
        hint: "An assignment of the upsert names it.")
    }
    let mentioned = assignments.map(\.columnName) + key.columns + target
    let others = container.columns.filter { column in
      strategy == .allColumns && !mentioned.contains { $0.isSameName(as: column) }
    }
    var all = assignments.filter { $0.value != nil }
    all += others.map { ColumnAssignment(columnName: $0, value: excluded[$0]) }
    // At least one column is assigned, since RETURNING otherwise returns no row.
    if all.isEmpty, let column = target.first ?? container.columns.first {
      all = [ColumnAssignment(columnName: column, value: Column(column).sqlExpression)]
    }
    self.assignments = all
  }

  /// - Returns: The rowid of the row, and the selection from it, if there is one.
  func execute(
    _ db: Database, _ selection: [any SQLSelectable]
  ) throws -> (rowID: Int64, row: Row?) {
    SQLiteFeatures.linked.hasReturning
      ? try executeInOneStep(db, selection) : try executeInTwoSteps(db, selection)
  }

  /// The name of the rowid; nil if there is none.
  private var rowIDName: String? {
    guard let name = table.primaryKey?.rowIDName else { return nil }
    return table.hasColumn("rowid") ? name : "rowid"
  }

  private var insertSQL: String { table.insertSQL(container.columns, .abort) }

  // MARK: One step

  private func executeInOneStep(
    _ db: Database, _ selection: [any SQLSelectable]
  ) throws -> (rowID: Int64, row: Row?) {
    var renderer = SQLRenderer(db)
    renderer.tableName = table.name
    try renderer.append(insertSQL, arguments: container.arguments)
    renderer.append(" ON CONFLICT")
    if !target.isEmpty {
      let names = target.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
      renderer.append("(\(names))")
    }
    renderer.append(" DO UPDATE SET ")
    try append(assignments, to: &renderer)
    var returned = selection.map(\.sqlSelection)
    if let rowIDName { returned.append(Column(rowIDName).sqlSelection) }
    if !returned.isEmpty {
      renderer.append(" RETURNING ")
      try renderer.append(returned)
    }
    let statement = try db.cachedStatement(sql: renderer.sql)
    try statement.setArguments(renderer.arguments)
    defer { statement.clearBindings() }
    let hidden = returned.count - selection.count
    let shown = RangeRowAdapter(0..<statement.columnCount - hidden)
    let rows = try Row.fetchCursor(statement, adapter: returned.isEmpty ? nil : shown)
    let row = try rows.next()?.copy()
    while try rows.next() != nil {}
    let all = hidden > 0 ? row?.unadapted : nil
    let rowID = all.flatMap { Int64.fromDatabaseValue($0.databaseValue(at: $0.count - 1)) }
    return (rowID ?? db.lastInsertedRowID, selection.isEmpty ? nil : row)
  }

  private func append(
    _ assignments: [ColumnAssignment], to renderer: inout SQLRenderer
  ) throws {
    renderer.tables[ObjectIdentifier(excluded)] = SQLRenderer.NamedTable(
      name: "excluded", tableName: table.name, depth: renderer.depth, isQualified: true)
    for (index, assignment) in assignments.enumerated() {
      if index > 0 { renderer.append(", ") }
      renderer.append(identifier: assignment.columnName)
      renderer.append(" = ")
      if let value = assignment.value { try renderer.append(value) }
    }
  }
}
