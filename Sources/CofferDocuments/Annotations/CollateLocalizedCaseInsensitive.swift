import CofferCore
import CofferRecords

/// Compares a property by `Collation.localizedCaseInsensitive` in its index, in filters and in
/// sorting.
@propertyWrapper
public struct CollateLocalizedCaseInsensitive<Value: Codable & Equatable>: ConfigurationAnnotation {
  /// The value of the property.
  public var wrappedValue: Value

  /// Wraps a value.
  @inlinable
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

  /// The configuration of the property.
  public static var propertyConfig: PropertyConfig { .collation(.localizedCaseInsensitive) }
}

extension CollateLocalizedCaseInsensitive: Sendable where Value: Sendable {}
extension CollateLocalizedCaseInsensitive: Hashable where Value: Hashable {}
extension CollateLocalizedCaseInsensitive: SQLExpressible where Value: DatabaseValueConvertible {}
extension CollateLocalizedCaseInsensitive: StatementBinding where Value: DatabaseValueConvertible {}
extension CollateLocalizedCaseInsensitive: DatabaseValueConvertible
where Value: DatabaseValueConvertible {}
extension CollateLocalizedCaseInsensitive: StatementColumnConvertible
where Value: StatementColumnConvertible {}

extension CollateLocalizedCaseInsensitive: ExpressibleByNilLiteral
where Value: ExpressibleByNilLiteral {
  /// Wraps nil.
  @inlinable
  public init(nilLiteral: ()) { self.init(wrappedValue: nil) }
}

extension CollateLocalizedCaseInsensitive: ColumnWrapping {}
