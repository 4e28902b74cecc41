/// A token of SQL text that is neither space nor comment.
package struct SQLWord {
  package let kind: SQLTokenizer.Kind
  /// The text, without the quotes of a string or a name.
  package let text: String
  /// In UTF-8 bytes.
  package let range: Range<Int>

  package static func words(of sql: String) -> [SQLWord] {
    var sql = sql
    return sql.withUTF8 { utf8 in
      SQLTokenizer(utf8).filter(\.isSignificant).map { token in
        let bytes = unsafe Array(utf8[token.range])
        let isQuoted = token.kind == .string || token.kind == .quotedIdentifier
        let text = isQuoted ? unquoted(bytes) : bytes
        return SQLWord(
          kind: token.kind, text: String(decoding: text, as: UTF8.self), range: token.range)
      }
    }
  }

  /// Returns the bytes of a string or a name without its quotes.
  package static func unquoted(_ text: [UInt8]) -> [UInt8] {
    guard let quote = text.first else { return [] }
    let end = quote == UInt8(ascii: "[") ? UInt8(ascii: "]") : quote
    var rest = text.dropFirst()
    if rest.last == end { rest.removeLast() }
    var result: [UInt8] = []
    while let byte = rest.popFirst() {
      result.append(byte)
      if byte == end, rest.first == end { rest.removeFirst() }
    }
    return result
  }

  package func isKeyword(_ keyword: String) -> Bool {
    kind == .word && text.uppercased() == keyword
  }
}

extension Collection where Element == SQLWord, Index == Int {
  /// Returns the elements of the first list in parentheses, and what follows it.
  package func firstList() -> (elements: [SubSequence], rest: SubSequence) {
    var elements: [SubSequence] = []
    var depth = 0
    var start = endIndex
    for index in indices {
      switch self[index].kind {
      case .leftParenthesis:
        depth += 1
        if depth == 1 { start = index + 1 }
      case .comma where depth == 1:
        elements.append(self[start..<index])
        start = index + 1
      case .rightParenthesis:
        depth -= 1
        if depth == 0 { return (elements + [self[start..<index]], self[(index + 1)...]) }
      default: break
      }
    }
    return (elements, self[endIndex...])
  }
}
