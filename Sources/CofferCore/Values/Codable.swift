import CofferVault
import FoundationEssentials

extension DatabaseValueConvertible {
  /// Returns a decoder for the output of ``databaseJSONEncoder()``.
  public static func databaseJSONDecoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dataDecodingStrategy = .base64
    decoder.dateDecodingStrategy = .millisecondsSince1970
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    return decoder
  }

  /// Returns an encoder with sorted keys, so that equal values give equal texts.
  ///
  /// Data is encoded as Base64, dates as milliseconds since 1970, infinities and NaN as strings.
  public static func databaseJSONEncoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.dataEncodingStrategy = .base64
    encoder.dateEncodingStrategy = .millisecondsSince1970
    // Encoding must not fail on these, since `databaseValue` can't throw.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    return encoder
  }
}

extension DatabaseValueConvertible where Self: Encodable {
  /// The single value that `encode(to:)` encodes, or a JSON text for keyed or listed values.
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
  /// Returns the value decoded from the database value, or from JSON in a text or blob.
  ///
  /// Nil if `init(from:)` throws.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    let decoder = DatabaseValueDecoder(dbValue)
    if let value = try? Self(from: decoder) { return value }
    guard decoder.needsJSON, let json = Data.fromDatabaseValue(dbValue) else { return nil }
    return try? databaseJSONDecoder().decode(Self.self, from: json)
  }
}

/// A coding key that consists of a string.
@usableFromInline
package struct StringKey: CodingKey {
  @usableFromInline package let stringValue: String
  @inlinable package var intValue: Int? { nil }

  @inlinable package init(_ string: String) { stringValue = string }
  @inlinable package init(stringValue: String) { self.stringValue = stringValue }
  @inlinable package init?(intValue: Int) { nil }
}
