import Foundation

/// A row of a query.
///
/// ```swift
/// let rows = try Row.fetchCursor(db, sql: "SELECT id, name FROM player")
/// while let row = try rows.next() {
///   let id: Int64 = row[0]
///   let name: String? = row["name"]
/// }
/// ```
///
/// The row of a cursor is valid until the cursor steps on, and is the same
/// object for every step: ``copy()`` one that is to be kept. Rows from
/// `fetchAll`, `fetchSet` and `fetchOne` are copies already.
///
/// Subscripts trap where a value is NULL or of another type than the one asked
/// for; `decode` throws instead.
public final class Row {
  /// The statement whose current row this is; nil for a copy.
  @usableFromInline package let statement: Statement?
  let image: RowImage?
  /// Values that were given, of a row that no statement made.
  private let values: [DatabaseValue]?
  /// What an adapter shows of the row; nil where it shows it as it is.
  @usableFromInline package let adaptation: RowAdaptation?
  private let fixedLayout: RowLayout?
  /// Rows that were fetched along with this one, by the key of their association.
  package var prefetched: PrefetchedRows?
  /// Keeps the block that `image` points to alive; nil if this row owns it.
  private let imageOwner: Row?

  // MARK: Making rows

  /// A row without columns.
  public convenience init() {
    self.init(columnNames: [], values: [])
  }

  /// A row with the values of a dictionary, in the order of the keys.
  public convenience init(_ dictionary: [String: (any DatabaseValueConvertible)?]) {
    let sorted = dictionary.sorted { $0.key < $1.key }
    self.init(
      columnNames: sorted.map(\.key), values: sorted.map { $0.value?.databaseValue ?? .null })
  }

  /// A row with the values of a dictionary; nil where one can't be stored.
  public convenience init?(_ dictionary: [AnyHashable: Any]) {
    var pairs: [(String, DatabaseValue)] = []
    for (key, value) in dictionary {
      guard let name = key as? String, let value = DatabaseValue(value: value) else { return nil }
      pairs.append((name, value))
    }
    pairs.sort { $0.0 < $1.0 }
    self.init(columnNames: pairs.map(\.0), values: pairs.map(\.1))
  }

  package init(columnNames: [String], values: [DatabaseValue]) {
    statement = nil
    image = nil
    imageOwner = nil
    self.values = values
    adaptation = nil
    fixedLayout = RowLayout(columnNames: columnNames)
  }

  /// The row of a statement, always its current one.
  @usableFromInline
  package init(statement: Statement, adaptation: RowAdaptation? = nil) {
    self.statement = statement
    image = nil
    imageOwner = nil
    values = nil
    self.adaptation = adaptation
    fixedLayout = nil
  }

  /// A copy of a statement's current row.
  ///
  /// - Parameter layout: That of the statement; it is not asked for, so that all
  ///   rows of one fetch share one.
  @usableFromInline
  package init(copying statement: Statement, layout: RowLayout, adaptation: RowAdaptation? = nil) {
    self.statement = nil
    imageOwner = nil
    if let handle = statement.handle {
      image = RowImage(copying: handle, columnCount: layout.count)
      values = nil
    } else {
      image = nil
      values = Array(repeating: .null, count: layout.count)
    }
    self.adaptation = adaptation
    fixedLayout = layout
  }

  /// Another view of a row.
  package init(base: Row, adaptation: RowAdaptation?) {
    statement = base.statement
    image = base.image
    imageOwner = base.image == nil ? nil : (base.imageOwner ?? base)
    values = base.values
    fixedLayout = base.fixedLayout
    self.adaptation = adaptation
    prefetched = base.prefetched
  }

  deinit {
    if imageOwner == nil { image?.deallocate() }
  }

  /// A copy that outlives the cursor's next step; the row itself if it is one.
  public func copy() -> Row {
    guard let statement else { return self }
    guard isWithinStatement else { return Row(shown: self) }
    let copy = Row(copying: statement, layout: statement.layout, adaptation: adaptation)
    copy.prefetched = prefetched
    return copy
  }

  // MARK: Columns of the base row

  /// The columns as the statement gives them.
  package var baseLayout: RowLayout { fixedLayout ?? statement?.layout ?? .empty }

  /// The value of a column of the statement, not checked.
  func baseDatabaseValue(_ index: Int) -> DatabaseValue {
    if let image { return image.databaseValue(index) }
    if let values { return values[index] }
    guard let handle = statement?.handle else { return .null }
    return DatabaseValue(sqliteStatement: handle, index: CInt(truncatingIfNeeded: index))
  }

  func baseIsNull(_ index: Int) -> Bool {
    if let image { return image.isNull(index) }
    if let values { return values[index].isNull }
    guard let handle = statement?.handle else { return true }
    return SQLite.columnIsNull(handle, CInt(truncatingIfNeeded: index))
  }

  // MARK: Columns as they are shown

  /// The columns of the row.
  package var layout: RowLayout { adaptation?.layout ?? baseLayout }

  /// The number of columns.
  public var count: Int { layout.count }

  /// The names of the columns, from left to right.
  public var columnNames: LazyMapSequence<[String], String> {
    layout.columnNames.lazy.map(\.self)
  }

  /// The values of the columns, from left to right.
  public var databaseValues: LazyMapSequence<Range<Int>, DatabaseValue> {
    (0..<count).lazy.map { self.databaseValue(at: $0) }
  }

  /// Whether there is a column of that name.
  public func hasColumn(_ columnName: String) -> Bool { index(ofColumn: columnName) != nil }

  /// Whether the value of the 0-based column is NULL.
  public func hasNull(atIndex index: Int) -> Bool {
    checkIndex(index)
    return baseIsNull(baseIndex(index))
  }

  /// Whether a value is not NULL.
  public var containsNonNullValue: Bool {
    (0..<count).contains { !baseIsNull(baseIndex($0)) }
      || scopes.contains { $0.row.containsNonNullValue }
  }

  /// The 0-based index of the leftmost column of that name, in either case.
  @inlinable
  package func index(ofColumn name: String) -> Int? {
    if adaptation == nil, let statement {
      return statement.predictor.predictedIndex(of: name) ?? slowIndex(ofColumn: name)
    }
    return slowIndex(ofColumn: name)
  }

  @usableFromInline
  func slowIndex(ofColumn name: String) -> Int? {
    if adaptation == nil, let statement {
      return statement.predictor.findIndex(of: name, in: statement.layout)
    }
    return layout.index(ofColumn: name)
  }

  /// The column of the base row that the row's column is.
  @usableFromInline
  package func baseIndex(_ index: Int) -> Int {
    adaptation?.baseIndices[index] ?? index
  }

  /// The value of the column, which is not checked.
  @usableFromInline
  package func databaseValue(at index: Int) -> DatabaseValue {
    baseDatabaseValue(baseIndex(index))
  }

  @usableFromInline
  func checkIndex(_ index: Int) {
    guard index >= 0, index < count else {
      preconditionFailure("row index \(index) is out of range: the row has \(count) columns")
    }
  }
}

/// A row may read from its connection's memory.
@available(*, unavailable)
extension Row: Sendable {}
