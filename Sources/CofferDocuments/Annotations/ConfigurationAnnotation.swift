/// A configuration of a document's property.
public enum PropertyConfig: Hashable, Sendable {
  /// The order of its strings.
  case collation(Collation)
  /// An index on the property.
  case index(unique: Bool)
}

/// A type that stands for a configuration of a document's property.
public protocol PropertyConfigSource {
  /// The configuration of the property.
  static var propertyConfig: PropertyConfig { get }
}

/// A property wrapper that configures a property of a document.
///
/// It is stored as the value that it wraps. Wrappers can be combined:
/// `@Unique @CollateCaseInsensitive var name: String`. A custom wrapper needs the two conformances
/// and the three members:
///
/// ```swift
/// @propertyWrapper
/// struct CollateByLength<Value: Codable & Equatable>: ConfigurationAnnotation {
///   var wrappedValue: Value
///   init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
///   static var propertyConfig: PropertyConfig { .collation(byLength) }
/// }
/// ```
public protocol ConfigurationAnnotation: PropertyConfigSource, Codable, Equatable {
  /// The type of the property.
  associatedtype Value: Codable & Equatable

  /// The value of the property.
  var wrappedValue: Value { get set }

  /// Creates a wrapper of a value.
  init(wrappedValue: Value)
}

extension ConfigurationAnnotation {
  /// Encodes the wrapped value only.
  @inlinable
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }

  /// Decodes the wrapped value.
  @inlinable
  public init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
  }

  /// Whether both wrap the same value.
  @inlinable
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.wrappedValue == rhs.wrappedValue }
}

extension KeyedDecodingContainer {
  /// Decodes the wrapped value.
  ///
  /// Nil for a missing key, as for an optional without a wrapper.
  @inlinable
  public func decode<Annotation: ConfigurationAnnotation & ExpressibleByNilLiteral>(
    _ type: Annotation.Type, forKey key: Key
  ) throws -> Annotation {
    try decodeIfPresent(type, forKey: key) ?? nil
  }
}
