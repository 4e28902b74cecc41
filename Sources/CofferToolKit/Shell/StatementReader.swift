/// Splits what is typed into statements, which end with a semicolon.
struct StatementReader {
  private var bytes: [UInt8] = []
  private var scanner = StatementScanner()

  /// The text of the statement that isn't complete.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Whether no statement has begun: there are spaces and whole comments only.
  var isEmpty: Bool { !scanner.hasContent && !scanner.isInBlockComment }

  mutating func clear() { self = StatementReader() }

  /// Adds a line, and returns the statements that it completes.
  mutating func add(_ line: String) -> [String] {
    var statements: [String] = []
    for byte in [Array(line.utf8), [0x0A]].joined() {
      bytes.append(byte)
      guard scanner.endsStatement(with: byte) else { continue }
      let statement = text
      clear()
      // A lone semicolon is no statement.
      if statement.contains(where: { !$0.isWhitespace && $0 != ";" }) {
        statements.append(statement)
      }
    }
    if isEmpty { clear() }
    return statements
  }

  /// Whether a transaction is the first thing that a text begins, but for pragmas.
  static func beginsTransaction(_ text: String) -> Bool {
    var scanner = StatementScanner()
    for byte in text.utf8 {
      let isAtEnd = scanner.endsStatement(with: byte)
      if let word = scanner.words.first, word != "PRAGMA" { return word == "BEGIN" }
      if isAtEnd { scanner = StatementScanner() }
    }
    return false
  }
}

/// Finds the end of a statement, byte by byte.
///
/// Semicolons in texts, names and comments don't count, nor those inside a trigger, which ends with
/// `; END;`.
private struct StatementScanner {
  private enum Place {
    case plain, lineComment, blockComment
    case quoted(end: UInt8)
  }

  private var place = Place.plain
  private var previous: UInt8 = 0
  private var word: [UInt8] = []
  /// The first words.
  private(set) var words: [String] = []
  private var lastWasSemicolon = false
  private var isEnded = false
  /// Whether there was anything but spaces and comments.
  private(set) var hasContent = false

  var isInBlockComment: Bool {
    if case .blockComment = place { true } else { false }
  }

  /// Takes the next byte; returns whether it is the semicolon at the end of the statement.
  mutating func endsStatement(with byte: UInt8) -> Bool {
    let before = previous
    previous = byte
    switch place {
    case .lineComment:
      if byte == 0x0A { place = .plain }
    case .blockComment:
      if before == UInt8(ascii: "*"), byte == UInt8(ascii: "/") { (place, previous) = (.plain, 0) }
    case .quoted(let end):
      if byte == end { place = .plain }
    case .plain: return endsPlain(with: byte, after: before)
    }
    return false
  }

  private mutating func endsPlain(with byte: UInt8, after before: UInt8) -> Bool {
    if Self.isWordByte(byte) {
      if word.count < 16 { word.append(byte) }
      hasContent = true
      return false
    }
    endWord()
    switch byte {
    case UInt8(ascii: "-") where before == byte: place = .lineComment
    case UInt8(ascii: "*") where before == UInt8(ascii: "/"): (place, previous) = (.blockComment, 0)
    // What follows tells whether a comment begins.
    case UInt8(ascii: "-"), UInt8(ascii: "/"): return false
    case 0x20, 0x09...0x0D: return false
    case UInt8(ascii: ";"):
      hasContent = true
      if !isTrigger || isEnded { return true }
      lastWasSemicolon = true
    default:
      if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "`") {
        place = .quoted(end: byte)
      } else if byte == UInt8(ascii: "[") {
        place = .quoted(end: UInt8(ascii: "]"))
      }
      hasContent = true
      (lastWasSemicolon, isEnded) = (false, false)
    }
    return false
  }

  private mutating func endWord() {
    guard !word.isEmpty else { return }
    let text = String(decoding: word, as: UTF8.self).uppercased()
    word.removeAll(keepingCapacity: true)
    if words.count < 5 { words.append(text) }
    isEnded = lastWasSemicolon && text == "END"
    lastWasSemicolon = false
  }

  private var isTrigger: Bool {
    let rest = words.filter { !["EXPLAIN", "QUERY", "PLAN", "TEMP", "TEMPORARY"].contains($0) }
    return rest.starts(with: ["CREATE", "TRIGGER"])
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x5F
      || byte >= 0x80
  }
}
