/// The name of a file in `ATTACH` or `VACUUM … INTO`, as far as the text of the statement tells it.
enum WrittenFileName {
  /// The name's bytes.
  case known([UInt8])
  /// The name takes arguments.
  case bound
  /// SQLite computes the name.
  case computed

  /// Reads strings, also put together with `||`.
  @safe init(_ tokens: ArraySlice<SQLTokenizer.Token>, in utf8: UnsafeBufferPointer<UInt8>) {
    var name: [UInt8] = []
    var isBound = false
    for (index, token) in tokens.enumerated() {
      let text = unsafe Array(utf8[token.range])
      switch token.kind {
      case .operator where index % 2 == 1 && text == Array("||".utf8): continue
      case _ where index % 2 == 1:
        self = .computed
        return
      case .parameter: isBound = true
      // A string without an end is one that a NUL has cut.
      case .string, .quotedIdentifier, .illegal: name += SQLWord.unquoted(text)
      case .blob: name += Self.bytes(ofBlob: text)
      case .word, .number: name += text
      default:
        self = .computed
        return
      }
    }
    self = isBound ? .bound : .known(name)
  }

  private static func bytes(ofBlob text: [UInt8]) -> [UInt8] {
    let digits = text.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    return stride(from: 0, to: digits.count - 1, by: 2).map {
      UInt8(digits[$0] << 4 | digits[$0 + 1])
    }
  }

  // MARK: URIs

  /// The names of the parameters in a name that SQLite can read as a URI, in lowercase.
  static func uriParameters(of name: [UInt8]) -> Set<String> {
    // The name ends at a NUL, and a URI at its fragment.
    let name = name.prefix { $0 != 0 && $0 != UInt8(ascii: "#") }
    guard name.starts(with: "file:".utf8), let start = name.firstIndex(of: UInt8(ascii: "?"))
    else { return [] }
    let parameters = name[(start + 1)...].split(separator: UInt8(ascii: "&"))
    return Set(parameters.map { decoded($0.prefix { $0 != UInt8(ascii: "=") }).lowercased() })
  }

  /// Decodes `%20` and the like; `%00` ends the text, as in SQLite.
  private static func decoded(_ text: ArraySlice<UInt8>) -> String {
    var rest = text
    var result: [UInt8] = []
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
      guard byte == UInt8(ascii: "%"), digits.count == 2 else {
        result.append(byte)
        continue
      }
      let value = UInt8(digits[0] << 4 | digits[1])
      if value == 0 { break }
      result.append(value)
      rest = rest.dropFirst(2)
    }
    return String(decoding: result, as: UTF8.self)
  }
}
