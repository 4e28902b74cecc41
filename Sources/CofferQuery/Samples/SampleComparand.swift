import CofferCore
import FoundationEssentials

/// A value in a sample, for comparison with the values that the decoder returned.
enum SampleComparand {
  case value(Any)
  /// Nil, of an optional of this type.
  case none(ObjectIdentifier)

  init(_ value: Any) {
    var value = value
    while let optional = value as? any AnyOptional {
      guard let wrapped = optional.wrapped else {
        self = .none(SampleComparand.innermost(type(of: optional).wrappedType))
        return
      }
      value = wrapped
    }
    self = .value(value)
  }

  private static func innermost(_ type: any Any.Type) -> ObjectIdentifier {
    guard let optional = type as? any AnyOptional.Type else { return ObjectIdentifier(type) }
    return innermost(optional.wrappedType)
  }

  func isEqual(to other: SampleComparand) -> Bool {
    switch (self, other) {
    case (.none(let type), .none(let otherType)): return type == otherType
    case (.value(let value), .value(let otherValue)):
      func open<Value>(_ value: Value) -> Bool { SampleComparand.areEqual(value, otherValue) }
      return _openExistential(value, do: open)
    default: return false
    }
  }

  private static func areEqual<Value>(_ lhs: Value, _ rhs: Any) -> Bool {
    guard Value.self == type(of: rhs), let rhs = rhs as? Value else { return false }
    // Compares what is encoded if possible: a type's `==` may only compare a part.
    if !StandardSamples.types.contains(ObjectIdentifier(Value.self)),
      let lhs = lhs as? any Encodable, let rhs = rhs as? any Encodable, let left = json(lhs),
      let right = json(rhs)
    {
      return left == right
    }
    guard let lhs = lhs as? any Equatable else { return false }
    func equal<E: Equatable>(_ lhs: E) -> Bool { lhs == rhs as? E }
    return equal(lhs)
  }

  private static func json<E: Encodable>(_ value: E) -> Data? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try? encoder.encode([value])
  }
}
