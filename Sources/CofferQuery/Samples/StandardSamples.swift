import FoundationEssentials

/// Two sample values of each standard type.
enum StandardSamples {
  /// The types, whose values are compared by `==`.
  static let types: Set<ObjectIdentifier> = [
    ObjectIdentifier(Bool.self), ObjectIdentifier(String.self), ObjectIdentifier(Double.self),
    ObjectIdentifier(Float.self), ObjectIdentifier(Int.self), ObjectIdentifier(Int8.self),
    ObjectIdentifier(Int16.self), ObjectIdentifier(Int32.self), ObjectIdentifier(Int64.self),
    ObjectIdentifier(UInt.self), ObjectIdentifier(UInt8.self), ObjectIdentifier(UInt16.self),
    ObjectIdentifier(UInt32.self), ObjectIdentifier(UInt64.self), ObjectIdentifier(Date.self),
    ObjectIdentifier(Data.self), ObjectIdentifier(UUID.self), ObjectIdentifier(URL.self),
    ObjectIdentifier(Decimal.self), ObjectIdentifier(TimeZone.self),
    ObjectIdentifier(Locale.self), ObjectIdentifier(Calendar.self),
    // Decoding it from an arbitrary text would crash.
    ObjectIdentifier(URLComponents.self),
  ]

  /// Returns one of two values of a standard type; nil for other types.
  static func value<T>(_ type: T.Type, bit: Int) -> T? {
    guard types.contains(ObjectIdentifier(type)) else { return nil }
    let value: Any? =
      switch type {
      case is Bool.Type: bit == 1
      case is String.Type: "\(bit)"
      case is Double.Type: Double(bit)
      case is Float.Type: Float(bit)
      case is Date.Type: Date(timeIntervalSinceReferenceDate: Double(bit))
      case is Data.Type: Data([UInt8(bit)])
      case is UUID.Type: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(bit)))
      case is URL.Type: URL(string: "data:,\(bit)")
      case is URLComponents.Type: URLComponents(string: "data:,\(bit)")
      case is Decimal.Type: Decimal(bit)
      case is TimeZone.Type: TimeZone(secondsFromGMT: bit * 3600)
      case is Locale.Type: Locale(identifier: bit == 0 ? "en" : "fr")
      case is Calendar.Type: Calendar(identifier: bit == 0 ? .gregorian : .iso8601)
      case let integer as any FixedWidthInteger.Type: self.integer(integer, bit)
      default: nil
      }
    return value.flatMap { $0 as? T }
  }

  private static func integer<N: FixedWidthInteger>(_ type: N.Type, _ bit: Int) -> Any {
    N(truncatingIfNeeded: bit)
  }

  // MARK: Arbitrary values

  /// A text that is a UUID.
  static let identifier = "0C0FFEE0-0000-4000-8000-00C0FFEE0000"

  /// Returns a value that most functions would change.
  ///
  /// It can have either sign, letters of both cases, spaces or fractions. Numbers are small enough
  /// for computed properties to calculate with them without overflow.
  /// - Returns: Nil for types with only the two sample values.
  static func varied<T>(_ type: T.Type, seed: UInt64) -> T? {
    let number = Int(seed % 2001) - 1000
    let value: Any? =
      switch type {
      case is String.Type: text(seed)
      case is Double.Type: Double(number) / 7 * (seed % 5 == 0 ? 1e9 : 1)
      case is Float.Type: Float(number) / 8
      case is Date.Type: Date(timeIntervalSinceReferenceDate: Double(number) * 1e6 / 7)
      case is Data.Type: Data((0..<Int(seed % 5)).map { UInt8(seed >> ($0 * 8) & 0xFF) })
      case is UUID.Type: uuid(seed)
      case is URL.Type:
        URL(string: "https://Example.com:\(seed % 900 + 100)/A%20b/\(seed)?q=\(number)#\(seed % 9)")
      case is Decimal.Type: Decimal(number) / 8
      case let integer as any FixedWidthInteger.Type: integerValue(integer, seed)
      default: nil
      }
    return value.flatMap { $0 as? T }
  }

  private static func integerValue<N: FixedWidthInteger>(_ type: N.Type, _ seed: UInt64) -> Any {
    let number = Int(seed % 101) - 50
    let large = seed % 3 == 0 ? number &* 1_234_567 : number
    return N(exactly: large) ?? N(exactly: number) ?? N(truncatingIfNeeded: abs(number))
  }

  private static func text(_ seed: UInt64) -> String {
    if seed % 17 == 0 { return identifier }
    let letters = Array(" aZ\tébÄ0ßx_-.é7\n😀Y,\"/%QÉ")
    var (text, rest) = ("", seed)
    let length = seed % 11 == 0 ? 0 : seed % 7 == 0 ? 300 : Int(seed % 13) + 1
    for _ in 0..<length {
      rest = rest &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      text.append(letters[Int(rest >> 33) % letters.count])
    }
    return text
  }

  private static func uuid(_ seed: UInt64) -> UUID {
    unsafe withUnsafeBytes(of: (seed, seed &* 0x9E37_79B9_7F4A_7C15)) { bytes in
      unsafe UUID(
        uuid: (
          bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
          bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
        ))
    }
  }
}
