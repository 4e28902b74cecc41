import FoundationEssentials

/// Two values of each of the standard types.
enum StandardSamples {
  /// The types, which are told apart by their own `==`.
  static let types: Set<ObjectIdentifier> = [
    ObjectIdentifier(Bool.self), ObjectIdentifier(String.self), ObjectIdentifier(Double.self),
    ObjectIdentifier(Float.self), ObjectIdentifier(Int.self), ObjectIdentifier(Int8.self),
    ObjectIdentifier(Int16.self), ObjectIdentifier(Int32.self), ObjectIdentifier(Int64.self),
    ObjectIdentifier(UInt.self), ObjectIdentifier(UInt8.self), ObjectIdentifier(UInt16.self),
    ObjectIdentifier(UInt32.self), ObjectIdentifier(UInt64.self), ObjectIdentifier(Date.self),
    ObjectIdentifier(Data.self), ObjectIdentifier(UUID.self), ObjectIdentifier(URL.self),
    ObjectIdentifier(Decimal.self), ObjectIdentifier(TimeZone.self),
    ObjectIdentifier(Locale.self), ObjectIdentifier(Calendar.self),
    // Decoding it from any other text ends the process.
    ObjectIdentifier(URLComponents.self),
  ]

  /// - Returns: Nil for any other type.
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
}
