import CofferCore
import CofferQuery

/// The columns that a record stores, with their values: see ``EncodableRecord/encode(to:)``.
///
/// Columns keep the order in which they were first set. Names are compared case-insensitively.
///
/// A container belongs to the thread on which its record is encoded, since it can bind values to a
/// statement as they are set. A copy that outlives `encode(to:)` is harmless: it binds nothing.
@safe public struct PersistenceContainer {
  @usableFromInline
  struct Entry: Sendable {
    let column: String
    var value: DatabaseValue
  }

  /// The target to which values are bound; nil if they are collected.
  @safe @usableFromInline let target: UnsafeMutablePointer<BindingTarget>?
  @usableFromInline let use: UInt
  /// The collected values; nil if there are none.
  @usableFromInline private(set) var collected: [Entry]?
  /// Whether each column was set only once, and none was read.
  @usableFromInline private(set) var isPlain: Bool

  @usableFromInline
  init() {
    target = nil
    use = 0
    collected = nil
    isPlain = true
    notes = nil
  }

  /// Encodes a record.
  @usableFromInline
  init(_ record: some EncodableRecord) throws {
    self.init()
    let notes = ReadNotes()
    self.notes = notes
    try record.encode(to: &self)
    self.notes = nil
    if notes.wasRead { isPlain = false }
  }

  /// Creates a container that binds values as they are set.
  @inlinable @inline(__always)
  @safe init(binding target: UnsafeMutablePointer<BindingTarget>) {
    self.target = unsafe target
    use = unsafe target.pointee.use
    collected = nil
    isPlain = true
    notes = nil
  }

  var entries: [Entry] { collected ?? [] }

  // MARK: Setting

  /// Sets the value of a column.
  ///
  /// Equivalent to the subscripts, but the value isn't boxed, since its type is known statically.
  @inlinable @inline(__always)
  package mutating func set<Value: DatabaseValueConvertible>(
    _ value: Value?, forColumn column: String
  ) {
    guard let target else { return collect(value.databaseValue, column) }
    guard let slot = unsafe target.pointee.nextSlot(column, use) else { return }
    if unsafe !target.pointee.store(value, in: slot) { unsafe target.pointee.bind(value, to: slot) }
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

  /// The value of a column; nil if it is NULL or not set.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(column: String) -> Value? {
    get { value(column).flatMap { Value.fromDatabaseValue($0) } }
    @inline(__always) set { set(newValue, forColumn: column) }
  }

  /// The value of a column; nil if it is NULL or not set.
  @_disfavoredOverload
  public subscript(column: String) -> (any DatabaseValueConvertible)? {
    get { value(column)?.storage.value }
    set {
      guard let newValue else { return set(DatabaseValue.null, forColumn: column) }
      set(newValue, forColumn: column)
    }
  }

  /// The value of a column; nil if it is NULL or not set.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(
    column: some ColumnExpression
  ) -> Value? {
    get { self[column.name] }
    @inline(__always) set { set(newValue, forColumn: column.name) }
  }

  /// The value of a column; nil if it is NULL or not set.
  @_disfavoredOverload
  public subscript(column: some ColumnExpression) -> (any DatabaseValueConvertible)? {
    get { self[column.name] }
    set { self[column.name] = newValue }
  }

  // MARK: Reading

  /// Records whether a record reads values while it encodes.
  @usableFromInline
  final class ReadNotes {
    var wasRead = false
  }

  /// Set only while a record encodes.
  @usableFromInline private(set) var notes: ReadNotes?

  private func noteReading() {
    notes?.wasRead = true
    guard let target, unsafe target.pointee.use == use else { return }
    // The record is then encoded again, into a container that collects its values.
    unsafe target.pointee.next = unsafe target.pointee.nowhere
    unsafe target.pointee.canBind = false
  }

  /// Returns the value of a column, including NULL; nil if it isn't set.
  @usableFromInline
  func value(_ column: String) -> DatabaseValue? {
    noteReading()
    return storedValue(column)
  }

  /// Returns the value of a column like ``value(_:)``, without recording that it was read.
  func storedValue(_ column: String) -> DatabaseValue? {
    index(of: column).map { entries[$0].value }
  }

  func index(of column: String) -> Int? {
    entries.firstIndex { $0.column.isSameName(as: column) }
  }

  /// The names of the columns, as the record spells them.
  var columns: [String] { entries.map(\.column) }

  /// The values as arguments of an insertion.
  var arguments: StatementArguments { StatementArguments(entries.map(\.value)) }
}

// A container binds to a statement, which one thread uses.
@available(*, unavailable)
extension PersistenceContainer: Sendable {}

extension PersistenceContainer: RandomAccessCollection {
  /// The start index, 0.
  public var startIndex: Int { 0 }

  /// The number of columns.
  public var endIndex: Int {
    noteReading()
    return entries.count
  }

  /// The name and value of the column at a 0-based position.
  public subscript(position: Int) -> (String, DatabaseValue) {
    (entries[position].column, entries[position].value)
  }
}
