import CofferCore
import FoundationEssentials

// A type that encodes a text or a list, such as an enum of all JSON values, is stored as the text,
// or as JSON. In documents, a text that would be read as JSON is stored as a JSON string, in
// quotes.

extension DatabaseValue {
  /// The value as a type's single value is stored, so that it isn't read as JSON.
  var distinctFromJSON: DatabaseValue {
    guard case .string(let text) = storage, isReadAsJSON(text.utf8),
      let list = try? JSONEncoder().encode([text])
    else { return self }
    return String(decoding: list.dropFirst().dropLast(), as: UTF8.self).databaseValue
  }
}

extension RowReading {
  /// Returns whether the column has a text that begins like JSON.
  func beginsAsJSON(_ slot: KeySlot) throws -> Bool {
    guard let column = slot.column else { return false }
    return try currentRow().withUnsafeBytes(at: column) { bytes in
      unsafe bytes.map { unsafe isReadAsJSON($0, takesTexts: rules.isStrict) } ?? false
    }
  }
}

/// Returns whether a text begins like a list or an object.
///
/// - Parameter takesTexts: Whether also like a text that ``DatabaseValue/distinctFromJSON`` gives.
private func isReadAsJSON(_ text: some Sequence<UInt8>, takesTexts: Bool = true) -> Bool {
  var bytes = text.makeIterator()
  func isOpening(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") }
  let first = bytes.next()
  guard takesTexts, first == UInt8(ascii: "\"") else { return isOpening(first) }
  let second = bytes.next()
  guard second == UInt8(ascii: "\\") else { return isOpening(second) }
  return bytes.next() == UInt8(ascii: "\"")
}
