import CofferCore

/// A selected column of the query's own table, which a record type checks where it is rendered.
package struct CheckedColumn: SQLNode {
  package let name: String
  private let record: ObjectIdentifier
  private let table: String
  private let check: @Sendable (Database) throws -> Void

  /// - Parameters:
  ///   - record: The record type, which has one check for a table.
  ///   - table: The record type's table; others aren't checked.
  ///   - check: Throws if the table isn't as the record type expects, which only depends on the
  ///     schema.
  package init(
    name: String, record: Any.Type, table: String,
    check: @escaping @Sendable (Database) throws -> Void
  ) {
    self.name = name
    self.record = ObjectIdentifier(record)
    self.table = table
    self.check = check
  }

  package func render(into renderer: inout SQLRenderer) throws {
    if renderer.tableName.isSameName(as: table) {
      let db = renderer.database
      // The SQL depends on the table, even if the check remembers what it has found.
      _ = try db.schemaCache.object(named: table)
      try check(db)
    }
    renderer.append(column: name)
  }

  package func describe(in shape: inout QueryShape) {
    shape.append(.checkedColumn)
    shape.append(name)
    shape.append(count: Int(bitPattern: record))
    shape.append(table)
  }
}
