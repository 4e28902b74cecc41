extension SQLString {
  private static let keyPragmas: Set<String> = [
    "key", "rekey", "hexkey", "hexrekey", "textkey", "textrekey",
  ]

  /// Whether the SQL may contain a key, literally or as an argument.
  var holdsKey: Bool { keyedStatement != nil }

  /// The SQL, reduced to its first words if it may contain a key.
  var redacted: String { keyedStatement.map { "\($0) …(redacted)" } ?? string }

  /// The first words of a `PRAGMA key`, `ATTACH` or similar statement; nil if there is none.
  private var keyedStatement: String? {
    var string = string
    return string.withUTF8 { utf8 -> String? in
      // The first word of the statement, after any EXPLAIN QUERY PLAN.
      var statement: Substring?
      var hasValue = false
      for token in SQLTokenizer(utf8) {
        switch token.kind {
        case .semicolon:
          statement = nil
          hasValue = false
        case .word, .quotedIdentifier, .string:
          let text = unsafe String(decoding: utf8[token.range], as: UTF8.self)
            .lowercased().trimming("\"'`[]")
          switch (statement, text) {
          case (nil, "explain"), (nil, "query"), (nil, "plan"): break
          case (nil, _): statement = text
          case ("pragma", _) where SQLString.keyPragmas.contains(String(text)):
            // The name can follow a schema's, as in `PRAGMA main.key`.
            if !hasValue { return "PRAGMA \(text)" }
          case ("attach", "key"): return "ATTACH"
          default: break
          }
        case .operator, .leftParenthesis:
          // A value follows.
          hasValue = true
        default: break
        }
      }
      return nil
    }
  }

  /// Redacts a message of SQLite's log if its SQL may contain a key.
  static func redactedMessage(_ message: String) -> String {
    // Old SQLite versions quote only a piece of the SQL, without the part that would identify it.
    for quote in ["near \"", "unrecognized token: \""]
    where message.hasPrefix(quote) && !message.contains(" in \"") {
      return quote + "…(redacted)\""
    }
    let words = message.lowercased()
    let mayHoldKey =
      words.contains("key") && (words.contains("pragma") || words.contains("attach"))
    guard mayHoldKey else { return message }
    return "…(redacted)"
  }
}

extension String {
  /// Returns the text without these characters at its start and end.
  func trimming(_ characters: String) -> Substring {
    var text = self[...]
    while let first = text.first, characters.contains(first) { text.removeFirst() }
    while let last = text.last, characters.contains(last) { text.removeLast() }
    return text
  }
}
