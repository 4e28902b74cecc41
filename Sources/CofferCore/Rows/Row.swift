import CofferVault
import Foundation

/// A row of a query result.
///
/// ```swift
/// let rows = try Row.fetchCursor(db, sql: "SELECT id, name FROM player")
/// while let row = try rows.next() {
///   let id: Int64 = row[0]
///   let name: String? = row["name"]
/// }
/// ```
///
/// A cursor's row is valid until the cursor's next step, and is the same object each time: call
/// ``copy()`` to keep it. Rows from `fetchAll`, `fetchSet` and `fetchOne` are copies already.
///
/// Subscripts trap if a value is NULL or can't be converted to the requested type; `decode` throws
/// instead.
@safe public final class Row {
  // Few fields: a row from `fetchAll` is one small object.

  /// The core of the statement whose current row this is, if there is no adapter.
  @safe @usableFromInline package let live: UnsafeMutablePointer<StatementCore>?
  /// The storage of the values, which the row keeps alive.
  @safe @exclusivity(unchecked) private var source: Source
  /// The values of a copied row, stored in a ``RowBlock``.
  @inlinable package var image: RowImage? { shownImage }
  @safe @exclusivity(unchecked) @usableFromInline var shownImage: RowImage?
  @safe @exclusivity(unchecked) @usableFromInline private(set) var extras: RowExtras?
  /// The cached result of ``plan(_:make:)``.
  @inlinable package var plan: AnyObject? {
    get { keptPlan }
    _modify { yield &keptPlan }
  }
  // Other modules don't see the attribute, and would check each access; so they call the getter.
  @safe @exclusivity(unchecked) @usableFromInline var keptPlan: AnyObject?
  /// Whether the object shows one row after the other, so that a plan is worth keeping in it.
  @inlinable package var keepsPlan: Bool { showsManyRows }
  @safe @exclusivity(unchecked) @usableFromInline var showsManyRows = false

  private enum Source {
    case statement(Statement)
    case block(RowBlock)
    case literal(RowLiteral)
  }

  /// The statement whose current row this is; nil for a copy.
  package var statement: Statement? {
    if case .statement(let statement) = source { statement } else { nil }
  }

  /// The core of the statement whose current row this is, with or without an adapter.
  ///
  /// Nil for a copy.
  @inlinable
  @safe package var core: UnsafeMutablePointer<StatementCore>? { unsafe live ?? adaptedCore }

  @safe @usableFromInline var adaptedCore: UnsafeMutablePointer<StatementCore>? { statement?.core }

  /// Whether the values come from a database.
  package var isFetched: Bool {
    if case .literal = source { false } else { true }
  }

  /// The columns and scopes that an adapter shows; nil without an adapter.
  package var adaptation: RowAdaptation? { extras?.adaptation }

  /// The rows that were fetched along with this row, by the association's key.
  package var prefetched: PrefetchedRows? {
    get { unsafe extras?.prefetched }
    set {
      if extras == nil { extras = RowExtras(nil, live: nil) }
      unsafe extras?.prefetched = newValue
    }
  }

  // MARK: Making rows

  /// Creates a row without columns.
  public convenience init() {
    self.init(columnNames: [], values: [])
  }

  /// Creates a row from a dictionary, with columns in alphabetical order.
  public convenience init(_ dictionary: [String: (any DatabaseValueConvertible)?]) {
    let sorted = dictionary.sorted { $0.key < $1.key }
    self.init(
      columnNames: sorted.map(\.key), values: sorted.map { $0.value?.databaseValue ?? .null })
  }

