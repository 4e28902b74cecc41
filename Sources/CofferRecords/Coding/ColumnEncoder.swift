import CofferCore
import FoundationEssentials

/// An encoder of the one value that a column is to hold.
///
/// Who wants to encode keys or elements wants JSON: see `needsJSON`.
final class ColumnEncoder: Encoder, SingleValueEncodingContainer {
  private var writing: RecordWriting?
  private var column: EncodedColumn?
  private(set) var result: DatabaseValue?
  /// Whether keys or elements were to be encoded.
  private(set) var needsJSON = false

  func begin(_ writing: RecordWriting, _ column: EncodedColumn) {
    self.writing = writing
    self.column = column
    result = nil
    needsJSON = false
  }

  func end() {
    writing = nil
    column = nil
    result = nil
  }

  var codingPath: [any CodingKey] { column.map { [StringKey($0.name)] } ?? [] }
  var userInfo: [CodingUserInfoKey: Any] { writing?.userInfo ?? [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    needsJSON = true
    return KeyedEncodingContainer(RefusingKeyedContainer<Key>(refusal))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    needsJSON = true
    return RefusingUnkeyedContainer(refusal)
  }

  private var refusal: EncodingRefusal {
    EncodingRefusal(codingPath: codingPath, message: "keys and elements take JSON", encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() { result = .null }

  func encode<T: Encodable>(_ value: T) throws {
    guard let writing, let column else { throw RecordWriting.recordIsGone }
    if value is any DatabaseValueConvertible, let dbValue = try writing.databaseValue(value, column)
    {
      result = dbValue
    } else {
      try value.encode(to: self)
    }
  }
}

extension RecordWriting {
  /// The value to store of a type that has one, by the record's strategies; nil for JSON.
  func databaseValue(_ value: Any, _ column: EncodedColumn) throws -> DatabaseValue? {
    let stored: DatabaseValue?
    switch value {
    case let date as Date: stored = record.storedValue(.date(date), inColumn: column.name)
    case let data as Data: stored = record.storedValue(.data(data), inColumn: column.name)
    case let uuid as UUID: stored = record.storedValue(.uuid(uuid), inColumn: column.name)
    case let integer as UInt64: stored = Int64(exactly: integer)?.databaseValue
    case let integer as UInt: stored = Int64(exactly: integer)?.databaseValue
    case let convertible as any DatabaseValueConvertible: return convertible.databaseValue
    default: return nil
    }
    guard let stored else { throw invalid(value, column, "SQLite can't store this value") }
    return stored
  }
}

// MARK: - Containers that take nothing

/// Why containers take nothing.
struct EncodingRefusal {
  let codingPath: [any CodingKey]
  let message: String
  let encoder: any Encoder

  func error(_ value: Any) -> EncodingError {
    .invalidValue(
      value, EncodingError.Context(codingPath: codingPath, debugDescription: message))
  }
}

struct RefusingKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  private let refusal: EncodingRefusal

  init(_ refusal: EncodingRefusal) { self.refusal = refusal }

  var codingPath: [any CodingKey] { refusal.codingPath }

  func encodeNil(forKey key: Key) throws { throw refusal.error(key) }
  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { throw refusal.error(value) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(RefusingKeyedContainer<NestedKey>(refusal))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    RefusingUnkeyedContainer(refusal)
  }

  func superEncoder() -> any Encoder { refusal.encoder }
  func superEncoder(forKey key: Key) -> any Encoder { refusal.encoder }
}

struct RefusingUnkeyedContainer: UnkeyedEncodingContainer {
  private let refusal: EncodingRefusal

  init(_ refusal: EncodingRefusal) { self.refusal = refusal }

  var codingPath: [any CodingKey] { refusal.codingPath }
  var count: Int { 0 }

  func encodeNil() throws { throw refusal.error([Any].self) }
  func encode<T: Encodable>(_ value: T) throws { throw refusal.error(value) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(RefusingKeyedContainer<NestedKey>(refusal))
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func superEncoder() -> any Encoder { refusal.encoder }
}
