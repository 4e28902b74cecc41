import CofferCore

/// The indices of a mapping's columns in the rows of a statement, or in one row.
@usableFromInline
@safe final class MappingPlan<Record> {
  @safe @usableFromInline let indices: UnsafeMutablePointer<CInt>

  /// - Throws: An error if the row lacks a column, or a column has a wrong type.
  @usableFromInline
  init(_ row: Row, _ mapping: Mapping<Record>) throws {
    try mapping.checkNames()
    let columns = mapping.columns
    let found = try columns.map { column in
      guard let index = row.index(ofColumn: column.name) else {
        throw MappingChecks.missing(column, in: Record.self, row: row)
      }
      return row.statement == nil ? index : row.baseIndex(index)
    }
    if let handle = row.statement?.handle, row.adaptation == nil {
      for (column, index) in zip(columns, found) {
        if let declaration = SQLite.columnDeclaredType(handle, index) {
          try MappingChecks.check(
            column, declaredAs: declaration, in: Record.self, sql: row.statement?.sql)
        }
      }
    }
    indices = .allocate(capacity: max(1, found.count))
    for (column, index) in found.enumerated() {
      unsafe indices.advanced(by: column).initialize(to: CInt(truncatingIfNeeded: index))
    }
  }

  deinit { unsafe indices.deallocate() }

  /// Returns the error, with the record's name added if it concerns a value.
  @usableFromInline
  func located(_ error: any Error) -> any Error {
    (error as? RowDecodingError)?.naming(record: Record.self) ?? error
  }
}