  /// Creates a row from a dictionary; nil if a key is not a string or a value can't be stored.
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
    live = nil
    source = .literal(RowLiteral(layout: RowLayout(columnNames: columnNames), values: values))
  }

  /// Creates a view of a statement's current row.
  package init(statement: Statement, adaptation: RowAdaptation? = nil) {
    live = adaptation == nil ? statement.core : nil
    showsManyRows = true
    source = .statement(statement)
    if let adaptation { extras = RowExtras(adaptation, live: statement.core) }
  }

  /// Creates a copied row.
  @safe init(block: RowBlock, start: UnsafeRawPointer, adaptation: RowAdaptation?) {
    live = nil
    shownImage = RowImage(start: start)
    source = .block(block)
    if let adaptation { extras = RowExtras(adaptation, live: nil) }
  }

  /// Shows another copied row, which has the same columns.
  @safe func show(in block: RowBlock, at start: UnsafeRawPointer) {
    shownImage = RowImage(start: start)
    if case .block(let current) = source, current === block { return }
    source = .block(block)
  }

  /// Creates another view of a row.
  package init(base: Row, adaptation: RowAdaptation?, prefetched: PrefetchedRows? = nil) {
    let core = base.statement?.core
    live = unsafe adaptation == nil ? core : nil
    shownImage = base.image
    showsManyRows = unsafe core != nil
    source = base.source
    if adaptation != nil || prefetched != nil {
      extras = RowExtras(adaptation, prefetched, live: core)
    }
  }

  /// Creates a copy of a statement's current row.
  package convenience init(copying statement: Statement, adaptation: RowAdaptation? = nil) {
    let layout = statement.layout
    guard let handle = statement.core.pointee.handle else {
      let nulls = Array(repeating: DatabaseValue.null, count: layout.count)
      let row = Row(columnNames: layout.columnNames, values: nulls)
      self.init(base: row, adaptation: adaptation)
      return
    }
    var block = RowBlock(layout: layout, capacity: RowBlock.fixedBytes(layout.count))
    let start = RowBlock.copyRow(of: handle, statement.core, to: &block)
    self.init(block: block, start: start, adaptation: adaptation)
  }

  /// Returns a copy that stays valid after the cursor's next step; the row itself if it is a copy.
  public func copy() -> Row {
    guard let statement else { return self }
    guard isWithinStatement else { return Row(shown: self) }
    let copy = Row(copying: statement, adaptation: adaptation)
    if let prefetched { copy.prefetched = prefetched }
    return copy
  }

  // MARK: Columns of the base row

  /// The columns as the statement returns them.
  package var baseLayout: RowLayout {
    switch source {
    case .statement(let statement): statement.layout
    case .block(let block): block.layout
    case .literal(let literal): literal.layout
    }
  }

  /// Returns the value of a column of the base row; the index is not checked.
  func baseDatabaseValue(_ index: Int) -> DatabaseValue {
    switch source {
    case .statement(let statement):
      guard let handle = statement.handle else { return .null }
      return DatabaseValue(sqliteStatement: handle, index: CInt(truncatingIfNeeded: index))
    case .block: return image?.databaseValue(index) ?? .null
    case .literal(let literal): return literal.values[index]
    }
  }

  func baseIsNull(_ index: Int) -> Bool {
    switch source {
    case .statement(let statement):
      guard let handle = statement.handle else { return true }
      return SQLite.columnIsNull(handle, CInt(truncatingIfNeeded: index))
    case .block: return image?.isNull(index) ?? true
    case .literal(let literal): return literal.values[index].isNull
    }
  }

  /// Calls `body` with the bytes of a text or blob in a column of the base row.
  ///
  /// It passes nil for other values.
  @usableFromInline
  @safe func withBaseBytes<Result>(
    _ index: Int, _ body: (UnsafeRawBufferPointer?, _ isText: Bool) throws -> Result
  ) rethrows -> Result {
    switch source {
    case .statement(let statement):
      guard let handle = statement.handle else { return try body(nil, false) }
      let column = CInt(truncatingIfNeeded: index)
      let type = SQLite.columnType(handle, column)
      if type == SQLite.textType {
        return try unsafe body(UnsafeRawBufferPointer(SQLite.columnText(handle, column)), true)
      }
      return try unsafe body(
        type == SQLite.blobType ? SQLite.columnBlob(handle, column) : nil, false)
    case .block:
      guard let image else { return try body(nil, false) }
      return try unsafe body(image.bytes(index), image.type(index) == SQLite.textType)
    case .literal(let literal):
      switch literal.values[index].storage {
      case .string(var string):
        return try string.withUTF8 { try unsafe body(UnsafeRawBufferPointer($0), true) }
      case .blob(let data): return try unsafe data.withUnsafeBytes { try unsafe body($0, false) }
      default: return try body(nil, false)
      }
    }
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

  /// Returns whether there is a column with this name.
  public func hasColumn(_ columnName: String) -> Bool { index(ofColumn: columnName) != nil }

  /// Returns whether the value of the 0-based column is NULL.
  public func hasNull(atIndex index: Int) -> Bool {
    checkIndex(index)
    return baseIsNull(baseIndex(index))
  }

  /// Whether a value of the row or of its scopes is not NULL.
  public var containsNonNullValue: Bool {
    (0..<count).contains { !baseIsNull(baseIndex($0)) }
      || scopes.contains { $0.row.containsNonNullValue }
  }

  /// Returns the 0-based index of the leftmost column with this name, case-insensitively.
  @inlinable
  package func index(ofColumn name: String) -> Int? {
    if let live, let index = unsafe live.pointee.predictor.predictedIndex(of: name) { return index }
    return findIndex(ofColumn: name)
  }

  @usableFromInline
  func findIndex(ofColumn name: String) -> Int? {
    if let live { return unsafe live.pointee.predictor.findIndex(of: name, in: layout) }
    if let window { return unsafe window.pointee.predictor.findIndex(of: name, in: layout) }
    return layout.index(ofColumn: name)
  }

  /// Returns the index of a column in the base row.
  @usableFromInline
  package func baseIndex(_ index: Int) -> Int {
    adaptation?.baseIndices[index] ?? index
  }

  /// Returns the value of a column; the index is not checked.
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

/// A row can refer to memory of its connection.
@available(*, unavailable)
extension Row: Sendable {}

/// The values of a row that doesn't come from a statement.
private final class RowLiteral {
  let layout: RowLayout
  let values: [DatabaseValue]

  init(layout: RowLayout, values: [DatabaseValue]) {
    self.layout = layout
    self.values = values
  }
}
