import CofferSQLite

/// The key and settings of one file; the key is derived if libcrypto is available.
package struct FileKey {
  package let key: DatabaseKey
  package let settings: CipherSettings
  /// The derived key; nil if there is no libcrypto, so that SQLCipher derives it.
  package let derived: DerivedKey?
  /// The argument for `sqlite3_key` and `KEY`.
  package let spec: SecureBytes

  /// - Throws: ``DatabaseError`` for a key or settings that can't be used.
  package init(
    _ key: DatabaseKey, settings: CipherSettings, salt: [UInt8], derived known: DerivedKey? = nil
  ) throws {
    do {
      try key.validate()
      try settings.validate(with: key)
      _ = try settings.pragmas()
      let derived =
        try known ?? DerivedKey.derive(from: key, salt: salt, settings: settings)
      self.derived = derived
      spec = try derived?.sqlcipherKeySpec() ?? key.keySpec()
    } catch {
      throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "\(error)")
    }
    self.key = key
    self.settings = settings
  }

  /// Returns the key of an existing file.
  package static func existing(
    at path: String, key: DatabaseKey, settings: CipherSettings
  ) throws -> FileKey {
    try FileKey(
      key.resolved(forDatabaseAt: path, settings: settings), settings: settings,
      salt: FileKey.salt(of: path) ?? DerivedKey.randomSalt())
  }

  /// Returns the key of a new file, with a random salt unless the key includes one.
  ///
  /// A key in slots is in those of the new file.
  package static func new(
    _ key: DatabaseKey, settings: CipherSettings, at path: String
  ) throws -> FileKey {
    try FileKey(
      key.resolved(forDatabaseAt: path, settings: settings), settings: settings,
      salt: DerivedKey.randomSalt())
  }

  /// Whether both encrypt with the same key, regardless of its form.
  package func isSame(as other: FileKey) -> Bool {
    if let derived, let otherDerived = other.derived {
      return derived.salt == otherDerived.salt && derived.key.isEqual(to: otherDerived.key)
    }
    return key.isSameKey(as: other.key)
  }
}
