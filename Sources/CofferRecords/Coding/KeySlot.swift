import CofferCore

/// The place of a coding key in rows with certain columns.
final class KeySlot {
  let key: String
  /// The key's column in the adapted row.
  let column: Int?
  /// The key's column in the statement's row or its copy; -1 if there is none.
  let baseColumn: CInt
  /// The column's name in the row; the key if there is no column.
  let columnName: String

  @safe @exclusivity(unchecked) private var columnReader: KeptObject?
  @safe @exclusivity(unchecked) private var rowReader: KeptObject?
  /// Whether rows have a scope with the key's name.
  private let hasScope: Bool
  /// The scope of a cursor's row with the key's name, which is the same object for all rows.
  @safe @exclusivity(unchecked) private var liveScope: Row?

  init(_ key: String, in row: Row, _ rules: DecodingRules) {
    self.key = key
    column = rules.columns.columnIndex(ofKey: key, in: row)
    baseColumn = column.map { CInt(truncatingIfNeeded: row.baseIndex($0)) } ?? -1
    columnName = column.map { row.layout.columnNames[$0] } ?? key
    hasScope = column == nil && row.adaptation != nil && row.scopesTree[key] != nil
  }

  /// Creates the slot of a row's first column.
  init(firstColumnOf row: Row) {
    columnName = row.layout.columnNames.first ?? ""
    key = columnName
    column = row.layout.columnNames.isEmpty ? nil : 0
    baseColumn = column.map { CInt(truncatingIfNeeded: row.baseIndex($0)) } ?? -1
    hasScope = false
  }

  /// Returns the reader of a type's values in the column.
  func columnReader<T: Decodable>(_ type: T.Type, _ rules: DecodingRules) -> ColumnReader<T> {
    if let reader: ColumnReader<T> = columnReader?.get() { return reader }
    let reader = ColumnReaders.reader(type, column: columnName, rules)
    columnReader = KeptObject(reader)
    return reader
  }

  /// Returns the reader that ``rowReader(_:_:)`` has made for the type; nil for another type.
  func knownRowReader<T: Decodable>(_ type: T.Type) -> RowReader<T>? { rowReader?.get() }

  /// Returns the reader of whole rows as values of a type.
  func rowReader<T: Decodable>(_ type: T.Type, _ make: () -> RowReader<T>) -> RowReader<T> {
    if let known = knownRowReader(type) { return known }
    let reader = make()
    rowReader = KeptObject(reader)
    return reader
  }

  /// Returns the row's scope with the key's name, if there is one.
  func scope(of row: Row) -> Row? {
    if let liveScope { return liveScope }
    guard hasScope, let scope = row.scopes[key] ?? row.scopesTree[key] else { return nil }
    // An adapted row of a cursor has its own plan, and so its own slot, and its scopes show the
    // statement's current row. Copies share slots.
    if row.statement != nil, row.prefetched == nil { liveScope = scope }
    return scope
  }
}
