import CofferCore
import CofferRecords

/// A unique index on a property: no two documents can have the same value.
///
/// nil is stored as NULL, which any number of documents can have. In combination with `@Index`,
/// there is one index.
@propertyWrapper
public struct Unique<Value: Codable & Equatable>: ConfigurationAnnotation {
  /// The value of the property.
  public var wrappedValue: Value

  /// Wraps a value.
  @inlinable
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

  /// The configuration of the property.
  public static var propertyConfig: PropertyConfig { .index(unique: true) }
}

extension Unique: Sendable where Value: Sendable {}
extension Unique: Hashable where Value: Hashable {}
extension Unique: SQLExpressible where Value: DatabaseValueConvertible {}
extension Unique: StatementBinding where Value: DatabaseValueConvertible {}
extension Unique: DatabaseValueConvertible where Value: DatabaseValueConvertible {}
extension Unique: StatementColumnConvertible where Value: StatementColumnConvertible {}

extension Unique: ExpressibleByNilLiteral where Value: ExpressibleByNilLiteral {
  /// Wraps nil.
  @inlinable
  public init(nilLiteral: ()) { self.init(wrappedValue: nil) }
}

extension Unique: ColumnWrapping {}
