import CofferVault

/// Decodes a `Decodable` value from a single database value.
///
/// It detects that a value requires keys or a list, and so JSON.
final class DatabaseValueDecoder: Decoder, SingleValueDecodingContainer {
  private let dbValue: DatabaseValue
  private(set) var needsJSON = false

  init(_ dbValue: DatabaseValue) { self.dbValue = dbValue }

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    needsJSON = true
    throw mismatch(type, "keys require JSON")
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    needsJSON = true
    throw mismatch([Any].self, "a list requires JSON")
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { dbValue.isNull }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    guard let convertible = type as? any DatabaseValueConvertible.Type else {
      return try T(from: self)
    }
    // In two steps, since casting nil to an optional T would succeed.
    guard let found = convertible.fromDatabaseValue(dbValue), let value = found as? T else {
      throw mismatch(type, "could not decode \(type) from database value \(dbValue)")
    }
    return value
  }

  private func mismatch(_ type: Any.Type, _ message: String) -> DecodingError {
    .typeMismatch(type, DecodingError.Context(codingPath: [], debugDescription: message))
  }
}
