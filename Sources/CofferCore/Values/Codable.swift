import FoundationEssentials

extension DatabaseValueConvertible {
  /// A decoder of what ``databaseJSONEncoder()`` makes.
  public static func databaseJSONDecoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dataDecodingStrategy = .base64
    decoder.dateDecodingStrategy = .millisecondsSince1970
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    return decoder
  }

  /// An encoder with sorted keys, so that equal values make equal texts; data
  /// as Base64, dates as milliseconds since 1970, infinities and NaN as text.
  public static func databaseJSONEncoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.dataEncodingStrategy = .base64
    encoder.dateEncodingStrategy = .millisecondsSince1970
    // Data must not make the encoding fail: `databaseValue` can't throw.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    return encoder
  }
}

extension DatabaseValueConvertible where Self: Encodable {
  /// The database value of the one value that `encode(to:)` encodes, or the
  /// JSON text of several.
  /// - Precondition: `encode(to:)` doesn't throw.
  public var databaseValue: DatabaseValue {
    let encoder = DatabaseValueEncoder()
    do {
      try encode(to: encoder)
    } catch {
      precondition(
        encoder.needsJSON, "\(Self.self) could not be encoded for the database: \(error)")
    }
    if !encoder.needsJSON, let result = encoder.result { return result }
    do {
      let json = try Self.databaseJSONEncoder().encode(self)
      return String(decoding: json, as: UTF8.self).databaseValue
    } catch {
      preconditionFailure("\(Self.self) could not be encoded as JSON: \(error)")
    }
  }
}

extension DatabaseValueConvertible where Self: Decodable {
  /// The value decoded from the one stored value, or from JSON in a text or
  /// blob; nil where `init(from:)` throws.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    let decoder = DatabaseValueDecoder(dbValue)
    if let value = try? Self(from: decoder) { return value }
    guard decoder.needsJSON, let json = Data.fromDatabaseValue(dbValue) else { return nil }
    return try? databaseJSONDecoder().decode(Self.self, from: json)
  }
}
