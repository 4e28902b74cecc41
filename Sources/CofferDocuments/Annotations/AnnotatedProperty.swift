import CofferCore
import CofferRecords

/// The property wrapper behind `@Unique`, `@Index` and the collations' wrappers.
///
/// It is stored as the value that it wraps.
@propertyWrapper
public struct AnnotatedProperty<Value: Codable & Equatable, Config: PropertyConfigSource>:
  ConfigurationAnnotation
{
  /// The value of the property.
  public var wrappedValue: Value

  /// Creates a wrapper of a value.
  @inlinable
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

  /// The configuration of the property.
  public static var propertyConfig: PropertyConfig { Config.propertyConfig }
}

extension AnnotatedProperty: Sendable where Value: Sendable {}
extension AnnotatedProperty: Hashable where Value: Hashable {}
extension AnnotatedProperty: SQLExpressible where Value: DatabaseValueConvertible {}
extension AnnotatedProperty: StatementBinding where Value: DatabaseValueConvertible {}
extension AnnotatedProperty: DatabaseValueConvertible where Value: DatabaseValueConvertible {}
extension AnnotatedProperty: StatementColumnConvertible where Value: StatementColumnConvertible {}

extension AnnotatedProperty: ExpressibleByNilLiteral where Value: ExpressibleByNilLiteral {
  /// Creates a wrapper of nil.
  @inlinable
  public init(nilLiteral: ()) { self.init(wrappedValue: nil) }
}

extension AnnotatedProperty: ColumnWrapping {}
