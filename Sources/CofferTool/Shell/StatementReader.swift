/// Splits what is typed into statements, which end with a semicolon.
struct StatementReader {
  /// The text of the statement that isn't complete.
  private(set) var text = ""

  /// Whether no statement has begun.
  var isEmpty: Bool { text.allSatisfy(\.isWhitespace) }

  mutating func clear() { text = "" }

  /// Adds a line, and returns the statements that it completes.
  mutating func add(_ line: String) -> [String] {
    text += line + "\n"
    var statements: [String] = []
    while let end = Self.end(of: text) {
      let statement = String(decoding: text.utf8.prefix(end), as: UTF8.self)
      text = String(decoding: text.utf8.dropFirst(end), as: UTF8.self)
      // A lone semicolon is no statement.
      if statement.contains(where: { !$0.isWhitespace && $0 != ";" }) {
        statements.append(statement)
      }
    }
    if isEmpty { clear() }
    return statements
  }

  /// Returns the number of bytes of the first statement with its semicolon; nil if it has no end.
  ///
  /// Semicolons in texts, names and comments don't count, nor those inside a trigger, which ends
  /// with `; END;`.
  static func end(of text: String) -> Int? {
    let bytes = Array(text.utf8)
    var index = 0
    var words: [String] = []
    var lastWasSemicolon = false
    var isEnded = false
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "["):
        let close = byte == UInt8(ascii: "[") ? UInt8(ascii: "]") : byte
        guard let end = bytes[(index + 1)...].firstIndex(of: close) else { return nil }
        index = end
        (lastWasSemicolon, isEnded) = (false, false)
      case UInt8(ascii: "-") where index + 1 < bytes.count && bytes[index + 1] == byte:
        guard let end = bytes[index...].firstIndex(of: 0x0A) else { return nil }
        index = end
      case UInt8(ascii: "/") where index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "*"):
        var end = index + 2
        while end + 1 < bytes.count, bytes[end] != UInt8(ascii: "*") || bytes[end + 1] != byte {
          end += 1
        }
        guard end + 1 < bytes.count else { return nil }
        index = end + 1
      case UInt8(ascii: ";"):
        if !isTrigger(words) || isEnded { return index + 1 }
        lastWasSemicolon = true
      case 0x20, 0x09, 0x0A, 0x0D, 0x0C: break
      case _ where isWordByte(byte):
        var end = index
        while end < bytes.count, isWordByte(bytes[end]) { end += 1 }
        let word = String(decoding: bytes[index..<end], as: UTF8.self).uppercased()
        if words.count < 5 { words.append(word) }
        isEnded = lastWasSemicolon && word == "END"
        lastWasSemicolon = false
        index = end - 1
      default: (lastWasSemicolon, isEnded) = (false, false)
      }
      index += 1
    }
    return nil
  }

  private static func isTrigger(_ words: [String]) -> Bool {
    let rest = words.filter { !["EXPLAIN", "QUERY", "PLAN", "TEMP", "TEMPORARY"].contains($0) }
    return rest.starts(with: ["CREATE", "TRIGGER"])
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x5F
      || byte >= 0x80
  }
}
