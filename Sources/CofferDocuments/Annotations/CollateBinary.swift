import CofferCore
import CofferRecords

/// Compares a property by `Collation.binary` in its index, in filters and in sorting.
@propertyWrapper
public struct CollateBinary<Value: Codable & Equatable>: ConfigurationAnnotation {
  /// The value of the property.
  public var wrappedValue: Value

  /// Wraps a value.
  @inlinable
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

  /// The configuration of the property.
  public static var propertyConfig: PropertyConfig { .collation(.binary) }
}

extension CollateBinary: Sendable where Value: Sendable {}
extension CollateBinary: Hashable where Value: Hashable {}
extension CollateBinary: SQLExpressible where Value: DatabaseValueConvertible {}
extension CollateBinary: StatementBinding where Value: DatabaseValueConvertible {}
extension CollateBinary: DatabaseValueConvertible where Value: DatabaseValueConvertible {}
extension CollateBinary: StatementColumnConvertible where Value: StatementColumnConvertible {}

extension CollateBinary: ExpressibleByNilLiteral where Value: ExpressibleByNilLiteral {
  /// Wraps nil.
  @inlinable
  public init(nilLiteral: ()) { self.init(wrappedValue: nil) }
}

extension CollateBinary: ColumnWrapping {}
