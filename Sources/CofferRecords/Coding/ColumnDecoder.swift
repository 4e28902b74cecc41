import CofferCore
import FoundationEssentials

/// A decoder of the single value in a column.
///
/// A type that requests keys or elements needs JSON: see `needsJSON`.
final class ColumnDecoder: Decoder, SingleValueDecodingContainer {
  private let type: Any.Type
  // Nil between two values, since a slot's readers keep their decoders.
  private var column: (reading: RowReading, slot: KeySlot)?
  private var reader: KeptObject?
  /// Whether keys or elements were requested.
  var needsJSON = false
  /// Whether the single value was requested before that.
  var hasSingleValue = false
  /// Whether keys and elements are decoded from the JSON in the column right away.
  private let readsJSON: Bool

  /// - Parameter type: The type named in errors.
  init(_ type: Any.Type) {
    self.type = type
    readsJSON = false
  }

  /// Creates a decoder for one column.
  init(_ reading: RowReading, _ slot: KeySlot) {
    type = [String: Any].self
    readsJSON = true
    begin(reading, slot)
  }

  func begin(_ reading: RowReading, _ slot: KeySlot) {
    column = (reading, slot)
    needsJSON = false
    hasSingleValue = false
  }

  func end() { column = nil }

  private func currentColumn() throws -> (RowReading, KeySlot) {
    guard let column else { throw RowReading.rowIsGone }
    return column
  }

  var codingPath: [any CodingKey] {
    column.map { $0.reading.codingPath + [StringKey($0.slot.key)] } ?? []
  }

  var userInfo: [CodingUserInfoKey: Any] { column?.reading.rules.userInfo ?? [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard readsJSON else { throw jsonRequired("a dictionary") }
    return try json().container(keyedBy: type)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard readsJSON else { throw jsonRequired("a list") }
    return try json().unkeyedContainer()
  }

  private func json() throws -> any Decoder {
    let (reading, slot) = try currentColumn()
    let json = reading.rules.record.databaseJSONDecoder(for: slot.columnName)
    guard let captured = try reading.decodeJSON(CapturedDecoder.self, slot, json) else {
      throw try reading.mismatch(type, slot)
    }
    return captured.decoder
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    if !needsJSON { hasSingleValue = true }
    return self
  }

  private func jsonRequired(_ what: String) -> DecodingError {
    needsJSON = true
    return mismatch(type, "\(what) needs JSON")
  }

  // MARK: The value

  func decodeNil() -> Bool {
    guard let (reading, slot) = column else { return true }
    return (try? reading.isNull(slot)) ?? true
  }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let (reading, slot) = try currentColumn()
    if let reader: ColumnReader<T> = reader?.get() { return try reader.read(reading, slot) }
    let reader = ColumnReaders.reader(type, column: slot.columnName, reading.rules)
    if reader is CodableColumnReader<T> {
      // The type can need JSON, like the outer type.
      return try T(from: self)
    }
    self.reader = KeptObject(reader)
    return try reader.read(reading, slot)
  }

  func decode<V: Scalar>(_ type: V.Type) throws -> V {
    let (reading, slot) = try currentColumn()
    return try reading.scalar(slot, named: self.type)
  }
}

/// Captures the decoder that it is decoded from.
struct CapturedDecoder: Decodable {
  let decoder: any Decoder

  init(from decoder: any Decoder) throws { self.decoder = decoder }
}
