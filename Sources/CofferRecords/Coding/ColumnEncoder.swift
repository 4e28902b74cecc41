import CofferCore
import FoundationEssentials

/// An encoder of the single value to store in a column.
///
/// A type that encodes keys or elements needs JSON: see `needsJSON`.
final class ColumnEncoder: Encoder, SingleValueEncodingContainer {
  private var target: (writing: RecordWriting, column: EncodedColumn)?
  private(set) var result: DatabaseValue?
  /// Whether a container for keys or elements was requested.
  private(set) var needsJSON = false

  func begin(_ writing: RecordWriting, _ column: EncodedColumn) {
    target = (writing, column)
    result = nil
    needsJSON = false
  }

  func end() {
    target = nil
    result = nil
  }

  var codingPath: [any CodingKey] { target.map { [StringKey($0.column.name)] } ?? [] }
  var userInfo: [CodingUserInfoKey: Any] { target?.writing.userInfo ?? [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    refusingNode().container(keyedBy: type)
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { refusingNode().unkeyedContainer() }

  private func refusingNode() -> JSONNode {
    needsJSON = true
    return JSONNode(codingPath: codingPath, refusal: "keys and elements take JSON")
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() { result = .null }

  func encode<T: Encodable>(_ value: T) throws {
    guard let (writing, column) = target else { throw RecordWriting.recordIsGone }
    if value is any DatabaseValueConvertible, let dbValue = try writing.databaseValue(value, column)
    {
      result = dbValue
    } else {
      try value.encode(to: self)
    }
  }
}

extension RecordWriting {
  /// Returns the value to store, by the record's strategies.
  ///
  /// Returns nil if the type has to be stored as JSON.
  func databaseValue(_ value: Any, _ column: EncodedColumn) throws -> DatabaseValue? {
    let stored: DatabaseValue?
    switch value {
    case let date as Date: stored = record.storedValue(.date(date), inColumn: column.name)
    case let data as Data: stored = record.storedValue(.data(data), inColumn: column.name)
    case let uuid as UUID: stored = record.storedValue(.uuid(uuid), inColumn: column.name)
    case let integer as UInt64: stored = integer.storedValue
    case let integer as UInt: stored = integer.storedValue
    case let convertible as any DatabaseValueConvertible: return convertible.databaseValue
    default: return nil
    }
    guard let stored else { throw invalid(value, column, "SQLite can't store this value") }
    return stored
  }
}
