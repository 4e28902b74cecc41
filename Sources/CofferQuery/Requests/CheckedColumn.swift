import CofferCore

/// A selected column of the query's own table, which a record type checks where it is rendered.
package struct CheckedColumn: SQLNode {
  package let name: String
  private let check: @Sendable (_ db: Database, _ table: String) throws -> Void

  /// - Parameter check: Throws if the table isn't as the record type expects.
  package init(
    name: String, check: @escaping @Sendable (_ db: Database, _ table: String) throws -> Void
  ) {
    self.name = name
    self.check = check
  }

  package func render(into renderer: inout SQLRenderer) throws {
    try check(renderer.database, renderer.tableName)
    renderer.append(column: name)
  }
}
