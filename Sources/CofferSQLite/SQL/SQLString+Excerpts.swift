extension SQLString {
  /// Returns the statement in a range of bytes, without surrounding spaces and semicolons.
  package func statement(in range: Range<Int>) -> String {
    // Copies only these bytes, since the text may hold thousands of statements.
    let utf8 = string.utf8
    let first = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
    let bytes = Array(utf8[first..<utf8.index(first, offsetBy: range.count)])
    let start = bytes.firstIndex { !Self.isPadding($0) } ?? bytes.endIndex
    let end = bytes.lastIndex { !Self.isPadding($0) }.map { $0 + 1 } ?? start
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }

  /// The text without surrounding spaces and semicolons.
  package var trimmed: String {
    guard let first = string.utf8.first, let last = string.utf8.last else { return string }
    guard Self.isPadding(first) || Self.isPadding(last) else { return string }
    return statement(in: 0..<string.utf8.count)
  }

  private static func isPadding(_ byte: UInt8) -> Bool {
    byte == 0x3B || byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  /// Returns a description of the position of an error, with an excerpt; nil if it is out of range.
  package func excerpt(at offset: Int) -> String? {
    let bytes = Array(string.utf8)
    guard bytes.indices.contains(offset) else { return nil }
    let end = min(offset + 24, bytes.count)
    let text = String(decoding: bytes[offset..<end], as: UTF8.self)
    return "The error is at byte \(offset): \(text)\(end < bytes.count ? "…" : "")"
  }
}
