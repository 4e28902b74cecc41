/// A type that provides two of its values, for types whose values can't be found otherwise.
///
/// Coffer maps key paths of documents, and some of records, to columns by means of samples of the
/// type. Most types don't need this protocol. An enum with associated values does, and so does a
/// type whose custom `init(from:)` validates its input:
///
/// ```swift
/// extension Shape: SampleValueSource {
///   static let sampleValues = SampleValues(Shape.circle(radius: 1), Shape.square(side: 1))
/// }
/// ```
public protocol SampleValueSource {
  /// Two different values of the type.
  static var sampleValues: SampleValues { get }
}

/// Two different values of one type: see ``SampleValueSource``.
public struct SampleValues: Sendable {
  private let values: [any Sendable]

  /// Creates a pair of different values.
  public init<Value: Codable & Sendable>(_ zero: Value, _ one: Value) { values = [zero, one] }

  /// Returns one of the values if it is of the type.
  func value<Value>(_ type: Value.Type, bit: Int) -> Value? { values[bit & 1] as? Value }
}
