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
  /// Pragmas right after it say how the file is encrypted, as `Configuration.cipher` does, which
  /// checks what it is given:
  ///
  /// ```swift
  /// configuration.prepareDatabase { db in
  ///   try db.usePassphrase("correct horse battery staple")
  ///   try db.execute(sql: "PRAGMA cipher_compatibility = 3")
  /// }
  /// ```
  public func usePassphrase(_ passphrase: String) throws {
    if configuration.wasKeyReplaced { return }
    try giveKey(.passphrase(passphrase), settings: configuration.cipher)
  }

  /// Gives the connection its passphrase, of any bytes.
  public func usePassphrase(_ passphrase: Data) throws {
    if configuration.wasKeyReplaced { return }
    try giveKey(.passphrase(bytes: passphrase), settings: configuration.cipher)
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
  ///
  /// What is given is the key itself: preparations may still change the settings that a passphrase
  /// is derived with, and SQLCipher derives it when the file is read. ``settleKey()`` comes before
  /// that, and spares the derivation.
  func giveKey(_ key: DatabaseKey, settings: CipherSettings) throws {
    try checkAccess()
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
    // A connection that is opened anew has derived it before.
    if let ownKnownKey { knownKey = ownKnownKey }
    derivedKey = nil
    keying = (key, settings)
    requestedCipherSettings = [:]
    isKeyProvisional = true
    guard !configuration.preparations.isEmpty else { return try settleKey() }
    try setKeyUp(key.keySpec(), pragmas)
  }

  /// Has the settings hold that preparations have made, and derives the key, unless another
  /// connection has.
  func settleKey() throws {
    guard isKeyProvisional, let (key, given) = keying else { return }
    isKeyProvisional = false
    let settings = requestedCipherSettings.isEmpty ? given : try requestedSettings()
    let pragmas: [String]
    // Whoever has read the file by C functions already has had SQLCipher derive the key.
    let isDerived = hasUsedFile
    do {
      try settings.validate(with: key)
      pragmas = try settings.pragmas()
      keying = (key, settings)
      if isDerived { return }
      if let knownKey, knownKey.isSame(as: key, settings) {
        derivedKey = knownKey.derived
      } else {
        derivedKey = try derive(key, settings)
      }
    } catch {
      throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "\(error)")
    }
    try setKeyUp(derivedKey?.sqlcipherKeySpec() ?? key.keySpec(), pragmas)
  }

  private func setKeyUp(_ spec: SecureBytes, _ pragmas: [String]) throws {
    let connection = try openConnection()
    isSettingKeyUp = true
    defer { isSettingKeyUp = false }
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

  /// The key that the connection was given.
  var openingKey: DatabaseKey? { keying?.key ?? configuration.key }

  /// The settings that the connection was given.
  var openingSettings: CipherSettings { keying?.settings ?? configuration.cipher }

  /// Whether the connection has a key.
  package var isKeyed: Bool { keying != nil }

  /// The connection's key, for others to the same file; nil where SQLCipher has derived it.
  var ownKnownKey: KnownKey? {
    guard let keying, let derivedKey else { return nil }
    return KnownKey(key: keying.key, settings: keying.settings, derived: derivedKey)
  }
}

/// A key that a connection has derived.
package struct KnownKey: Sendable {
  let key: DatabaseKey
  let settings: CipherSettings
  let derived: DerivedKey

  /// Whether it is what that key is derived to.
  func isSame(as other: DatabaseKey, _ otherSettings: CipherSettings) -> Bool {
    settings.kdfIterations == otherSettings.kdfIterations
      && settings.kdfAlgorithm == otherSettings.kdfAlgorithm && key.isSameKey(as: other)
  }
}
