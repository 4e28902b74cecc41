import CofferCore
import CofferQuery

/// Checks that a mapping matches its columns.
enum MappingChecks {
  /// Returns a column with two fields; nil if there is none.
  static func duplicate(in columns: [MappedColumn]) -> String? {
    var names: Set<SQLName> = []
    return columns.first { !names.insert(SQLName($0.name)).inserted }?.name
  }

  /// - Throws: ``DatabaseError`` if the column can't hold the property's values.
  static func check(
    _ column: MappedColumn, declaredAs declaration: String, in record: Any.Type, sql: String?
  ) throws {
    if column.storedType.fits(declaration) { return }
    throw DatabaseError(
      resultCode: .SQLITE_MISMATCH,
      message: "column \(quoted(column.name)) of \(record) is \(column.type), "
        + "and is declared \(declaration), which doesn't keep such values as they are",
      sql: sql, hint: "Change the type of the property or the column.")
  }

  static func missing(_ column: MappedColumn, in record: Any.Type, row: Row) -> RowDecodingError {
    RowDecodingError.columnNotFound(
      column.name, context: RowDecodingContext(sql: row.statement?.sql)
    ).naming(record: record)
  }

  static func quoted(_ name: String) -> String { name.quotedDatabaseIdentifier }
}
