/// Refuses SQL that SQLCipher accepts silently, but that would expose a key or data, or destroy a
/// file.
extension Database {
  // MARK: Pragmas

  /// The reason why a pragma is refused; nil if it is allowed.
  ///
  /// The authorizer calls this for every compiled pragma.
  /// - Parameter value: The new value; nil if the pragma only reads.
  /// - Parameter schema: The schema named in the pragma, if any.
  func pragmaRefusal(name: String, value: String?, schema: String? = nil) -> String? {
    switch name.lowercased() {
    case "key", "hexkey", "textkey":
      return "PRAGMA \(name) is refused: a key in SQL text reaches traces and logs. Use "
        + "Configuration.key, or usePassphrase in Configuration.prepareDatabase."
    case "rekey", "hexrekey", "textrekey":
      return "PRAGMA \(name) is refused: it says OK even where it changes nothing, and a key in "
        + "SQL text reaches traces and logs. Use changeKey(to:)."
    case "cipher_migrate" where isKeyed:
      return "PRAGMA cipher_migrate is refused: it takes the file away from under other "
        + "connections. Use DatabaseFile.convert."
    case "temp_store" where isKeyed:
      guard let value, !Database.meansMemory(value) else { return nil }
      return "PRAGMA temp_store = \(value) is refused: temporary files are not encrypted. It has "
        + "to be MEMORY."
    case "page_size" where isKeyed && SQLCipherGeneration.linked == .three && value != nil:
      return "PRAGMA page_size is refused: after the key, SQLCipher 3 destroys data with it. Use "
        + "Configuration.cipher.pageSize."
    case "journal_mode" where freshness != nil && value.map { $0.lowercased() != "wal" } == true,
      "wal_checkpoint" where freshness != nil,
      "wal_autocheckpoint" where freshness != nil && value != nil:
      return "PRAGMA \(name) is refused: with Configuration.freshness, the log has to be recorded "
        + "before it is emptied. Use checkpoint(_:on:), and Configuration.checkpointPolicy."
    case let name where name.hasPrefix("cipher") || name.hasSuffix("kdf_iter"):
      return cipherPragmaRefusal(name: name, value: value, schema: schema)
    default:
      return nil
    }
  }

  /// Whether SQLite interprets the value as MEMORY: the word, or a number that begins with 2.
  private static func meansMemory(_ value: String) -> Bool {
    value.utf8.first == UInt8(ascii: "2") || value.lowercased() == "memory"
  }

  // MARK: Statements

  /// Throws for `ATTACH` and `VACUUM … INTO` statements that don't do what they appear to.
  ///
  /// - Parameter offset: The start of the statement, in UTF-8 bytes.
  /// - Complexity: For all other statements, only the first letter is examined.
  @inline(__always)
  func refuseUnsafeSQL(_ sql: String, from offset: Int) throws {
    let mayMatter = unsafe sql.utf8.withContiguousStorageIfAvailable {
      Database.mayAttachOrVacuum($0, from: offset)
    }
    if mayMatter ?? true { try refuseUnsafeAttachOrVacuum(sql, from: offset) }
  }

  @safe private static func mayAttachOrVacuum(
    _ utf8: UnsafeBufferPointer<UInt8>, from offset: Int
  ) -> Bool {
    for index in offset..<max(offset, utf8.count) {
      switch unsafe utf8[index] {
      case UInt8(ascii: " "), 0x09...0x0D: continue
      case UInt8(ascii: "a"), UInt8(ascii: "A"), UInt8(ascii: "v"), UInt8(ascii: "V"),
        UInt8(ascii: "-"), UInt8(ascii: "/"), UInt8(ascii: ";"), 0xEF:
        return true
      default: return false
      }
    }
    return false
  }

  private func refuseUnsafeAttachOrVacuum(_ sql: String, from offset: Int) throws {
    var sql = sql
    let refusal: SQLRefusal? = sql.withUTF8 { utf8 in
      var tokens: [SQLTokenizer.Token] = []
      for token in SQLTokenizer(utf8, from: offset) where token.isSignificant {
        if token.kind == .semicolon {
          if tokens.isEmpty { continue }
          break
        }
        tokens.append(token)
        // Other statements are accepted after their first word.
        if tokens.count == 1 {
          let word = SQLRefusal.word(token, in: utf8)
          guard word == "ATTACH" || word == "VACUUM" else { return nil }
        }
      }
      return SQLRefusal(tokens, utf8, isKeyed: isKeyed)
    }
    guard let refusal else { return }
    throw DatabaseError(
      resultCode: .SQLITE_AUTH, message: refusal.message, sql: refusal.hidesSQL ? nil : sql,
      hint: refusal.hint)
  }
}

