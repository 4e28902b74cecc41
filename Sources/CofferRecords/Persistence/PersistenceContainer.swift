import CofferCore
import CofferQuery

/// The columns that a record stores, and what in them: see ``EncodableRecord/encode(to:)``.
///
/// Columns have the order in which they were first set. A name counts in either case.
public struct PersistenceContainer: Sendable {
  struct Entry: Sendable {
    let column: String
    var value: DatabaseValue
  }

  var entries: [Entry] = []

  @usableFromInline
  init() {}

  /// The columns of a record.
  @usableFromInline
  init(_ record: some EncodableRecord) throws {
    try record.encode(to: &self)
  }

  // MARK: Setting

  /// Gives a column its value.
  ///
  /// What the subscripts do, for values of a type that the compiler knows: without a box.
  @inlinable
  package mutating func set<Value: DatabaseValueConvertible>(
    _ value: Value, forColumn column: String
  ) {
    collect(value.databaseValue, column)
  }

  /// Gives a column the value NULL.
  @inlinable
  package mutating func setNull(forColumn column: String) { collect(.null, column) }

  @usableFromInline
  mutating func collect(_ value: DatabaseValue, _ column: String) {
    if let index = index(of: column) {
      entries[index].value = value
    } else {
      entries.append(Entry(column: column, value: value))
    }
  }

  // MARK: Subscripts

  /// The value of a column; nil where it is NULL or not set.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(column: String) -> Value? {
    get { value(column).flatMap { Value.fromDatabaseValue($0) } }
    set { set(newValue, forColumn: column) }
  }

  /// The value of a column; nil where it is NULL or not set.
  @_disfavoredOverload
  public subscript(column: String) -> (any DatabaseValueConvertible)? {
    get { value(column)?.storage.value }
    set {
      if let newValue { set(newValue, forColumn: column) } else { setNull(forColumn: column) }
    }
  }

  /// The value of a column; nil where it is NULL or not set.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(
    column: some ColumnExpression
  ) -> Value? {
    get { self[column.name] }
    set { set(newValue, forColumn: column.name) }
  }

  /// The value of a column; nil where it is NULL or not set.
  @_disfavoredOverload
  public subscript(column: some ColumnExpression) -> (any DatabaseValueConvertible)? {
    get { self[column.name] }
    set { self[column.name] = newValue }
  }

  // MARK: Reading

  /// The value of a column, NULL included; nil where it is not set.
  @usableFromInline
  func value(_ column: String) -> DatabaseValue? { index(of: column).map { entries[$0].value } }

  func index(of column: String) -> Int? {
    entries.firstIndex { $0.column.isSameName(as: column) }
  }

  /// The names of the columns, as the record gave them.
  var columns: [String] { entries.map(\.column) }
}

extension PersistenceContainer: RandomAccessCollection {
  /// 0.
  public var startIndex: Int { 0 }

  /// The number of columns.
  public var endIndex: Int { entries.count }

  /// The name of a column and its value, by the 0-based position.
  public subscript(position: Int) -> (String, DatabaseValue) {
    (entries[position].column, entries[position].value)
  }
}
