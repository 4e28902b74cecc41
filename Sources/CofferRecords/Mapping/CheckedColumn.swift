import CofferCore
import CofferQuery

/// A column whose table is checked against the mapping when it is selected.
struct CheckedColumn<Record>: SQLNode {
  let name: String
  let mapping: Mapping<Record>
  let table: String

  func render(into renderer: inout SQLRenderer) throws {
    if renderer.tableName.isSameName(as: table) {
      try mapping.check(renderer.database, table, isInsertion: false)
    }
    renderer.append(column: name)
  }
}
