import CofferCore
import FoundationEssentials

/// Reads a type that only `init(from:)` can create.
///
/// It is decoded from the single value in the column, or from the JSON in the column.
final class CodableColumnReader<Value: Decodable>: ColumnReader<Value> {
  private var decoder: ColumnDecoder?
  private var jsonDecoder: JSONDecoder?
  /// Whether the type requests keys or elements first, so that it can only be decoded from JSON.
  private var isAlwaysJSON = false

  override func read(_ reading: RowReading, _ slot: KeySlot) throws -> Value {
    if isAlwaysJSON { return try readJSON(reading, slot) }
    // Such a text is a list or an object, if the type takes one.
    if try reading.beginsAsJSON(slot), let value = try? readJSON(reading, slot) { return value }
    var decoder = self.decoder.take() ?? ColumnDecoder(Value.self)
    decoder.begin(reading, slot)
    // The decoder is reused, unless `init(from:)` has kept it.
    defer {
      if isKnownUniquelyReferenced(&decoder) {
        decoder.end()
        self.decoder = decoder
      }
    }
    do {
      return try Value(from: decoder)
    } catch {
      if decoder.needsJSON {
        if !decoder.hasSingleValue { isAlwaysJSON = true }
        return try readJSON(reading, slot)
      }
      guard let error = error as? DecodingError else { throw error }
      throw try reading.corrupted(Value.self, slot, error, isJSON: false)
    }
  }

  private func readJSON(_ reading: RowReading, _ slot: KeySlot) throws -> Value {
    let jsonDecoder =
      self.jsonDecoder ?? reading.rules.record.databaseJSONDecoder(for: slot.columnName)
    self.jsonDecoder = jsonDecoder
    guard let value = try reading.decodeJSON(Value.self, slot, jsonDecoder) else {
      throw try reading.mismatch(Value.self, slot)
    }
    return value
  }
}

extension RowReading {
  /// Returns the value decoded from the JSON in the column.
  ///
  /// Returns nil if the column has neither text nor a blob.
  func decodeJSON<T: Decodable>(
    _ type: T.Type, _ slot: KeySlot, _ decoder: JSONDecoder
  ) throws -> T? {
    guard let column = slot.column else { throw columnNotFound(slot) }
    do {
      return try currentRow().withUnsafeBytes(at: column) { bytes -> T? in
        guard let bytes = unsafe bytes else { return nil }
        guard let start = bytes.baseAddress, bytes.count > 0 else {
          return try decoder.decode(type, from: Data())
        }
        // SAFETY: JSONDecoder reads the bytes in place only while it decodes; a nested decoder that
        // is kept longer gets a copy of them.
        let json = unsafe Data(
          bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count,
          deallocator: .none)
        return try decoder.decode(type, from: json)
      }
    } catch let error as DecodingError {
      throw try corrupted(type, slot, error, isJSON: true)
    }
  }
}
