import CofferSQLite

extension DatabaseKey {
  /// The random key in the database's key slots, which the unlocker opens at each opening.
  ///
  /// As the key to which ``DatabaseWriter/changeKey(to:)`` changes, it is a new random key: the new
  /// file of slots has one slot, of this unlocker, and the other slots are gone, since nothing but
  /// their own unlockers could open them again.
  /// - Parameter label: The name of that new slot; not used otherwise.
  public static func slots(unlocker: KeyUnlocker, label: String = "") -> DatabaseKey {
    DatabaseKey(form: .slots(unlocker, label: label), bytes: SecureBytes(count: 0) { _ in })
  }

  /// The key that a provider returns at each opening. It isn't kept.
  public static func provider(_ provider: any KeyProvider) -> DatabaseKey {
    DatabaseKey(form: .provider(provider), bytes: SecureBytes(count: 0) { _ in })
  }

  /// Whether the key has to be asked for.
  package var isUnresolved: Bool {
    switch form {
    case .slots, .provider: true
    case .passphrase, .raw, .rawWithSalt: false
    }
  }

  /// Returns the key itself for a database that may have lost its beginning.
  func resolved(forDamagedDatabaseAt path: String) throws -> DatabaseKey {
    guard case .slots(let unlocker, _) = form else {
      return try resolved(forDatabaseAt: path, settings: .default)
    }
    return try KeySlotsChange.key(forDamagedDatabaseAt: path, unlocker)
  }

  /// Returns the key itself: from the slots of the database, or from the provider.
  ///
  /// - Throws: ``KeySlotsError``, ``DatabaseKeyError``, or the provider's error.
  package func resolved(
    forDatabaseAt path: String, settings: CipherSettings
  ) throws -> DatabaseKey {
    switch form {
    case .passphrase, .raw, .rawWithSalt: return self
    case .provider(let provider):
      let key = try provider.key(forDatabaseAt: path)
      guard !key.isUnresolved else { throw DatabaseKeyError.unresolvedKey }
      return key
    case .slots(let unlocker, _):
      return try KeySlotsChange.key(
        forDatabaseAt: path, settings: settings, unlocker)
    }
  }
}

extension DatabaseKey {
  /// Returns the key of a database of which there are only the salt and the file of its slots.
  ///
  /// - Parameter path: Where the database will be, for a key's provider.
  package func derived(
    salt: [UInt8], slots: [UInt8], settings: CipherSettings, path: String
  ) throws -> DerivedKey {
    var key = self
    if case .slots(let unlocker, _) = form {
      let name = "the archive"
      guard !slots.isEmpty else { throw KeySlotsError.missing(path: name) }
      let (file, isIntact) = try KeySlotsFile.parse(slots, path: name)
      guard let (_, opened) = try file.open(with: unlocker.secret(forDatabaseAt: path)) else {
        throw isIntact ? KeySlotsError.noSlot(path: name) : KeySlotsError.damaged(path: name)
      }
      key = DatabaseKey(form: .rawWithSalt(file.databaseSalt), bytes: opened)
    } else if case .provider = form {
      key = try resolved(forDatabaseAt: path, settings: settings)
    }
    guard let derived = try DerivedKey.derive(from: key, salt: salt, settings: settings) else {
      throw DatabaseError(
        resultCode: .SQLITE_ERROR, message: "an archive needs the functions of libcrypto")
    }
    return derived
  }
}
