import CofferCore
import CofferQuery

/// The columns that a record stores, and their values: see ``EncodableRecord/encode(to:)``.
///
/// Columns keep the order in which they were first set. Names are compared case-insensitively.
///
/// A container belongs to the thread on which its record is encoded: it may bind what is set in it
/// to a statement. A copy that outlives `encode(to:)` is harmless: it binds nothing.
public struct PersistenceContainer {
  @usableFromInline
  struct Entry: Sendable {
    let column: String
    var value: DatabaseValue
  }

  /// What values are bound to; nil where they are collected.
  @usableFromInline let target: UnsafeMutablePointer<BindingTarget>?
  @usableFromInline let use: UInt
  /// Nil where nothing was collected.
  @usableFromInline private(set) var collected: [Entry]?
  /// Whether each column has been set once, and none has been read.
  @usableFromInline private(set) var isPlain: Bool

  @usableFromInline
  init() {
    target = nil
    use = 0
    collected = nil
    isPlain = true
    notes = nil
  }

  /// The columns of a record.
  @usableFromInline
  init(_ record: some EncodableRecord) throws {
    self.init()
    let notes = ReadNotes()
    self.notes = notes
    try record.encode(to: &self)
    self.notes = nil
    if notes.wasRead { isPlain = false }
  }

  /// A container that binds what is set in it.
  @inlinable @inline(__always)
  init(binding target: UnsafeMutablePointer<BindingTarget>) {
    self.target = target
    use = target.pointee.use
    collected = nil
    isPlain = true
    notes = nil
  }

  var entries: [Entry] { collected ?? [] }

  /// The plan by which values are bound; nil where they are collected, or the record is stored.
  var plan: RecordPlan? {
    guard let target, target.pointee.use == use else { return nil }
    // SAFETY: the target's plan is the one that has this use.
    return target.pointee.plan?.takeUnretainedValue()
  }

  // MARK: Setting

  /// Gives a column its value.
  ///
  /// What the subscripts do, for values of a type that the compiler knows: without a box.
  @inlinable @inline(__always)
  package mutating func set<Value: DatabaseValueConvertible>(
    _ value: Value, forColumn column: String
  ) {
    guard let target else { return collect(value.databaseValue, column) }
    let parameter = target.pointee.nextParameter(column, use)
    guard parameter > 0, let handle = target.pointee.handle else { return }
    let code = value.bind(to: handle, at: parameter)
    if code != SQLite.ok { target.pointee.code = code }
  }

  @usableFromInline @inline(never)
  mutating func collect(_ value: DatabaseValue, _ column: String) {
    if let index = index(of: column) {
      collected?[index].value = value
      isPlain = false
    } else if collected == nil {
      collected = [Entry(column: column, value: value)]
    } else {
      collected?.append(Entry(column: column, value: value))
    }
  }

  // MARK: Subscripts

  /// The value of a column; nil where it is NULL or not set.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(column: String) -> Value? {
    get { value(column).flatMap { Value.fromDatabaseValue($0) } }
    @inline(__always) set { set(newValue, forColumn: column) }
  }

  /// The value of a column; nil where it is NULL or not set.
  @_disfavoredOverload
  public subscript(column: String) -> (any DatabaseValueConvertible)? {
    get { value(column)?.storage.value }
    set {
      guard let newValue else { return set(DatabaseValue.null, forColumn: column) }
      set(newValue, forColumn: column)
    }
  }

  /// The value of a column; nil where it is NULL or not set.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(
    column: some ColumnExpression
  ) -> Value? {
    get { self[column.name] }
    @inline(__always) set { set(newValue, forColumn: column.name) }
  }

  /// The value of a column; nil where it is NULL or not set.
  @_disfavoredOverload
  public subscript(column: some ColumnExpression) -> (any DatabaseValueConvertible)? {
    get { self[column.name] }
    set { self[column.name] = newValue }
  }

  // MARK: Reading

  /// Takes note of what a record reads while it encodes.
  @usableFromInline
  final class ReadNotes {
    var wasRead = false
  }

  /// Only while a record encodes.
  @usableFromInline private(set) var notes: ReadNotes?

  private func noteReading() {
    notes?.wasRead = true
    guard let target, target.pointee.use == use else { return }
    // The record is encoded once more, with a container that knows its values.
    target.pointee.next = target.pointee.nowhere
    target.pointee.canBind = false
  }

  /// The value of a column, NULL included; nil where it is not set.
  @usableFromInline
  func value(_ column: String) -> DatabaseValue? {
    noteReading()
    return storedValue(column)
  }

  /// The same, for those who are no record.
  func storedValue(_ column: String) -> DatabaseValue? {
    index(of: column).map { entries[$0].value }
  }

  func index(of column: String) -> Int? {
    entries.firstIndex { $0.column.isSameName(as: column) }
  }

  /// The names of the columns, as the record gave them.
  var columns: [String] { entries.map(\.column) }

  /// The values, as arguments of an insertion.
  var arguments: StatementArguments { StatementArguments(entries.map(\.value)) }
}

// The statement that a container binds to is used by one thread.
@available(*, unavailable)
extension PersistenceContainer: Sendable {}

extension PersistenceContainer: RandomAccessCollection {
  /// 0.
  public var startIndex: Int { 0 }

  /// The number of columns.
  public var endIndex: Int {
    noteReading()
    return entries.count
  }

  /// The name of a column and its value, by the 0-based position.
  public subscript(position: Int) -> (String, DatabaseValue) {
    (entries[position].column, entries[position].value)
  }
}
