/// A type that tells two of its values, where none can be found without it.
///
/// Key paths of documents, and some of records, are mapped to columns by making samples of the type. Most types need
/// nothing for that. An enum with associated values does, and a type whose own `init(from:)`
/// checks what it decodes:
///
/// ```swift
/// extension Shape: SampleValueSource {
///   static let sampleValues = SampleValues(Shape.circle(radius: 1), Shape.square(side: 1))
/// }
/// ```
public protocol SampleValueSource {
  /// Two values that are different.
  static var sampleValues: SampleValues { get }
}

/// Two different values of one type: see ``SampleValueSource``.
public struct SampleValues: Sendable {
  private let values: [any Sendable]

  /// Two values that are different.
  public init<Value: Codable & Sendable>(_ zero: Value, _ one: Value) { values = [zero, one] }

  /// One of them, if it is of the type.
  func value<Value>(_ type: Value.Type, bit: Int) -> Value? { values[bit & 1] as? Value }
}
