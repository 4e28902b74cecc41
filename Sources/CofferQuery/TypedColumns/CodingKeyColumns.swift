import CofferCore
import FoundationEssentials

/// A type that declares where and how it stores its properties.
///
/// The record protocols refine it; don't adopt it directly.
public protocol _CodingKeyColumns: SendableMetatype {
  /// Returns the name of the column for a coding key.
  static func _columnName(forCodingKey key: String) -> String

  /// Returns the database value that the type stores in a column for a date, data or UUID.
  static func _storedValue(_ value: _FormedValue, inColumn column: String) -> DatabaseValue

  /// The conflict resolution for updates that violate a constraint.
  ///
  /// Nil for the resolution that the table declares.
  static var _updateConflictResolution: Database.ConflictResolution? { get }
}

/// A value of a type that record types can store in different formats.
@frozen
public enum _FormedValue: Sendable {
  /// A date.
  case date(Date)
  /// Bytes.
  case data(Data)
  /// A UUID.
  case uuid(UUID)

  /// Creates a value.
  ///
  /// Returns nil if its type has only one format.
  @inlinable @inline(__always)
  public init?<Value: DatabaseValueConvertible>(_ value: Value) {
    guard _FormedValue.includes(Value.self) else { return nil }
    if let uuid = value as? UUID {
      self = .uuid(uuid)
    } else if let date = value as? Date {
      self = .date(date)
    } else if let data = value as? Data {
      self = .data(data)
    } else {
      return nil
    }
  }

  /// Returns whether values of the type can be stored in different formats.
  @inlinable @inline(__always)
  static func includes(_ type: Any.Type) -> Bool {
    type == UUID.self || type == Date.self || type == Data.self || type == UUID?.self
      || type == Date?.self || type == Data?.self
  }
}

/// The format in which a record type stores the values of a column.
public struct _ColumnForm: Sendable {
  @usableFromInline let convert: @Sendable (any DatabaseValueConvertible) -> DatabaseValue?

  /// Creates the format of a column.
  ///
  /// Returns nil if the type has only one format.
  @inlinable
  package init?(_ record: Any.Type, _ column: String, of type: Any.Type) {
    guard _FormedValue.includes(type), let record = record as? any _CodingKeyColumns.Type
    else { return nil }
    convert = { value in _FormedValue(value).map { record._storedValue($0, inColumn: column) } }
  }

  /// Creates a format.
  ///
  /// - Parameter convert: Returns the stored value; nil for its type's only one.
  package init(_ convert: @escaping @Sendable (any DatabaseValueConvertible) -> DatabaseValue?) {
    self.convert = convert
  }
}

extension SQLTypedExpressible {
  /// Returns a value as an operand, in the format of the expression's column.
  @inlinable
  package func operand(_ value: (some DatabaseValueConvertible)?) -> SQLExpression {
    guard let value else { return SQLExpression(DatabaseValue.null) }
    if let stored = _form?.convert(value) { return SQLExpression(stored) }
    return beyondIntegers(value)?.sqlExpression ?? value.sqlExpression
  }
}

/// Returns whether values of the type can be greater than SQLite's integers.
@inlinable @inline(__always)
func exceedsIntegers(_ type: Any.Type) -> Bool { type == UInt64.self || type == UInt.self }

/// Returns a real that compares with all integers of SQLite like the value, which is greater; nil
/// if SQLite has the value.
@inlinable @inline(__always)
func beyondIntegers<Value: DatabaseValueConvertible>(_ value: Value) -> DatabaseValue? {
  guard exceedsIntegers(Value.self) else { return nil }
  let number = value as? UInt64 ?? (value as? UInt).map { UInt64($0) }
  return number.flatMap { $0 > Int64.max ? Double($0).databaseValue : nil }
}