/// The reason why an `ATTACH` or `VACUUM` is refused.
private struct SQLRefusal {
  var message: String
  var hint: String
  /// Whether the SQL contains a key.
  var hidesSQL = false

  init(_ message: String, _ hint: String, hidesSQL: Bool = false) {
    self.message = message
    self.hint = hint
    self.hidesSQL = hidesSQL
  }

  @safe init?(_ tokens: [SQLTokenizer.Token], _ utf8: UnsafeBufferPointer<UInt8>, isKeyed: Bool) {
    let words = tokens.map { SQLRefusal.word($0, in: utf8) }
    switch words.first {
    case "ATTACH":
      guard let refusal = SQLRefusal.attach(tokens, words, utf8, isKeyed: isKeyed) else {
        return nil
      }
      self = refusal
    case "VACUUM":
      guard let refusal = SQLRefusal.vacuum(tokens, words, utf8, isKeyed: isKeyed) else {
        return nil
      }
      self = refusal
    default:
      return nil
    }
  }

  /// Returns the token in capitals if it is an unquoted word, otherwise an empty string.
  @safe static func word(
    _ token: SQLTokenizer.Token, in utf8: UnsafeBufferPointer<UInt8>
  ) -> String {
    guard token.kind == .word else { return "" }
    return unsafe String(decoding: utf8[token.range], as: UTF8.self).uppercased()
  }

  @safe private static func attach(
    _ tokens: [SQLTokenizer.Token], _ words: [String], _ utf8: UnsafeBufferPointer<UInt8>,
    isKeyed: Bool
  ) -> SQLRefusal? {
    // KEY can also be the schema's name: ATTACH x AS key.
    let asIndex = words.firstIndex(of: "AS") ?? 0
    let afterName = asIndex + 2
    let hasKey = words.count > afterName && words[afterName] == "KEY"
    if hasKey {
      let value = tokens[(afterName + 1)...]
      let isText = value.contains { token in
        switch token.kind {
        case .string, .quotedIdentifier: token.range.count > 2
        case .blob, .word, .number: true
        default: false
        }
      }
      return isText
        ? SQLRefusal(
          "ATTACH with a key in its text is refused: it reaches traces and logs",
          "Use db.attach(_:as:key:), or `KEY ?` with an argument.", hidesSQL: true) : nil
    }
    guard isKeyed, !isLiteral(tokens.dropFirst(), utf8, [":memory:"]) else { return nil }
    return SQLRefusal(
      "ATTACH without KEY is refused: it takes the key and the salt of the main database",
      "Use db.attach(_:as:key:), with nil for the key of a plaintext file.")
  }

  @safe private static func vacuum(
    _ tokens: [SQLTokenizer.Token], _ words: [String], _ utf8: UnsafeBufferPointer<UInt8>,
    isKeyed: Bool
  ) -> SQLRefusal? {
    // INTO can be the name of a schema only in quotes.
    guard let into = words.firstIndex(of: "INTO") else { return nil }
    if into > 1 {
      var name = unsafe String(decoding: utf8[tokens[1].range], as: UTF8.self)
      if tokens[1].kind != .word { name = String(name.dropFirst().dropLast()) }
      guard name.lowercased() == "main" else {
        return SQLRefusal(
          "VACUUM INTO of an attached database is refused: the copy would get the main "
            + "database's key, or none",
          "Open the file with a separate connection.")
      }
    }
    guard isKeyed else { return nil }
    let target = tokens[(into + 1)...]
    let isPlainName =
      unsafe target.count == 1 && target.first?.kind == .string
      && !utf8[target[into + 1].range].dropFirst().starts(with: Array("file:".utf8))
    return isPlainName
      ? nil
      : SQLRefusal(
        "VACUUM INTO is refused where its target may be a URI: that can name another key, or none",
        "Use vacuum(into:) of the queue or the pool.")
  }

  /// Whether the first token after an optional DATABASE is one of these strings.
  @safe private static func isLiteral(
    _ tokens: ArraySlice<SQLTokenizer.Token>, _ utf8: UnsafeBufferPointer<UInt8>,
    _ texts: [String]
  ) -> Bool {
    var rest = tokens
    if let first = rest.first, word(first, in: utf8) == "DATABASE" { rest = rest.dropFirst() }
    guard let token = rest.first, token.kind == .string else { return false }
    return texts.contains {
      unsafe String(decoding: utf8[token.range], as: UTF8.self) == "'\($0)'"
    }
  }
}
