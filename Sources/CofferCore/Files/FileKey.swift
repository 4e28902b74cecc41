/// The key of one file with its settings, derived where that can be done here.
struct FileKey {
  let key: DatabaseKey
  let settings: CipherSettings
  /// Nil where no libcrypto can be found: SQLCipher derives the key then.
  let derived: DerivedKey?
  /// What `sqlite3_key` and `KEY` take.
  let spec: SecureBytes

  /// - Throws: ``DatabaseError`` for a key or settings that can't be used.
  init(
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

  /// The key of a file that is there.
  static func existing(
    at path: String, key: DatabaseKey, settings: CipherSettings
  ) throws -> FileKey {
    try FileKey(
      key, settings: settings, salt: Database.salt(of: path) ?? DerivedKey.randomSalt())
  }

  /// The key of a file that is to be made, with a salt of its own.
  static func new(_ key: DatabaseKey, settings: CipherSettings) throws -> FileKey {
    try FileKey(key, settings: settings, salt: DerivedKey.randomSalt())
  }

  /// Whether both encrypt alike, however they were given.
  func isSame(as other: FileKey) -> Bool {
    if let derived, let otherDerived = other.derived {
      return derived.salt == otherDerived.salt && derived.key.isEqual(to: otherDerived.key)
    }
    return key.isSameKey(as: other.key)
  }
}
