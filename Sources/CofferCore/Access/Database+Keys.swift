import FoundationEssentials

extension Database {
  // MARK: GRDB's way

  /// Gives the connection its passphrase, in `Configuration.prepareDatabase`.
  ///
  /// ```swift
  /// configuration.prepareDatabase { db in
  ///   try db.usePassphrase("correct horse battery staple")
  /// }
  /// ```
  ///
  /// `Configuration.key` does the same, and lets a pool derive the key once.
  public func usePassphrase(_ passphrase: String) throws {
    if configuration.wasKeyReplaced { return }
    try applyKey(.passphrase(passphrase), settings: configuration.cipher)
  }

  /// Gives the connection its passphrase, of any bytes.
  public func usePassphrase(_ passphrase: Data) throws {
    if configuration.wasKeyReplaced { return }
    try applyKey(.passphrase(bytes: passphrase), settings: configuration.cipher)
  }

  /// Encrypts the database anew, with another passphrase.
  ///
  /// Prefer ``DatabaseWriter/changeKey(to:)``, which knows of all connections.
  /// - Throws: An error where the connection can't write, or another connection
  ///   uses the file.
  public func changePassphrase(_ passphrase: String) throws {
    try changeKey(to: .passphrase(passphrase))
  }

  /// Encrypts the database anew, with another passphrase, of any bytes.
  public func changePassphrase(_ passphrase: Data) throws {
    try changeKey(to: .passphrase(bytes: passphrase))
  }

  // MARK: Keying

  /// Gives SQLCipher the key, before the file is read for the first time.
  func applyKey(_ key: DatabaseKey, settings: CipherSettings) throws {
    try checkAccess()
    let connection = try openConnection()
    let pragmas: [String]
    do {
      try key.validate()
      try settings.validate(with: key)
      pragmas = try settings.pragmas()
    } catch {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "\(error)")
    }
    try proveEngine()
    let spec: SecureBytes
    do {
      if let derivedKey, openingKey?.isSameKey(as: key) == true {
        spec = derivedKey.sqlcipherKeySpec()
      } else if let knownKey, knownKey.key.isSameKey(as: key) {
        derivedKey = knownKey.derived
        spec = knownKey.derived.sqlcipherKeySpec()
      } else if let derived = try derive(key, settings) {
        derivedKey = derived
        spec = derived.sqlcipherKeySpec()
      } else {
        spec = try key.keySpec()
      }
    } catch let error as DatabaseKeyError {
      throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "\(error)")
    }
    keying = (key, settings)
    let code = spec.withUnsafeBytes { SQLite.key(connection, $0) }
    guard code == SQLite.ok else {
      throw DatabaseError(
        resultCode: ResultCode(rawValue: code), message: "SQLCipher has refused the key")
    }
    // After the key: the process's first one sets the level anew.
    if SQLiteFeatures.linked.logsToStandardError {
      try runSetting("PRAGMA cipher_log_level = NONE")
    }
    for pragma in pragmas { try runSetting(pragma) }
  }

  /// Derives the key with the file's salt, or with a new one for a new file.
  ///
  /// - Returns: Nil where SQLCipher has to do it: in memory, and where the file
  ///   has no room for its salt.
  private func derive(_ key: DatabaseKey, _ settings: CipherSettings) throws -> DerivedKey? {
    if isInMemory || settings.plaintextHeaderSize > 0, key.salt == nil { return nil }
    let salt = key.salt ?? Database.salt(of: path) ?? DerivedKey.randomSalt()
    return try DerivedKey.derive(from: key, salt: salt, settings: settings)
  }

  /// Throws where the SQLite that the process has loaded is not SQLCipher:
  /// another library with the same symbols would take the key for nothing.
  private func proveEngine() throws {
    let version = try? SQLite.scalar(openConnection(), "PRAGMA cipher_version")
    guard let version, !version.isEmpty else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "the SQLite library in use is not SQLCipher: nothing would be encrypted",
        hint: "Another libsqlite3 in the process has taken its place. Link libsqlcipher first, "
          + "or drop the other one.")
    }
  }

  /// The key that the file has, for further connections; nil for a plaintext one.
  package var currentKey: DatabaseKey? { keying?.key }

  /// The key that the connection was given.
  var openingKey: DatabaseKey? { keying?.key ?? configuration.key }

  /// The settings that the connection was given.
  var openingSettings: CipherSettings { keying?.settings ?? configuration.cipher }

  /// Whether the connection has a key.
  package var isKeyed: Bool { keying != nil }
}
