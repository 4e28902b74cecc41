/// Splits SQL text into tokens as SQLite does.
///
/// Each byte belongs to exactly one token, spaces and comments included. As in SQLite, the text
/// ends at its first NUL byte, even inside a string or a comment.
///
/// The rules are those of SQLite 3.46. Older versions differ only for invalid text, and treat a
/// leading byte order mark as an identifier.
///
/// - Complexity: No allocation; each byte is visited a bounded number of times.
@safe package struct SQLTokenizer: Sequence, IteratorProtocol {
  /// The kind of a token.
  package enum Kind: Hashable, Sendable {
    /// Spaces, tabs and line breaks; a byte order mark.
    case space
    /// `-- …` without its line break, or `/* … */`, possibly unterminated.
    case comment
    /// A keyword or an unquoted identifier.
    case word
    /// `"…"`, `` `…` `` or `[…]`. SQLite may treat it as a string.
    case quotedIdentifier
    /// `'…'`.
    case string
    /// `x'…'`.
    case blob
    case number
    /// `?`, `?1`, `:name`, `@name`, `$name` or `#name`.
    case parameter
    case leftParenthesis
    case rightParenthesis
    case comma
    case semicolon
    case dot
    case `operator`
    /// A token that SQLite rejects: an unterminated string, `12ab`, a lone `!`, ….
    case illegal
  }

  /// A token and its range, in UTF-8 bytes.
  package struct Token: Hashable, Sendable {
    package var kind: Kind
    package var range: Range<Int>

    package init(kind: Kind, range: Range<Int>) {
      self.kind = kind
      self.range = range
    }

    /// Whether the token is neither space nor comment.
    package var isSignificant: Bool { kind != .space && kind != .comment }
  }

  // SAFETY: the caller keeps the buffer valid for the tokenizer's life; it is read only through
  // byte(at:) and end(from:while:), which check bounds.
  @safe private let bytes: UnsafeBufferPointer<UInt8>
  private var position: Int

  /// Creates a tokenizer of a buffer that stays valid.
  /// - Parameter offset: The first byte to read, which must start a token.
  @safe package init(_ bytes: UnsafeBufferPointer<UInt8>, from offset: Int = 0) {
    precondition(offset >= 0, "offset is negative")
    self.bytes = unsafe bytes
    self.position = offset
  }

  package mutating func next() -> Token? {
    let start = position
    let first = byte(at: start)
    guard first != 0 else { return nil }
    let (kind, end) = scan(from: start, first: first)
    position = end
    return Token(kind: kind, range: start..<end)
  }

  // MARK: Scanning

  /// Returns a byte, or 0 after the end.
  @inline(__always)
  private func byte(at index: Int) -> UInt8 {
    index < bytes.count ? bytes[index] : 0
  }

  private func scan(from start: Int, first: UInt8) -> (Kind, end: Int) {
    switch first {
    case UInt8(ascii: " "), 0x09, 0x0A, 0x0C, 0x0D:
      return (.space, end(from: start + 1, while: Self.isSpace))
    case 0xEF where byte(at: start + 1) == 0xBB && byte(at: start + 2) == 0xBF:
      return (.space, start + 3)
    case UInt8(ascii: "x"), UInt8(ascii: "X"):
      let isBlob = byte(at: start + 1) == UInt8(ascii: "'")
      return isBlob ? scanBlob(from: start) : scanWord(from: start)
    case _ where Self.isDigit(first):
      return scanNumber(from: start)
    case _ where Self.isIdentifierByte(first) && first != UInt8(ascii: "$"):
      return scanWord(from: start)
    case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
      return scanQuoted(from: start, by: first)
    case UInt8(ascii: "["):
      let end = end(from: start + 1) { $0 != UInt8(ascii: "]") }
      return byte(at: end) == 0 ? (.illegal, end) : (.quotedIdentifier, end + 1)
    case UInt8(ascii: "?"):
      return (.parameter, end(from: start + 1, while: Self.isDigit))
    case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"), UInt8(ascii: "#"):
      return scanNamedParameter(from: start)
    case UInt8(ascii: "("): return (.leftParenthesis, start + 1)
    case UInt8(ascii: ")"): return (.rightParenthesis, start + 1)
    case UInt8(ascii: ","): return (.comma, start + 1)
    case UInt8(ascii: ";"): return (.semicolon, start + 1)
    case UInt8(ascii: "."):
      return Self.isDigit(byte(at: start + 1)) ? scanNumber(from: start) : (.dot, start + 1)
    default:
      return scanOperatorOrComment(from: start, first: first)
    }
  }

  private func scanWord(from start: Int) -> (Kind, end: Int) {
    (.word, end(from: start + 1, while: Self.isIdentifierByte))
  }

  /// Scans `x'…'`, with an even number of hexadecimal digits.
  private func scanBlob(from start: Int) -> (Kind, end: Int) {
    let digits = end(from: start + 2, while: Self.isHexDigit)
    if byte(at: digits) == UInt8(ascii: "'") && (digits - start) % 2 == 0 {
      return (.blob, digits + 1)
    }
    let quote = end(from: digits) { $0 != UInt8(ascii: "'") }
    return (.illegal, byte(at: quote) == 0 ? quote : quote + 1)
  }

  private func scanNumber(from start: Int) -> (Kind, end: Int) {
    var index = start
    if byte(at: start) == UInt8(ascii: "0"),
      byte(at: start + 1) | 0x20 == UInt8(ascii: "x"),
      Self.isHexDigit(byte(at: start + 2))
    {
      index = end(from: start + 3) { Self.isHexDigit($0) || $0 == UInt8(ascii: "_") }
    } else {
      index = end(from: index, while: Self.isDigitOrSeparator)
      if byte(at: index) == UInt8(ascii: ".") {
        index = end(from: index + 1, while: Self.isDigitOrSeparator)
      }
      if byte(at: index) | 0x20 == UInt8(ascii: "e") {
        let sign = byte(at: index + 1)
        let isSigned = sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-")
        let digits = index + (isSigned ? 2 : 1)
        if Self.isDigit(byte(at: digits)) {
          index = end(from: digits, while: Self.isDigitOrSeparator)
        }
      }
    }
    let trailing = end(from: index, while: Self.isIdentifierByte)
    return (trailing == index ? .number : .illegal, trailing)
  }

  /// Scans a string or identifier in which the quote is escaped by doubling it.
  private func scanQuoted(from start: Int, by quote: UInt8) -> (Kind, end: Int) {
    var index = start + 1
    while true {
      index = end(from: index) { $0 != quote }
      if byte(at: index) == 0 { return (.illegal, index) }
      if byte(at: index + 1) != quote { break }
      index += 2
    }
    return (quote == UInt8(ascii: "'") ? .string : .quotedIdentifier, index + 1)
  }

  /// Scans `:name`, including the `::` and `(…)` suffixes of Tcl variables.
  ///
  /// SQLite accepts them after all four prefixes.
  private func scanNamedParameter(from start: Int) -> (Kind, end: Int) {
    var index = start + 1
    var hasName = false
    while true {
      let current = byte(at: index)
      if Self.isIdentifierByte(current) {
        hasName = true
        index += 1
      } else if current == UInt8(ascii: ":") && byte(at: index + 1) == UInt8(ascii: ":") {
        index += 2
      } else if current == UInt8(ascii: "(") && hasName {
        let close = end(from: index + 1) { $0 != UInt8(ascii: ")") && !Self.isSpace($0) }
        return byte(at: close) == UInt8(ascii: ")") ? (.parameter, close + 1) : (.illegal, close)
      } else {
        return (hasName ? .parameter : .illegal, index)
      }
    }
  }

  private func scanOperatorOrComment(from start: Int, first: UInt8) -> (Kind, end: Int) {
    let second = byte(at: start + 1)
    switch (first, second) {
    case (UInt8(ascii: "-"), UInt8(ascii: "-")):
      return (.comment, end(from: start + 2) { $0 != 0x0A })
    case (UInt8(ascii: "/"), UInt8(ascii: "*")) where byte(at: start + 2) != 0:
      return (.comment, endOfBlockComment(from: start + 2))
    case (UInt8(ascii: "-"), UInt8(ascii: ">")):
      return (.operator, start + (byte(at: start + 2) == UInt8(ascii: ">") ? 3 : 2))
    case (UInt8(ascii: "="), UInt8(ascii: "=")), (UInt8(ascii: "<"), UInt8(ascii: "=")),
      (UInt8(ascii: "<"), UInt8(ascii: ">")), (UInt8(ascii: "<"), UInt8(ascii: "<")),
      (UInt8(ascii: ">"), UInt8(ascii: "=")), (UInt8(ascii: ">"), UInt8(ascii: ">")),
      (UInt8(ascii: "!"), UInt8(ascii: "=")), (UInt8(ascii: "|"), UInt8(ascii: "|")):
      return (.operator, start + 2)
    default:
      return (Self.isOperatorByte(first) ? .operator : .illegal, start + 1)
    }
  }

  private func endOfBlockComment(from start: Int) -> Int {
    var index = start
    while true {
      index = end(from: index) { $0 != UInt8(ascii: "*") }
      if byte(at: index) == 0 { return index }
      if byte(at: index + 1) == UInt8(ascii: "/") { return index + 2 }
      index += 1
    }
  }

  /// Returns the first index whose byte fails the test, is NUL, or is past the end.
  @inline(__always)
  private func end(from start: Int, while test: (UInt8) -> Bool) -> Int {
    var index = start
    while index < bytes.count, bytes[index] != 0, test(bytes[index]) { index += 1 }
    return index
  }

  // MARK: Bytes

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isDigitOrSeparator(_ byte: UInt8) -> Bool {
    isDigit(byte) || byte == UInt8(ascii: "_")
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
  }

  /// Returns whether the byte can be part of an unquoted identifier.
  private static func isIdentifierByte(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || isDigit(byte)
      || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte >= 0x80
  }

  private static func isOperatorByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "<"),
      UInt8(ascii: ">"), UInt8(ascii: "|"), UInt8(ascii: "+"), UInt8(ascii: "*"),
      UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "~"):
      return true
    default:
      return false
    }
  }
}
