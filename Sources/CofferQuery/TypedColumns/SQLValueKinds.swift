import CofferCore
import FoundationEssentials

// Constraints on the value types of operators and functions on typed expressions. Optionals conform
// as well, so that one declaration covers nullable expressions.

/// A type whose values `+` combines: numbers and text, optional or not.
public protocol SQLAddable: DatabaseValueConvertible {
  /// The SQL operator for `+`: addition or concatenation.
  static var sqlAddition: SQLExpression.AssociativeBinaryOperator { get }
}

/// A numeric type, optional or not.
public protocol SQLNumber: SQLAddable {}

extension SQLNumber {
  /// The addition operator, `+`.
  public static var sqlAddition: SQLExpression.AssociativeBinaryOperator { .add }
}

/// An integer type, optional or not.
public protocol SQLInteger: SQLNumber {}

/// A type with a length: text and data, optional or not.
public protocol SQLMeasurable {
  /// The type of the length: `Int`, or `Int?` for optionals.
  associatedtype SQLLength = Int
}

extension Int: SQLInteger {}
extension Int8: SQLInteger {}
extension Int16: SQLInteger {}
extension Int32: SQLInteger {}
extension Int64: SQLInteger {}
extension UInt: SQLInteger {}
extension UInt8: SQLInteger {}
extension UInt16: SQLInteger {}
extension UInt32: SQLInteger {}
extension UInt64: SQLInteger {}
extension Double: SQLNumber {}
extension Float: SQLNumber {}

extension String: SQLAddable, SQLMeasurable {
  /// The concatenation operator, `||`.
  public static var sqlAddition: SQLExpression.AssociativeBinaryOperator { .concat }
}

extension Data: SQLMeasurable {}

extension Optional: SQLInteger where Wrapped: SQLInteger {}
extension Optional: SQLNumber where Wrapped: SQLNumber {}
extension Optional: SQLAddable where Wrapped: SQLAddable {
  /// The operator of the wrapped type; NULL if an operand is NULL.
  public static var sqlAddition: SQLExpression.AssociativeBinaryOperator { Wrapped.sqlAddition }
}
extension Optional: SQLMeasurable where Wrapped: SQLMeasurable {
  /// The length, or nil for NULL.
  public typealias SQLLength = Int?
}
