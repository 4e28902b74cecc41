import CofferCore

/// A container for a type that wraps a whole row.
struct RowSingleValueContainer: SingleValueDecodingContainer {
  let reading: RowReading

  var codingPath: [any CodingKey] { reading.codingPath }

  func decodeNil() -> Bool {
    guard let row = reading.row, reading.missingKey == nil else { return true }
    return !row.containsNonNullValue
  }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let row = try reading.currentRow()
    if reading.missingKey != nil, let optional = type as? any AnyOptional.Type,
      let value = optional.none as? T
    {
      return value
    }
    if type is any FetchableRecord.Type {
      return try RowReader<T>.reader { reading }.value(of: row)
    }
    if type is any DatabaseValueConvertible.Type { throw noValue(type) }
    return try T(from: reading.decoder ?? RowDecoder(reading))
  }

  /// Returns the error for decoding a row as a single value.
  ///
  /// If a column was expected, it is missing.
  private func noValue(_ type: Any.Type) -> any Error {
    if let key = reading.missingKey, let slot = try? reading.slot(key) {
      return reading.columnNotFound(slot)
    }
    return DecodingError.typeMismatch(
      type,
      DecodingError.Context(
        codingPath: codingPath, debugDescription: "a row can't be decoded as a single value"))
  }
}
