import CofferCore
import CofferQuery

/// A column that is selected after a look at its table.
struct CheckedColumn<Record>: SQLFragment {
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
