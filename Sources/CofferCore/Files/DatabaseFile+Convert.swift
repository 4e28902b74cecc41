extension DatabaseFile {
  /// Makes an encrypted copy of a plaintext database, or replaces it by one.
  ///
  /// The copy is written beside its place, verified row by row, synced, and only then given its
  /// name: a crash leaves what was there before, or the whole new file. Replacing a file doesn't
  /// wipe the disk blocks that held its plaintext.
  /// - Parameters:
  ///   - source: The plaintext database, locked until the end.
  ///   - target: Where the encrypted one goes; there must be nothing, unless it is `source` itself.
  ///   - configuration: What the application opens such files with: the functions and collations
  ///     that its preparations add are known while the file is copied, and all else is ignored. An
  ///     index, or a generated column, may use them. Those of Coffer and of EasyDB are always known.
  ///   - progress: Called now and then; what it throws cancels and leaves nothing behind.
  /// - Throws: ``DatabaseError``: among others where a connection uses the source, and where it
  ///   isn't a plaintext database.
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

  /// Makes a plaintext copy of an encrypted database, or replaces it by one.
  ///
  /// As ``encrypt(at:to:key:cipher:configuration:progress:)``, the other way round. The copy can be read by
  /// its owner alone.
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

  /// Encrypts a database anew with other cipher settings, such as those of SQLCipher 4 for a file
  /// of SQLCipher 3.
  ///
  /// The new file is written beside its place, verified row by row, synced, and only then given
  /// its name: a crash leaves the old or the new file whole. It has a salt of its own.
  /// - Parameters:
  ///   - path: The database, locked until the end.
  ///   - newKey: The key of the new file; nil for the same.
  ///   - newPath: Where the new file goes; nil to replace the old one.
  ///   - configuration: What the application opens the file with, for its functions and collations.
  ///   - progress: Called now and then; what it throws cancels and leaves nothing behind.
  /// - Throws: ``DatabaseError``: among others where a connection uses the file, and where the
  ///   SQLCipher of this process is too old for the new settings.
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

  /// What the preparations of a configuration add to a connection.
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
