import CofferVault

/// Cipher pragmas in preparations.
///
/// SQLCipher executes them itself, as for any other program. The resulting settings are read back
/// before the file is read.
extension Database {
  /// The pragmas of the settings in ``CipherSettings``.
  private static let settings: Set<String> = [
    "kdf_iter", "cipher_page_size", "cipher_compatibility", "cipher_use_hmac",
    "cipher_kdf_algorithm", "cipher_hmac_algorithm", "cipher_plaintext_header_size",
  ]

  /// The pragmas of other settings, with their only accepted values.
  private static let fixedSettings = [
    "fast_kdf_iter": "2", "cipher_hmac_pgno": "le", "cipher_hmac_salt_mask": "x'3a'",
    "cipher": "aes-256-cbc", "cipher_salt": "",
  ]

  // MARK: Before a statement

  /// Finalizes the key before a statement is compiled that can read the file.
  ///
  /// - Parameter offset: The start of the statement, in UTF-8 bytes.
  func settleKey(before sql: String, from offset: Int) throws {
    switch Database.cipherPragma(sql, from: offset) {
    case .none: break
    case .other: try settleKey()
    case .pragma(let name):
      // Nothing has been read yet, so the settings can still change.
      guard !keying.isProvisional, let given = keying.given, Database.settings.contains(name),
        !hasUsedFile,
        !configuration.preparations.isEmpty
      else { return }
      try giveKey(given.key, settings: given.settings)
    }
  }

  /// Whether SQLite has requested any page, so that the key is in use.
  var hasUsedFile: Bool { unsafe sqliteConnection.map { SQLite.hasUsedCache($0) } ?? false }

  private enum Statement {
    case none, other
    case pragma(String)
  }

  /// Classifies the statement that begins at `offset`.
  private static func cipherPragma(_ sql: String, from offset: Int) -> Statement {
    var sql = sql
    return sql.withUTF8 { utf8 in
      var words: [String] = []
      for token in SQLTokenizer(utf8, from: offset) where token.isSignificant {
        if token.kind == .semicolon, words.isEmpty { continue }
        let text = unsafe String(decoding: utf8[token.range], as: UTF8.self).lowercased()
        if text == ".", words.count == 2 {
          words.removeLast()
          continue
        }
        words.append(String(text.trimming("\"'`[]")))
        if words.count == 1, text != "pragma" { return .other }
        // The name can follow a schema's.
        if words.count == 3 { break }
      }
      guard let first = words.first else { return .none }
      guard first == "pragma", words.count > 1 else { return .other }
      let name = words[1]
      return name.hasPrefix("cipher") || name == "kdf_iter" || name == "fast_kdf_iter"
        ? .pragma(name) : .other
    }
  }

  // MARK: During compilation

  /// The reason why a cipher pragma is refused; nil if it is allowed.
  func cipherPragmaRefusal(name: String, value: String?, schema: String?) -> String? {
    guard let value, !keying.isBeingSet else { return nil }
    if name.hasPrefix("cipher_default_") {
      return "PRAGMA \(name) is refused: it applies to all connections of the process, and those "
        + "of Coffer set every setting explicitly. Use Configuration.cipher."
    }
    if let schema, !schema.isSameName(as: "main") {
      let isSetting = Database.settings.contains(name) || Database.fixedSettings[name] != nil
      guard isSetting, Database.fixedSettings[name] != value.lowercased(), !isUnused(schema)
      else { return nil }
      return
        "PRAGMA \(schema).\(name) is refused: the file is in use, and stays encrypted as it is. "
        + "Use db.attach(_:as:key:cipher:)."
    }
    guard isKeyed else { return nil }
    if let fixed = Database.fixedSettings[name] {
      guard fixed != value.lowercased() else { return nil }
      return name == "cipher_salt"
        ? "PRAGMA cipher_salt is refused: further connections need it as well. Use "
          + "DatabaseKey.raw(_:salt:)."
        : "PRAGMA \(name) is refused: Coffer opens files with \(fixed) alone."
    }
    guard Database.settings.contains(name) else { return nil }
    guard keying.isProvisional else {
      return "PRAGMA \(name) is refused: the file is in use, and stays encrypted as it is. Run it "
        + "right after usePassphrase in Configuration.prepareDatabase, or use Configuration.cipher; "
        + "DatabaseFile.convert changes a file."
    }
    if name == "cipher_compatibility" {
      guard SQLCipherGeneration.linked >= .four || value == "3" else {
        return "PRAGMA cipher_compatibility = \(value) needs SQLCipher 4. Install a newer "
          + "libsqlcipher."
      }
      // This pragma sets all the others.
      keying.requestedSettings = [:]
    }
    keying.requestedSettings[name] = value
    return nil
  }

  /// Whether `PRAGMA page_size` can change the pages of an encrypted file, as `cipher_page_size`
  /// does.
  func changesEncryptedPages(of schema: String?) -> Bool {
    if isKeyed { return true }
    guard keying.mayHaveAttachedFile, let schema, !schema.isSameName(as: "main"),
      !schema.isSameName(as: "temp")
    else { return false }
    // SQLCipher 3 doesn't write all of a new file's pages then.
    if isUnused(schema) { return SQLCipherGeneration.linked == .three }
    guard let connection = sqliteConnection,
      let path = SQLite.fileName(connection, schema: schema),
      case .plaintext = DatabaseFile.inspect(at: path).kind
    else { return true }
    return false
  }

  /// Whether nothing has been written to the file of an attached database, so that its settings can
  /// still change.
  private func isUnused(_ schema: String) -> Bool {
    guard !isInsideTransaction, let connection = sqliteConnection,
      let path = SQLite.fileName(connection, schema: schema), !path.isEmpty
    else { return false }
    return DatabaseFile.size(at: path) == 0
  }

  // MARK: After the preparations

  /// Reads SQLCipher's current settings.
  ///
  /// - Throws: An error if SQLCipher has ignored a setting, which it does silently.
  func requestedSettings() throws -> CipherSettings {
    var settings = openingSettings
    func value(_ name: String, as form: (String) -> String?) throws -> String {
      let result = try LibrarySQL.scalar("PRAGMA \(name)", in: openConnection()) ?? ""
      if let requested = keying.requestedSettings[name], form(requested) != form(result) {
        throw DatabaseError(
          resultCode: .SQLITE_MISUSE, message: "SQLCipher has ignored PRAGMA \(name)",
          hint: "It is \(result). Use Configuration.cipher, which reports unsupported settings.")
      }
      return result
    }
    func integer(_ name: String) throws -> Int {
      Int(try value(name) { Int($0).map(String.init) }) ?? 0
    }
    func hash(_ name: String) throws -> CipherSettings.Hash? {
      try value(name) { $0.uppercased() }.split(separator: "_").last.flatMap {
        CipherSettings.Hash(rawValue: String($0))
      }
    }
    settings.kdfIterations = try integer("kdf_iter")
    settings.pageSize = try integer("cipher_page_size")
    settings.usesHMAC = try setting("PRAGMA cipher_use_hmac") == "1"
    guard SQLCipherGeneration.linked >= .four else { return settings }
    settings.kdfAlgorithm = try hash("cipher_kdf_algorithm") ?? settings.kdfAlgorithm
    settings.hmacAlgorithm = try hash("cipher_hmac_algorithm") ?? settings.hmacAlgorithm
    settings.plaintextHeaderSize = try integer("cipher_plaintext_header_size")
    return settings
  }
}
