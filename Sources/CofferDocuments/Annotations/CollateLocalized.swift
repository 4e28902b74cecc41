import CofferCore
import CofferRecords

/// Compares a property by `Collation.localized` in its index, in filters and in sorting.
@propertyWrapper
public struct CollateLocalized<Value: Codable & Equatable>: ConfigurationAnnotation {
  /// The value of the property.
  public var wrappedValue: Value

  /// Wraps a value.
  @inlinable
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

  /// The configuration of the property.
  public static var propertyConfig: PropertyConfig { .collation(.localized) }
}

extension CollateLocalized: Sendable where Value: Sendable {}
extension CollateLocalized: Hashable where Value: Hashable {}
extension CollateLocalized: SQLExpressible where Value: DatabaseValueConvertible {}
extension CollateLocalized: StatementBinding where Value: DatabaseValueConvertible {}
extension CollateLocalized: DatabaseValueConvertible where Value: DatabaseValueConvertible {}
extension CollateLocalized: StatementColumnConvertible where Value: StatementColumnConvertible {}

extension CollateLocalized: ExpressibleByNilLiteral where Value: ExpressibleByNilLiteral {
  /// Wraps nil.
  @inlinable
  public init(nilLiteral: ()) { self.init(wrappedValue: nil) }
}

extension CollateLocalized: ColumnWrapping {}
