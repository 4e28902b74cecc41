import CofferVault
import FoundationEssentials

extension Database {
  // MARK: GRDB's API

  /// Sets the connection's passphrase, in `Configuration.prepareDatabase`.
  ///
  /// ```swift
  /// configuration.prepareDatabase { db in
  ///   try db.usePassphrase("correct horse battery staple")
  /// }
  /// ```
  ///
  /// Pragmas right after it set the cipher settings, as `Configuration.cipher` does. The latter
  /// checks its values:
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

  /// Sets the connection's passphrase from any bytes.
  public func usePassphrase(_ passphrase: Data) throws {
    if configuration.wasKeyReplaced { return }
    try giveKey(.passphrase(bytes: passphrase), settings: configuration.cipher)
  }

  /// Re-encrypts the database with another passphrase.
  ///
  /// Prefer ``DatabaseWriter/changeKey(to:)``, which handles all connections.
  /// - Throws: An error if the connection can't write, or another connection uses the file.
  public func changePassphrase(_ passphrase: String) throws {
    try changeKey(to: .passphrase(passphrase))
  }

  /// Re-encrypts the database with another passphrase, of any bytes.
  public func changePassphrase(_ passphrase: Data) throws {
    try changeKey(to: .passphrase(bytes: passphrase))
  }

  // MARK: Keying

  /// Sets SQLCipher's key before the file is first read.
  ///
  /// While preparations can still change the settings of the derivation, SQLCipher gets the
  /// underived key, and would derive it on the first read. ``settleKey()`` runs before that, and
  /// avoids a second derivation.
  func giveKey(_ key: DatabaseKey, settings: CipherSettings) throws {
    try checkAccess()
    let isFinal = configuration.preparations.isEmpty
    let pragmas: [String]
    do {
      try key.validate()
      try settings.validate(with: key)
      pragmas = isFinal ? [] : try settings.pragmas()
    } catch {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "\(error)")
    }
    try FileKey.proveEngine(of: openConnection())
    keying.begin(key, settings)
    if isFinal { try settleKey() } else { try setKeyUp(key.keySpec(), pragmas) }
  }

  /// Applies the settings made by the preparations, and derives the key unless another connection
  /// has.
  func settleKey() throws {
    guard keying.isProvisional, let (key, given) = keying.given else { return }
    keying.isProvisional = false
    let settings = keying.requestedSettings.isEmpty ? given : try requestedSettings()
    let pragmas: [String]
    // If a preparation has read the file through C functions, SQLCipher has derived the key.
    let isDerived = hasUsedFile
    do {
      try settings.validate(with: key)
      pragmas = try settings.pragmas()
      keying.given = (key, settings)
      if isDerived { return }
      if let known = keying.known, known.isSame(as: key, settings) {
        keying.derived = known.derived
      } else {
        keying.derived = try derive(key, settings)
      }
    } catch let error as DatabaseError {
      throw error
    } catch {
      throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "\(error)")
    }
    try setKeyUp(keying.derived?.sqlcipherKeySpec() ?? key.keySpec(), pragmas)
    try verifyFreshness()
  }

  private func setKeyUp(_ spec: SecureBytes, _ pragmas: [String]) throws {
    keying.isBeingSet = true
    defer { keying.isBeingSet = false }
    keying.checkedMisses = 0
    keying.provision = try FileKey.setKey(
      spec, pragmas, usesStockProvider: configuration.usesStockCipherProvider,
      readsAhead: configuration.readsAhead, in: openConnection())
  }

  /// Derives the key with the file's salt, or with a new salt for a new file.
  ///
  /// - Returns: Nil if SQLCipher has to derive it: in memory, and if the file has no room for its
  ///   salt.
  private func derive(_ key: DatabaseKey, _ settings: CipherSettings) throws -> DerivedKey? {
    if isInMemory || settings.plaintextHeaderSize > 0, key.salt == nil { return nil }
    let salt = try key.salt ?? FileKey.salt(of: openConnection(), path: path)
    keying.hasNewSalt = salt == nil
    return try DerivedKey.derive(
      from: key, salt: salt ?? DerivedKey.randomSalt(), settings: settings)
  }

  /// The key given to the connection.
  var openingKey: DatabaseKey? { keying.given?.key ?? keying.resolved }

  /// The settings given to the connection.
  var openingSettings: CipherSettings { keying.given?.settings ?? configuration.cipher }

  /// Whether the connection has a key.
  package var isKeyed: Bool { keying.isGiven }
}
