import CofferCore
import FoundationEssentials

/// What requests ask a record type for: where and how it stores its properties.
///
/// What record protocols build on; not meant to be adopted by itself.
public protocol _CodingKeyColumns: SendableMetatype {
  /// The name of the column for a coding key.
  static func _columnName(forCodingKey key: String) -> String

  /// What the type stores in a column for a value of which there is more than one form.
  static func _storedValue(_ value: _FormedValue, inColumn column: String) -> DatabaseValue

  /// What happens where an update fails a constraint; nil for what the table says.
  static var _updateConflictResolution: Database.ConflictResolution? { get }
}

/// A value of one of the types that record types can store in different forms.
@frozen
public enum _FormedValue: Sendable {
  /// A date.
  case date(Date)
  /// Bytes.
  case data(Data)
  /// A UUID.
  case uuid(UUID)

  /// The value; nil where its type has one form only.
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

  /// Whether values of the type can have different forms.
  @inlinable @inline(__always)
  static func includes(_ type: Any.Type) -> Bool {
    type == UUID.self || type == Date.self || type == Data.self || type == UUID?.self
      || type == Date?.self || type == Data?.self
  }
}

/// The form that a record type has for the values of a column.
public struct _ColumnForm: Sendable {
  private let record: any _CodingKeyColumns.Type
  private let column: String

  /// The form of a column; nil where there is only one.
  package init?(_ record: Any.Type, _ column: String, of type: Any.Type) {
    guard _FormedValue.includes(type), let record = record as? any _CodingKeyColumns.Type
    else { return nil }
    (self.record, self.column) = (record, column)
  }

  fileprivate func expression(_ value: _FormedValue) -> SQLExpression {
    SQLExpression(record._storedValue(value, inColumn: column))
  }
}

extension SQLTypedExpressible {
  /// A value beside the expression, in the form that the expression's column has.
  package func operand(_ value: (some DatabaseValueConvertible)?) -> SQLExpression {
    guard let value else { return SQLExpression(.null) }
    if let form = _form, let formed = _FormedValue(value) { return form.expression(formed) }
    return value.sqlExpression
  }
}
