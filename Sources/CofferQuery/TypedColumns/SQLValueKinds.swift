import CofferCore
import FoundationEssentials

// What operators and functions on typed expressions ask of a value's type. The
// optionals conform as well, so that one declaration serves both.

/// A type whose values `+` puts together: numbers and text, optional or not.
public protocol SQLAddable: DatabaseValueConvertible {
  /// How: by adding, or by writing one after the other.
  static var sqlAddition: SQLExpression.AssociativeBinaryOperator { get }
}

/// A type to calculate with, optional or not.
public protocol SQLNumber: SQLAddable {}

extension SQLNumber {
  /// Numbers are added.
  public static var sqlAddition: SQLExpression.AssociativeBinaryOperator { .add }
}

/// An integer, optional or not.
public protocol SQLInteger: SQLNumber {}

/// A type with a length: text and data, optional or not.
public protocol SQLMeasurable {
  /// The type of a length: `Int`, optional or not.
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
  /// Text is written one after the other.
  public static var sqlAddition: SQLExpression.AssociativeBinaryOperator { .concat }
}

extension Data: SQLMeasurable {}

extension Optional: SQLInteger where Wrapped: SQLInteger {}
extension Optional: SQLNumber where Wrapped: SQLNumber {}
extension Optional: SQLAddable where Wrapped: SQLAddable {
  /// As the values that are there; NULL makes NULL.
  public static var sqlAddition: SQLExpression.AssociativeBinaryOperator { Wrapped.sqlAddition }
}
extension Optional: SQLMeasurable where Wrapped: SQLMeasurable {
  /// The length, or NULL.
  public typealias SQLLength = Int?
}
