import CofferVault

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
    case "page_size" where value != nil && changesEncryptedPages(of: schema):
      return "PRAGMA page_size is refused: in an encrypted file it would destroy data. Use "
        + "CipherSettings(pageSize:) when the file is created, or DatabaseFile.convert."
    case "journal_mode"
    where freshness.session != nil && value.map { $0.lowercased() != "wal" } == true,
      "wal_checkpoint" where freshness.session != nil,
      "wal_autocheckpoint" where freshness.session != nil && value != nil:
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
  /// - Returns: Whether arguments give the name of a file, so that ``refuseUnsafeArguments(of:)``
  ///   has to see them.
  /// - Complexity: For all other statements, only the first letter is examined.
  @inline(__always)
  func refuseUnsafeSQL(_ sql: String, from offset: Int) throws -> Bool {
    let mayMatter = unsafe sql.utf8.withContiguousStorageIfAvailable {
      Database.mayAttachOrVacuum($0, from: offset)
    }
    return try mayMatter ?? true ? refuseUnsafeAttachOrVacuum(sql, from: offset) : false
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

  private func refuseUnsafeAttachOrVacuum(_ sql: String, from offset: Int) throws -> Bool {
    var text = sql
    let (refusal, bindsName, givesKey, isAttach) = text.withUTF8 { utf8 in
      guard let statement = FileStatement(utf8, from: offset) else {
        return (SQLRefusal?.none, false, false, false)
      }
      return (
        statement.refusal(isKeyed: isKeyed), statement.bindsName, statement.mayGiveKey,
        statement.isAttach
      )
    }
    if let refusal { throw refusal.error(sql) }
    if isAttach { try refuseSecondJournal() }
    if givesKey { keying.mayHaveAttachedFile = true }
    return bindsName
  }

  /// Throws if the arguments of an `ATTACH` or `VACUUM … INTO` make a URI that isn't allowed.
  func refuseUnsafeArguments(of statement: Statement) throws {
    guard let handle = statement.handle, var text = SQLite.expandedSQL(handle) else {
      throw DatabaseError(resultCode: .SQLITE_NOMEM)
    }
    let refusal: SQLRefusal? = text.withUTF8 { utf8 in
      guard let statement = FileStatement(utf8, from: 0) else { return SQLRefusal.computedName }
      return statement.nameRefusal
    }
    if let refusal { throw refusal.error(statement.sql) }
  }
}
