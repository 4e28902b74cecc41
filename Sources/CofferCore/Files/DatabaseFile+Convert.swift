extension DatabaseFile {
  /// Creates an encrypted copy of a plaintext database, or replaces the database with it.
  ///
  /// The copy is written beside its destination, verified row by row, synced, and only then
  /// renamed: a crash leaves either the previous state or the complete new file. Replacing a file
  /// doesn't wipe the disk blocks that held its plaintext.
  /// - Parameters:
  ///   - source: The plaintext database, which stays locked until the end.
  ///   - target: The path of the encrypted database. No file may exist there, unless it is `source`
  ///     itself.
  ///   - configuration: The application's configuration for such files. The functions and
  ///     collations added by its preparations are available during the copy, since indexes and
  ///     generated columns can use them; everything else is ignored. Those of Coffer and EasyDB are
  ///     always available.
  ///   - progress: Called from time to time. An error that it throws cancels the operation, and
  ///     leaves nothing behind.
  /// - Throws: ``DatabaseError``, for example if a connection uses the source, or if it isn't a
  ///   plaintext database.
  public static func encrypt(
    at source: String, to target: String, key: DatabaseKey, cipher: CipherSettings = .default,
    configuration: Configuration = Configuration(),
    progress: ((Progress) throws -> Void)? = nil
  ) throws {
    try requirePlaintext(source)
    try FileConversion(
      source: source, sourceKey: nil, target: target,
      targetKey: try .new(key, settings: cipher), additions: additions(of: configuration),
      progress: progress
    ).run()
  }

  /// Creates a plaintext copy of an encrypted database, or replaces the database with it.
  ///
  /// This is the reverse of ``encrypt(at:to:key:cipher:configuration:progress:)``. Only its owner
  /// can read the copy.
  public static func decrypt(
    at source: String, key: DatabaseKey, cipher: CipherSettings = .default, to target: String,
    configuration: Configuration = Configuration(),
    progress: ((Progress) throws -> Void)? = nil
  ) throws {
    try FileConversion(
      source: source,
      sourceKey: try requireEncrypted(source, key: key, settings: cipher), target: target,
      targetKey: nil, additions: additions(of: configuration), progress: progress
    ).run()
  }

  /// Re-encrypts a database with other cipher settings.
  ///
  /// For example, it converts a file of SQLCipher 3 to the settings of SQLCipher 4.
  ///
  /// The new file is written beside its destination, verified row by row, synced, and only then
  /// renamed: a crash leaves either the old or the complete new file. The new file has a new salt.
  /// - Parameters:
  ///   - path: The database, which stays locked until the end.
  ///   - newKey: The key of the new file; nil for the same key.
  ///   - newPath: The path of the new file; nil to replace the old one.
  ///   - configuration: The application's configuration for the file, for its functions and
  ///     collations.
  ///   - progress: Called from time to time. An error that it throws cancels the operation, and
  ///     leaves nothing behind.
  /// - Throws: ``DatabaseError``, for example if a connection uses the file, or if the process's
  ///   SQLCipher is too old for the new settings.
  public static func convert(
    at path: String, key: DatabaseKey, from oldSettings: CipherSettings = .sqlcipher3,
    to newSettings: CipherSettings = .default, newKey: DatabaseKey? = nil,
    newPath: String? = nil, configuration: Configuration = Configuration(),
    progress: ((Progress) throws -> Void)? = nil
  ) throws {
    let targetKey = try FileKey.new(newKey ?? key, settings: newSettings)
    try FileConversion(
      source: path,
      sourceKey: try requireEncrypted(path, key: key, settings: oldSettings),
      target: newPath ?? path, targetKey: targetKey, additions: additions(of: configuration),
      progress: progress
    ).run()
  }

  /// Returns the functions and collations that a configuration's preparations add.
  private static func additions(of configuration: Configuration) throws -> SQLAdditions {
    guard !configuration.preparations.isEmpty else { return SQLAdditions() }
    return try DatabaseQueue.withTemporaryFile(like: configuration, \.additions)
  }

  private static func requirePlaintext(_ path: String) throws {
    switch inspect(at: path).kind {
    case .plaintext: return
    case .missing:
      throw DatabaseError(
        resultCode: .SQLITE_CANTOPEN, message: "there is no file at \(path)", hint: nil)
    case .encryptedOrUnknown, .plaintextHeader:
      throw DatabaseError(
        resultCode: .SQLITE_NOTADB, message: "\(path) is not a plaintext database",
        hint: "It seems to be encrypted already.")
    case let kind:
      throw DatabaseError(
        resultCode: .SQLITE_NOTADB, message: "\(path) is not a plaintext database",
        hint: kind == .empty ? "It is empty." : nil)
    }
  }

  private static func requireEncrypted(
    _ path: String, key: DatabaseKey, settings: CipherSettings
  ) throws -> FileKey {
    switch inspect(at: path).kind {
    case .missing:
      throw DatabaseError(
        resultCode: .SQLITE_CANTOPEN, message: "there is no file at \(path)", hint: nil)
    case .empty:
      throw DatabaseError(
        resultCode: .SQLITE_NOTADB, message: "\(path) is not an encrypted database",
        hint: "It is empty.")
    default:
      return try .existing(at: path, key: key, settings: settings)
    }
  }
}
