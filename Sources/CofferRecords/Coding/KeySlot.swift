import CofferCore

/// What is known of a coding key in rows with certain columns.
final class KeySlot {
  let key: String
  /// The key's column in the row as it is shown.
  let column: Int?
  /// The same in the statement's row, or in the copy of it; -1 for none.
  let baseColumn: CInt
  /// The column's name in the row; the key where there is none.
  let columnName: String

  // Objects know their type's readers; a key is mostly decoded as one type.
  @exclusivity(unchecked) private var columnReaderType: ObjectIdentifier?
  @exclusivity(unchecked) private var columnReader: AnyObject?
  @exclusivity(unchecked) private var rowReaderType: ObjectIdentifier?
  @exclusivity(unchecked) private var rowReader: AnyObject?
  /// Whether rows have a scope of the key's name.
  private let hasScope: Bool
  /// The view of a cursor's row that the key stands for: the same for all rows.
  @exclusivity(unchecked) private var liveScope: Row?

  init(_ key: String, in row: Row, _ rules: DecodingRules) {
    self.key = key
    column = rules.columns.columnIndex(ofKey: key, in: row)
    baseColumn = column.map { CInt(truncatingIfNeeded: row.baseIndex($0)) } ?? -1
    columnName = column.map { row.layout.columnNames[$0] } ?? key
    hasScope = column == nil && row.adaptation != nil && row.scopesTree[key] != nil
  }

  /// The slot of a row's first column, whose rows have no scopes to be asked for.
  init(firstColumnOf row: Row) {
    columnName = row.layout.columnNames.first ?? ""
    key = columnName
    column = row.layout.columnNames.isEmpty ? nil : 0
    baseColumn = column.map { CInt(truncatingIfNeeded: row.baseIndex($0)) } ?? -1
    hasScope = false
  }

  /// Reads values of the type from the column.
  func columnReader<T: Decodable>(_ type: T.Type, _ rules: DecodingRules) -> ColumnReader<T> {
    if columnReaderType == ObjectIdentifier(type), let columnReader {
      // SAFETY: made below, for that type.
      return unsafeDowncast(columnReader, to: ColumnReader<T>.self)
    }
    let reader = ColumnReaders.reader(type, column: columnName, rules)
    columnReader = reader
    columnReaderType = ObjectIdentifier(type)
    return reader
  }

  /// What `rowReader` has made, if it was for the type.
  func knownRowReader<T: Decodable>(_ type: T.Type) -> RowReader<T>? {
    guard rowReaderType == ObjectIdentifier(type), let rowReader else { return nil }
    // SAFETY: made below, for that type.
    return unsafeDowncast(rowReader, to: RowReader<T>.self)
  }

  /// Decodes values of the type from a whole row.
  func rowReader<T: Decodable>(
    _ type: T.Type, _ make: () -> RowReader<T>
  ) -> RowReader<T> {
    if let known = knownRowReader(type) { return known }
    let reader = make()
    rowReader = reader
    rowReaderType = ObjectIdentifier(type)
    return reader
  }

  /// The scope of the row that has the key's name, if there is one.
  func scope(of row: Row) -> Row? {
    if let liveScope { return liveScope }
    guard hasScope, let scope = row.scopes[key] ?? row.scopesTree[key] else { return nil }
    // Adapted rows of a cursor have plans of their own, and with them this slot; their
    // scopes show the statement's current row, whichever it is. Copies share slots.
    if row.statement != nil, row.prefetched == nil { liveScope = scope }
    return scope
  }
}
