import CofferVault

extension DatabaseFile {
  /// Creates an encrypted copy of a plaintext database, or replaces the database with it.
  ///
  /// The copy is written beside its destination, verified row by row, synced, and only then
  /// renamed: a crash leaves either the previous state or the complete new file. Replacing a file
  /// doesn't wipe the disk blocks that held its plaintext.
  ///
  /// After an error nothing has changed, except after one with the code `SQLITE_IOERR_DIR_FSYNC`:
  /// the new file is in place then, but a power cut can undo that, so that both keys are needed.
  /// Store a new key before this call, since the process can end right after the file has got its
  /// name.
  /// - Parameters:
  ///   - source: The plaintext database, which stays locked until the end.
  ///   - target: The path of the encrypted database. No file may exist there, unless it is `source`
  ///     itself.
  ///   - configuration: The application's configuration for such files. The functions and
  ///     collations added by its preparations are available during the copy, since indexes and
  ///     generated columns can use them; everything else is ignored. Those of Coffer and EasyDB are
  ///     always available.
  ///   - progress: Called from time to time. An error that it throws cancels the operation, and
  ///     leaves nothing behind; once the phase is `finished`, it is ignored.
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
      targetKey: try .new(key, settings: cipher, at: target),
      prepare: additions(of: configuration).preparation,
      progress: progress
    ).run()
  }

  /// Creates a plaintext copy of an encrypted database, or replaces the database with it.
  ///
  /// This is the reverse of ``encrypt(at:to:key:cipher:configuration:progress:)``. Only its owner
  /// can read the copy, also where it replaces a file that others can read.
  /// `configuration.fileMode` can allow others what they could do with the source.
  public static func decrypt(
    at source: String, key: DatabaseKey, cipher: CipherSettings = .default, to target: String,
    configuration: Configuration = Configuration(),
    progress: ((Progress) throws -> Void)? = nil
  ) throws {
    try FileConversion(
      source: source,
      sourceKey: try requireEncrypted(source, key: key, settings: cipher), target: target,
      targetKey: nil, plaintextMode: configuration.fileMode ?? 0o600,
      prepare: additions(of: configuration).preparation, progress: progress
    ).run()
  }

  /// Re-encrypts a database with other cipher settings.
  ///
  /// For example, it converts a file of SQLCipher 3 to the settings of SQLCipher 4.
  ///
  /// The new file is written beside its destination, verified row by row, synced, and only then
  /// renamed: a crash leaves either the old or the complete new file. The new file has a new salt.
  /// For errors, see ``encrypt(at:to:key:cipher:configuration:progress:)``.
  /// - Parameters:
  ///   - path: The database, which stays locked until the end.
  ///   - newKey: The key of the new file; nil for the same key.
  ///   - newPath: The path of the new file; nil to replace the old one.
  ///   - configuration: The application's configuration for the file, for its functions and
  ///     collations.
  ///   - progress: Called from time to time. An error that it throws cancels the operation, and
  ///     leaves nothing behind; once the phase is `finished`, it is ignored.
  /// - Throws: ``DatabaseError``, for example if a connection uses the file, or if the process's
  ///   SQLCipher is too old for the new settings.
  public static func convert(
    at path: String, key: DatabaseKey, from oldSettings: CipherSettings = .sqlcipher3,
    to newSettings: CipherSettings = .default, newKey: DatabaseKey? = nil,
    newPath: String? = nil, configuration: Configuration = Configuration(),
    progress: ((Progress) throws -> Void)? = nil
  ) throws {
    let target = newPath ?? path
    let sourceKey = try requireEncrypted(path, key: key, settings: oldSettings)
    let targetKey = try FileKey.new(newKey ?? sourceKey.key, settings: newSettings, at: target)
    let slots = try KeySlotsChange(
      copying: targetKey.key, ofDatabaseAt: path, toDatabaseAt: target)
    defer { slots?.cancel() }
    try FileConversion(
      source: path, sourceKey: sourceKey, target: target, targetKey: targetKey,
      prepare: additions(of: configuration).preparation, progress: progress
    ).run { slots?.finish() }
  }

  /// Returns the functions and collations that a configuration's preparations add.
  static func additions(of configuration: Configuration) throws -> SQLAdditions {
    guard !configuration.preparations.isEmpty else { return SQLAdditions() }
    return try DatabaseQueue.withTemporaryFile(like: configuration, \.functions.additions)
  }

  private static func requirePlaintext(_ path: String) throws {
    try CName.check(path)
    let inspection = inspect(at: path)
    switch inspection.kind {
    case .plaintext: return
    case .missing:
      throw DatabaseError(
        resultCode: .SQLITE_CANTOPEN, message: "there is no file at \(path)", hint: nil)
    case .encryptedOrUnknown, .plaintextHeader:
      throw DatabaseError(
        resultCode: .SQLITE_NOTADB, message: "\(path) is not a plaintext database",
        hint: "It seems to be encrypted already.")
    case .unreadable(let reason):
      throw DatabaseError(
        resultCode: inspection.unreadableCode, message: "could not read \(path): \(reason)",
        hint: nil)
    case let kind:
      throw DatabaseError(
        resultCode: .SQLITE_NOTADB, message: "\(path) is not a plaintext database",
        hint: kind == .empty ? "It is empty." : nil)
    }
  }

  private static func requireEncrypted(
    _ path: String, key: DatabaseKey, settings: CipherSettings
  ) throws -> FileKey {
    try CName.check(path)
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
