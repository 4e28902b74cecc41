import CofferCore
import CofferRecords

/// An index on a property, for filters and sorting.
@propertyWrapper
public struct Index<Value: Codable & Equatable>: ConfigurationAnnotation {
  /// The value of the property.
  public var wrappedValue: Value

  /// Wraps a value.
  @inlinable
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

  /// The configuration of the property.
  public static var propertyConfig: PropertyConfig { .index(unique: false) }
}

extension Index: Sendable where Value: Sendable {}
extension Index: Hashable where Value: Hashable {}
extension Index: SQLExpressible where Value: DatabaseValueConvertible {}
extension Index: StatementBinding where Value: DatabaseValueConvertible {}
extension Index: DatabaseValueConvertible where Value: DatabaseValueConvertible {}
extension Index: StatementColumnConvertible where Value: StatementColumnConvertible {}

extension Index: ExpressibleByNilLiteral where Value: ExpressibleByNilLiteral {
  /// Wraps nil.
  @inlinable
  public init(nilLiteral: ()) { self.init(wrappedValue: nil) }
}

extension Index: ColumnWrapping {}
