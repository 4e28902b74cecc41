import CofferCore
import CofferRecords

/// Compares a property by `Collation.caseInsensitive` in its index, in filters and in sorting.
@propertyWrapper
public struct CollateCaseInsensitive<Value: Codable & Equatable>: ConfigurationAnnotation {
  /// The value of the property.
  public var wrappedValue: Value

  /// Wraps a value.
  @inlinable
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

  /// The configuration of the property.
  public static var propertyConfig: PropertyConfig { .collation(.caseInsensitive) }
}

extension CollateCaseInsensitive: Sendable where Value: Sendable {}
extension CollateCaseInsensitive: Hashable where Value: Hashable {}
extension CollateCaseInsensitive: SQLExpressible where Value: DatabaseValueConvertible {}
extension CollateCaseInsensitive: StatementBinding where Value: DatabaseValueConvertible {}
extension CollateCaseInsensitive: DatabaseValueConvertible where Value: DatabaseValueConvertible {}
extension CollateCaseInsensitive: StatementColumnConvertible
where Value: StatementColumnConvertible {}

extension CollateCaseInsensitive: ExpressibleByNilLiteral where Value: ExpressibleByNilLiteral {
  /// Wraps nil.
  @inlinable
  public init(nilLiteral: ()) { self.init(wrappedValue: nil) }
}

extension CollateCaseInsensitive: ColumnWrapping {}
