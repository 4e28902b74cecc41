/// An `ATTACH` or a `VACUUM`, and what speaks against it.
@safe package struct FileStatement {
  // SAFETY: the statement isn't used after the closure that receives the buffer.
  @safe private let utf8: UnsafeBufferPointer<UInt8>
  private let tokens: [SQLTokenizer.Token]
  /// The unquoted words in capitals; an empty string for any other token.
  private let words: [String]
  private let name: WrittenFileName?
  /// The index of `AS` in `ATTACH`, or of `INTO` in `VACUUM`.
  private let separator: Int?

  package var isAttach: Bool { words.first == "ATTACH" }

  /// Reads a statement; nil for any other one.
  @safe package init?(_ utf8: UnsafeBufferPointer<UInt8>, from offset: Int) {
    var tokens: [SQLTokenizer.Token] = []
    var words: [String] = []
    for token in SQLTokenizer(utf8, from: offset) where token.isSignificant {
      if token.kind == .semicolon {
        if tokens.isEmpty { continue }
        break
      }
      tokens.append(token)
      words.append(
        token.kind == .word
          ? unsafe String(decoding: utf8[token.range], as: UTF8.self).uppercased() : "")
      // Other statements are accepted after their first word.
      guard words[0] == "ATTACH" || words[0] == "VACUUM" else { return nil }
    }
    guard !tokens.isEmpty else { return nil }
    self.utf8 = unsafe utf8
    self.tokens = tokens
    self.words = words
    if words[0] == "ATTACH" {
      separator = Self.index(of: "AS", in: words, tokens, from: 1)
      let first = words.dropFirst().first == "DATABASE" ? 2 : 1
      name = separator.map { WrittenFileName(tokens[min(first, $0)..<$0], in: utf8) }
    } else {
      // INTO can be the name of a schema only in quotes.
      separator = words.firstIndex(of: "INTO")
      name = separator.map { WrittenFileName(tokens[($0 + 1)...], in: utf8) }
    }
  }

  /// The index of a word outside of parentheses.
  private static func index(
    of word: String, in words: [String], _ tokens: [SQLTokenizer.Token], from start: Int
  ) -> Int? {
    var depth = 0
    for index in tokens.indices.dropFirst(start) {
      switch tokens[index].kind {
      case .leftParenthesis: depth += 1
      case .rightParenthesis: depth -= 1
      default: if depth == 0, words[index] == word { return index }
      }
    }
    return nil
  }

  /// The tokens of the key; nil without one.
  private var key: ArraySlice<SQLTokenizer.Token>? {
    // KEY can also be the schema's name: ATTACH x AS key.
    guard isAttach, let separator else { return nil }
    return Self.index(of: "KEY", in: words, tokens, from: separator + 2).map {
      tokens[($0 + 1)...]
    }
  }

  /// Whether arguments give the name of the file.
  package var bindsName: Bool {
    if case .bound = name { return true }
    return false
  }

  /// Whether the attached file can be encrypted.
  package var mayGiveKey: Bool {
    guard let key else { return false }
    return key.count != 1 || key.first?.kind != .string || key.first?.range.count != 2
  }

  /// The reason why the statement is refused; nil if it is allowed.
  ///
  /// - Parameter isKeyed: Whether the main database is encrypted.
  package func refusal(isKeyed: Bool) -> SQLRefusal? {
    if let refusal = nameRefusal { return refusal }
    return isAttach ? attachRefusal(isKeyed: isKeyed) : vacuumRefusal(isKeyed: isKeyed)
  }

  /// The reason why the name of the file is refused, as far as it is known.
  package var nameRefusal: SQLRefusal? {
    switch name {
    case .known(let bytes):
      let parameters = WrittenFileName.uriParameters(of: bytes)
      if parameters.contains("cache") { return .sharedCache }
      return parameters.isDisjoint(with: ["key", "hexkey", "textkey"]) ? nil : .keyInURI
    // SQLCipher 3 reads no URIs here.
    case .computed where SQLCipherGeneration.linked >= .four: return .computedName
    case .computed, .bound, nil: return nil
    }
  }

  private func attachRefusal(isKeyed: Bool) -> SQLRefusal? {
    if let key {
      let isText = key.contains { token in
        switch token.kind {
        case .string, .quotedIdentifier: token.range.count > 2
        case .blob, .word, .number, .illegal: true
        default: false
        }
      }
      return isText ? .keyInText : nil
    }
    return isKeyed && !isInMemory ? .noKey : nil
  }

  private var isInMemory: Bool {
    guard let separator, tokens[separator - 1].kind == .string, case .known(let bytes) = name
    else { return false }
    return bytes == Array(":memory:".utf8)
  }

  private func vacuumRefusal(isKeyed: Bool) -> SQLRefusal? {
    guard let separator else { return nil }
    if separator > 1 {
      var schema = unsafe String(decoding: utf8[tokens[1].range], as: UTF8.self)
      if tokens[1].kind != .word { schema = String(schema.dropFirst().dropLast()) }
      guard schema.lowercased() == "main" else { return .vacuumOfAttached }
    }
    guard isKeyed else { return nil }
    let target = tokens[(separator + 1)...]
    if target.count == 1, target.first?.kind == .string, case .known(let bytes) = name,
      !bytes.starts(with: "file:".utf8)
    {
      return nil
    }
    return .vacuumIntoURI
  }
}

/// The reason why an `ATTACH` or `VACUUM` is refused.
package struct SQLRefusal {
  private let message: String
  private let hint: String
  /// Whether the SQL contains a key.
  private let hidesSQL: Bool

  private init(_ message: String, _ hint: String, hidesSQL: Bool = false) {
    self.message = message
    self.hint = hint
    self.hidesSQL = hidesSQL
  }

  package func error(_ sql: String) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_AUTH, message: message, sql: hidesSQL ? nil : sql, hint: hint)
  }

  static let keyInText = SQLRefusal(
    "ATTACH with a key in its text is refused: it reaches traces and logs",
    "Use db.attach(_:as:key:), or `KEY ?` with an argument.", hidesSQL: true)
  static let noKey = SQLRefusal(
    "ATTACH without KEY is refused: it takes the key and the salt of the main database",
    "Use db.attach(_:as:key:), with nil for the key of a plaintext file.")
  static let keyInURI = SQLRefusal(
    "a URI with a key is refused in ATTACH and VACUUM INTO: it reaches traces and logs",
    "Use db.attach(_:as:key:), or backup(toPath:key:) for a copy.", hidesSQL: true)
  static let sharedCache = SQLRefusal(
    "a URI with cache= is refused in ATTACH and VACUUM INTO: in a shared cache, a connection with a "
      + "wrong key can read the data",
    "Use db.attach(_:as:key:).", hidesSQL: true)
  package static let computedName = SQLRefusal(
    "ATTACH and VACUUM INTO of a name that SQL computes are refused: it can be a URI with a key",
    "Use db.attach(_:as:key:), or an argument for the name.")
  static let vacuumOfAttached = SQLRefusal(
    "VACUUM INTO of an attached database is refused: the copy would get the main "
      + "database's key, or none",
    "Open the file with a separate connection.")
  static let vacuumIntoURI = SQLRefusal(
    "VACUUM INTO is refused where its target may be a URI: that can name another key, or none",
    "Use vacuum(into:) of the queue or the pool.")
}
