import CofferCore
import FoundationEssentials

/// The order of typed decimal numbers, which are stored as text.
@usableFromInline
enum DecimalOrder {
  /// Returns whether values of the type are stored as decimal numbers.
  @inlinable @inline(__always)
  static func isDecimal(_ type: Any.Type) -> Bool { !isFrequent(type) && isStoredAsDecimal(type) }

  @usableFromInline
  static func isStoredAsDecimal(_ type: Any.Type) -> Bool {
    func rawValue<Value: RawRepresentable>(_ type: Value.Type) -> Any.Type { Value.RawValue.self }
    switch type {
    case is Decimal.Type: return true
    case let type as any AnyOptional.Type: return isStoredAsDecimal(type.wrappedType)
    case let type as any RawRepresentable.Type: return isStoredAsDecimal(rawValue(type))
    default: return false
    }
  }

  /// Whether the type is one of the most frequent ones, for which no conformance is looked up.
  @inlinable @inline(__always)
  static func isFrequent(_ type: Any.Type) -> Bool {
    type == Int.self || type == String.self || type == Int64.self || type == Bool?.self
      || type == Double.self || type == Date.self || type == Bool.self || type == Int?.self
      || type == String?.self || type == Int64?.self || type == UUID.self || type == Date?.self
  }
}

extension SQLExpression {
  /// Returns the expression as operators and orders compare its values, if they are of the type.
  @inlinable @inline(__always)
  func compared(as type: Any.Type) -> SQLExpression {
    DecimalOrder.isDecimal(type) ? comparedAsDecimal : self
  }

  /// The expression with the collation of decimal numbers, unless it has a collation already.
  @usableFromInline
  var comparedAsDecimal: SQLExpression {
    if case .collated? = expressionNode { return self }
    return collating(DatabaseCollation.decimal)
  }
}
