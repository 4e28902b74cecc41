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

  /// Whether a transaction is the first thing that a text begins, but for pragmas.
  static func beginsTransaction(_ text: String) -> Bool {
    var rest = Substring(text)
    while let end = end(of: String(rest)) {
      let statement = rest.utf8.prefix(end)
      let word = String(decoding: firstWord(statement), as: UTF8.self).uppercased()
      if word != "PRAGMA" { return word == "BEGIN" }
      rest = Substring(rest.utf8.dropFirst(end))
    }
    return false
  }

  /// The first word behind spaces and comments.
  private static func firstWord(_ statement: some Collection<UInt8>) -> [UInt8] {
    let bytes = Array(statement)
    var index = 0
    while index < bytes.count, !isWordByte(bytes[index]) {
      if bytes[index...].starts(with: "--".utf8) {
        index = bytes[index...].firstIndex(of: 0x0A) ?? bytes.count
      } else if bytes[index...].starts(with: "/*".utf8) {
        index += 2
        while index < bytes.count, !bytes[index...].starts(with: "*/".utf8) { index += 1 }
        index += 2
      } else {
        index += 1
      }
    }
    return Array(bytes.dropFirst(index).prefix(while: isWordByte))
  }

  /// A comment that doesn't end.
  enum OpenComment { case line, block }

  /// Returns the comment that goes on at the end of a text.
  static func openComment(of text: String) -> OpenComment? {
    let bytes = Array(text.utf8)
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "["):
        let close = byte == UInt8(ascii: "[") ? UInt8(ascii: "]") : byte
        guard let end = bytes[(index + 1)...].firstIndex(of: close) else { return nil }
        index = end
      case UInt8(ascii: "-") where index + 1 < bytes.count && bytes[index + 1] == byte:
        guard let end = bytes[index...].firstIndex(of: 0x0A) else { return .line }
        index = end
      case UInt8(ascii: "/") where index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "*"):
        var end = index + 2
        while end + 1 < bytes.count, bytes[end] != UInt8(ascii: "*") || bytes[end + 1] != byte {
          end += 1
        }
        guard end + 1 < bytes.count else { return .block }
        index = end + 1
      default: break
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
