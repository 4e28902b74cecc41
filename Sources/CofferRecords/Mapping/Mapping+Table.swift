import CofferCore
import CofferQuery

/// The result of comparing a mapping with its table.
private final class CheckedMapping<Record> {
  let table: String
  /// Columns that need a value, for which the mapping has no field.
  let lacking: [String]

  init(_ table: String, lacking: [String]) {
    self.table = table
    self.lacking = lacking
  }
}

extension Mapping {
  /// Compares the mapping with a table, once per connection and schema version.
  ///
  /// - Throws: ``DatabaseError`` if the table lacks a column or has one of a wrong type; for an
  ///   insertion, also if a column needs a value and the mapping has no field for it.
  func check(_ db: Database, _ table: String, isInsertion: Bool) throws {
    var checked = try db.plan(CheckedMapping<Record>.self) { try comparison(with: table, db) }
    if !checked.table.isSameName(as: table) { checked = try comparison(with: table, db) }
    guard isInsertion, let column = checked.lacking.first else { return }
    throw DatabaseError(
      resultCode: .SQLITE_CONSTRAINT_NOTNULL,
      message: "column \(quoted(column)) of table \(quoted(table)) is NOT NULL, has no default, "
        + "and is not in the mapping of \(Record.self)",
      hint: "Add a field for it, or give the column a default value.")
  }

  private func comparison(with table: String, _ db: Database) throws -> CheckedMapping<Record> {
    try checkNames()
    guard try db.tableExists(table) else {
      // A view or a common table expression; otherwise, SQLite reports the missing table.
      return CheckedMapping(table, lacking: [])
    }
    let existing = try db.columns(in: table)
    for column in columns {
      guard let info = existing.first(where: { $0.name.isSameName(as: column.name) }) else {
        throw DatabaseError(
          resultCode: .SQLITE_ERROR,
          message:
            "table \(quoted(table)) has no column \(quoted(column.name)), which \(Record.self) "
            + "maps to \(column.type)",
          hint: "Its columns are \(existing.map(\.name).joined(separator: ", ")).")
      }
      try MappingChecks.check(column, declaredAs: info.type, in: Record.self, sql: nil)
    }
    return CheckedMapping(table, lacking: try lackingColumns(existing, in: table, db))
  }

  private func lackingColumns(
    _ existing: [ColumnInfo], in table: String, _ db: Database
  ) throws -> [String] {
    let rowID = try db.primaryKeyIfAny(table)?.rowIDColumn
    return existing.filter { info in
      info.isNotNull && info.defaultValueSQL == nil && !info.isGenerated
        && !(rowID?.isSameName(as: info.name) ?? false)
        && !columns.contains { $0.name.isSameName(as: info.name) }
    }.map(\.name)
  }

  private func quoted(_ name: String) -> String { name.quotedDatabaseIdentifier }
}
