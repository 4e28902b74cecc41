extension SQLText {
  private static let keyPragmas: Set<String> = [
    "key", "rekey", "hexkey", "hexrekey", "textkey", "textrekey",
  ]

  /// Whether a key may be written in the SQL, or bound to it.
  package var holdsKey: Bool { keyedStatement != nil }

  /// The SQL, or the words that it begins with where it may hold a key.
  package var redacted: String { keyedStatement.map { "\($0) …(redacted)" } ?? string }

  /// `PRAGMA key`, `ATTACH` and the like, if there is one in the text.
  private var keyedStatement: String? {
    var string = string
    return string.withUTF8 { utf8 -> String? in
      // The word that a statement begins with, after EXPLAIN QUERY PLAN.
      var statement: Substring?
      var hasValue = false
      for token in SQLTokenizer(utf8) {
        switch token.kind {
        case .semicolon:
          statement = nil
          hasValue = false
        case .word, .quotedIdentifier, .string:
          let text = String(decoding: utf8[token.range], as: UTF8.self)
            .lowercased().trimming("\"'`[]")
          switch (statement, text) {
          case (nil, "explain"), (nil, "query"), (nil, "plan"): break
          case (nil, _): statement = text
          case ("pragma", _) where SQLText.keyPragmas.contains(String(text)):
            // Its name may follow that of a schema: `PRAGMA main.key`.
            if !hasValue { return "PRAGMA \(text)" }
          case ("attach", "key"): return "ATTACH"
          default: break
          }
        case .operator, .leftParenthesis:
          // What follows is a value.
          hasValue = true
        default: break
        }
      }
      return nil
    }
  }

  /// A message of SQLite's log without the SQL that may hold a key.
  static func redactedMessage(_ message: String) -> String {
    // Old SQLites quote a piece of the SQL, and not the SQL that would tell what it is.
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
  /// The text without those characters at its ends.
  func trimming(_ characters: String) -> Substring {
    var text = self[...]
    while let first = text.first, characters.contains(first) { text.removeFirst() }
    while let last = text.last, characters.contains(last) { text.removeLast() }
    return text
  }
}
