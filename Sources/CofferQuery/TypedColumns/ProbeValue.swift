import CofferCore
import FoundationEssentials

/// Values of any type, to decode where there is nothing to decode from.
enum ProbeValue {
  /// How many different values there are at most. The first is zero or empty;
  /// the others differ from it, and in sign, case and length from each other.
  static let variantCount = 4

  /// A value, or nil where none is known without decoding.
  static func known<T>(_ type: T.Type, variant: Int) -> T? {
    standard(type, variant: variant) ?? enumeration(type, variant: variant)
  }

  /// A value of a type whose `init(from:)` refused all others, or nil.
  static func fallback<T>(_ type: T.Type, variant: Int) -> T? {
    if let type = type as? any RawRepresentable.Type,
      let value: T = integerRawValue(type, variant: variant)
    {
      return value
    }
    guard let type = type as? any DatabaseValueConvertible.Type else { return nil }
    let candidates: [DatabaseValue] = [
      text[variant].databaseValue, number(variant, Int64.self).databaseValue,
      "0".databaseValue, 0.databaseValue, 1.databaseValue, Data().databaseValue,
      UUID(uuid: zeroUUID).uuidString.databaseValue, "2000-01-01".databaseValue,
    ]
    for candidate in candidates {
      if let value = type.fromDatabaseValue(candidate) as? T { return value }
    }
    return nil
  }

  // MARK: Standard types

  private static let text = ["", "1", " Probe é*%", "0C0FFEE0-0000-4000-8000-00C0FFEE0000"]

  private static func number<N: FixedWidthInteger>(_ variant: Int, _ type: N.Type) -> N {
    switch variant {
    case 0: 0
    case 1: 1
    case 2: N.isSigned ? N(truncatingIfNeeded: -113) : 113
    default: 97
    }
  }

  private static func real<N: BinaryFloatingPoint>(_ variant: Int, _ type: N.Type) -> N {
    [0, 1, -113.5, 97.25][variant]
  }

  private static let zeroUUID: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

  private static func standard<T>(_ type: T.Type, variant: Int) -> T? {
    let value: Any?
    switch type {
    case is Bool.Type: value = variant % 2 == 1
    case is String.Type: value = text[variant]
    case is Double.Type: value = real(variant, Double.self)
    case is Float.Type: value = real(variant, Float.self)
    case let type as any FixedWidthInteger.Type: value = integer(type, variant: variant)
    case is Date.Type: value = Date(timeIntervalSinceReferenceDate: real(variant, Double.self))
    case is Data.Type: value = Data(text[variant].utf8)
    case is UUID.Type:
      var bytes = zeroUUID
      bytes.0 = UInt8(variant)
      value = UUID(uuid: bytes)
    case is URL.Type: value = URL(string: "coffer:\(variant)")
    case is Decimal.Type: value = Decimal(real(variant, Double.self))
    case is TimeZone.Type: value = TimeZone(secondsFromGMT: variant * 3600)
    default: value = nil
    }
    // A nil would be cast to an optional T.
    return value.flatMap { $0 as? T }
  }

  private static func integer<N: FixedWidthInteger>(_ type: N.Type, variant: Int) -> Any {
    number(variant, type)
  }

  // MARK: Enums

  private static func enumeration<T>(_ type: T.Type, variant: Int) -> T? {
    if let type = type as? any CaseIterable.Type {
      return first(of: type, variant: variant).flatMap { $0 as? T }
    }
    if let type = type as? any RawRepresentable.Type,
      let value: T = integerRawValue(type, variant: variant)
    {
      return value
    }
    guard let plain = PlainEnum(type) else { return nil }
    return plain.value(at: variant % plain.count)
  }

  private static func first<C: CaseIterable>(of type: C.Type, variant: Int) -> Any? {
    let cases = Array(type.allCases.prefix(variantCount))
    return cases.isEmpty ? nil : cases[variant % cases.count]
  }

  /// A value with a small integer as raw value, and with any raw value of one byte.
  private static func integerRawValue<T>(_ type: any RawRepresentable.Type, variant: Int) -> T? {
    func search<R: RawRepresentable>(_ type: R.Type) -> [Any] {
      guard let raw = R.RawValue.self as? any FixedWidthInteger.Type else { return [] }
      return search(type, raw)
    }
    func search<R: RawRepresentable, N: FixedWidthInteger>(_ type: R.Type, _: N.Type) -> [Any] {
      var found: [Any] = []
      for number in -128...1024 {
        guard found.count < variantCount else { break }
        if let raw = N(exactly: number) as? R.RawValue, let value = R(rawValue: raw) {
          found.append(value)
        }
      }
      return found
    }
    let found = search(type)
    return found.isEmpty ? nil : found[variant % found.count] as? T
  }
}
