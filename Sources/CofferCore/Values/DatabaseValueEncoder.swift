import CofferVault

/// Encodes an `Encodable` value as a single database value.
///
/// It detects that a value requires keys or a list, and so JSON.
final class DatabaseValueEncoder: Encoder, SingleValueEncodingContainer {
  private(set) var result: DatabaseValue?
  private(set) var needsJSON = false

  /// Stops an encoding that needs JSON.
  struct JSONRequired: Error {}

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    needsJSON = true
    return KeyedEncodingContainer(KeyedContainer(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    needsJSON = true
    return UnkeyedContainer(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() { result = .null }

  func encode<T: Encodable>(_ value: T) throws {
    if let value = value as? any DatabaseValueConvertible {
      result = value.databaseValue
    } else {
      try value.encode(to: self)
    }
  }
}

// These containers store nothing, since the value is encoded again as JSON.
extension DatabaseValueEncoder {
  private struct KeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: DatabaseValueEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { throw JSONRequired() }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { throw JSONRequired() }

    func nestedContainer<NestedKey: CodingKey>(
      keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
      encoder.container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      encoder.unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder }
    func superEncoder(forKey key: Key) -> any Encoder { encoder }
  }

  private struct UnkeyedContainer: UnkeyedEncodingContainer {
    let encoder: DatabaseValueEncoder
    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    func encodeNil() throws { throw JSONRequired() }

    func encode<T: Encodable>(_ value: T) throws { throw JSONRequired() }

    func nestedContainer<NestedKey: CodingKey>(
      keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
      encoder.container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.unkeyedContainer() }

    func superEncoder() -> any Encoder { encoder }
  }
}
