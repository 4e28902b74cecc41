/// The key and settings of one file; the key is derived if libcrypto is available.
struct FileKey {
  let key: DatabaseKey
  let settings: CipherSettings
  /// The derived key; nil if there is no libcrypto, so that SQLCipher derives it.
  let derived: DerivedKey?
  /// The argument for `sqlite3_key` and `KEY`.
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

  /// Returns the key of an existing file.
  static func existing(
    at path: String, key: DatabaseKey, settings: CipherSettings
  ) throws -> FileKey {
    try FileKey(
      key.resolved(forDatabaseAt: path, settings: settings), settings: settings,
      salt: FileKey.salt(of: path) ?? DerivedKey.randomSalt())
  }

  /// Returns the key of a new file, with a random salt unless the key includes one.
  ///
  /// A key in slots is in those of the new file.
  static func new(
    _ key: DatabaseKey, settings: CipherSettings, at path: String
  ) throws -> FileKey {
    try FileKey(
      key.resolved(forDatabaseAt: path, settings: settings), settings: settings,
      salt: DerivedKey.randomSalt())
  }

  /// Whether both encrypt with the same key, regardless of its form.
  func isSame(as other: FileKey) -> Bool {
    if let derived, let otherDerived = other.derived {
      return derived.salt == otherDerived.salt && derived.key.isEqual(to: otherDerived.key)
    }
    return key.isSameKey(as: other.key)
  }
}
