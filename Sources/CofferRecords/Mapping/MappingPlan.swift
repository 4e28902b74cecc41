import CofferCore

/// Where the columns of a mapping are in the rows of a statement, or in one row.
@usableFromInline
package final class MappingPlan<Record> {
  @usableFromInline let indices: UnsafeMutablePointer<CInt>

  /// - Throws: An error where the row lacks a column, or one has a type that doesn't fit.
  @usableFromInline
  init(_ row: Row, _ columns: [MappedColumn]) throws {
    try MappingChecks.checkNames(of: columns, in: Record.self)
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
      indices.advanced(by: column).initialize(to: CInt(truncatingIfNeeded: index))
    }
  }

  deinit { indices.deallocate() }

  /// The error, with the name of the record where it is about a value.
  @usableFromInline
  func located(_ error: any Error) -> any Error {
    (error as? RowDecodingError)?.naming(record: Record.self) ?? error
  }
}
