extension SQLString {
  private static let keyPragmas: Set<String> = [
    "key", "rekey", "hexkey", "hexrekey", "textkey", "textrekey",
  ]

  /// Whether the SQL may contain a key, literally or as an argument.
  package var holdsKey: Bool { keyedStatement != nil || bindsKey }

  /// Whether an argument can be a key, or a URI with one, of `ATTACH` or `VACUUM … INTO`.
  var bindsKey: Bool {
    var isFile = false
    return contains { token, text in
      switch token.kind {
      case .semicolon: isFile = false
      case .word: isFile = isFile || text == "attach" || text == "vacuum"
      case .parameter: return isFile
      default: break
      }
      return false
    }
  }

  /// Whether the statement neither reads nor writes rows, and has no parameters: what it is about
  /// is in its text.
  var isWithoutData: Bool {
    var words: [String] = []
    let isOther = contains { token, text in
      if token.isSignificant, words.count < 2 { words.append(text) }
      return token.kind == .parameter
    }
    guard !isOther, let first = words.first else { return false }
    switch first {
    case "attach", "detach", "begin", "commit", "end", "savepoint", "release", "rollback", "drop":
      return true
    case "create": return words.last == "virtual"
    default: return false
    }
  }

  private func contains(where isMatch: (SQLTokenizer.Token, String) -> Bool) -> Bool {
    var string = string
    return string.withUTF8 { utf8 in
      SQLTokenizer(utf8).contains { token in
        let text = unsafe String(decoding: utf8[token.range], as: UTF8.self).lowercased()
        return isMatch(token, text)
      }
    }
  }

  /// The SQL, reduced to its first words if it may contain a key.
  package var redacted: String {
    if let keyedStatement { return "\(keyedStatement) …(redacted)" }
    // SQLite reads nothing behind a NUL, where statements with keys aren't looked for.
    guard let end = string.utf8.firstIndex(of: 0) else { return string }
    return String(string[..<end])
  }

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
        // It is no first word, at which SQLite would have stopped.
        case .illegal where statement == nil: break
        case .word, .quotedIdentifier, .string, .illegal:
          let text = unsafe String(decoding: utf8[token.range], as: UTF8.self)
            .lowercased().trimming("\"'`[]")
          switch (statement, text) {
          case (nil, "explain"), (nil, "query"), (nil, "plan"): break
          case (nil, _): statement = text
          case ("pragma", _) where SQLString.keyPragmas.contains(String(text)):
            // The name can follow a schema's, as in `PRAGMA main.key`.
            if !hasValue { return "PRAGMA \(text)" }
          case ("attach", "key"): return "ATTACH"
          // The parameters of a URI can be keys.
          case ("attach", _) where text.contains("?"): return "ATTACH"
          case ("vacuum", _) where text.contains("?"): return "VACUUM"
          default: break
          }
        case .operator, .leftParenthesis, .blob:
          // A value follows; the name of a file is put together.
          if statement == "attach" { return "ATTACH" }
          if statement == "vacuum" { return "VACUUM" }
          hasValue = true
        default: break
        }
      }
      return nil
    }
  }

  /// Redacts a message of SQLite's log, if its SQL may contain a key, or if it quotes values.
  static func redactedMessage(_ message: String, code: ResultCode) -> String {
    // Old SQLite versions quote only a piece of the SQL, without the part that would identify it.
    for quote in ["near \"", "unrecognized token: \""]
    where message.hasPrefix(quote) && !message.contains(" in \"") {
      return quote + SQLiteMessage.placeholder + "\""
    }
    let words = message.lowercased()
    let namesFile = words.contains("attach") || words.contains("vacuum")
    let mayHoldKey =
      words.contains("key") && (words.contains("pragma") || namesFile)
      || words.contains("?") && namesFile
    guard !mayHoldKey else { return SQLiteMessage.placeholder }
    return redactedAbort(message, code) ?? message
  }

  /// Redacts the values in a message about a statement that has failed; nil if it isn't one.
  ///
  /// It contains the SQL in brackets, in which brackets can be as well.
  private static func redactedAbort(_ message: String, _ code: ResultCode) -> String? {
    guard message.hasPrefix("abort at ") || message.hasPrefix("statement aborts at "),
      let bracket = message.firstIndex(of: "[")
    else { return nil }
    let start = message.index(after: bracket)
    var rest = String(message[start...])
    let end = rest.withUTF8 { utf8 in
      SQLTokenizer(utf8).first {
        unsafe $0.kind == .illegal && utf8[$0.range.lowerBound] == UInt8(ascii: "]")
      }?.range.lowerBound
    }
    guard let end else { return message[..<start] + SQLiteMessage.placeholder }
    let sql = String(decoding: rest.utf8.prefix(end), as: UTF8.self)
    let text = String(decoding: rest.utf8.dropFirst(end), as: UTF8.self).trimming("]: ")
    let shown = SQLiteMessage(text: String(text), code: code).withoutValues(of: sql)
    return "\(message[..<start])\(SQLString(sql).redacted)]: \(shown)"
  }
}

extension String {
  /// Returns the text without these characters at its start and end.
  package func trimming(_ characters: String) -> Substring {
    var text = self[...]
    while let first = text.first, characters.contains(first) { text.removeFirst() }
    while let last = text.last, characters.contains(last) { text.removeLast() }
    return text
  }
}
