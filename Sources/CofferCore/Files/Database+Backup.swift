/// How far a backup has come.
public struct DatabaseBackupProgress: Sendable {
  /// Pages that are left to copy.
  public let remainingPageCount: Int
  /// Pages of the source.
  public let totalPageCount: Int
  /// Pages that are copied.
  public var completedPageCount: Int { totalPageCount - remainingPageCount }
  /// Whether the backup is complete, and can't be cancelled any more.
  public let isCompleted: Bool
}

extension Database {
  /// Replaces the content of another database by this one's.
  ///
  /// Both have to be encrypted with one key, or both to be plaintext: SQLCipher either refuses
  /// anything else, or writes plaintext, or a file that nobody can open. The copy is proved by
  /// opening it anew.
  /// - Parameters:
  ///   - target: Its key and its salt stay; nobody may use it meanwhile.
  ///   - pagesPerStep: Pages that are copied while others can't write; all where it is negative.
  ///   - progress: Called after each step; what it throws cancels the backup, and the target is as
  ///     it was. What it throws once `isCompleted` is true is ignored.
  /// - Throws: ``DatabaseError``, with the target as it was unless the error says otherwise.
  public func backup(
    to target: Database, pagesPerStep: CInt = -1,
    progress: ((DatabaseBackupProgress) throws -> Void)? = nil
  ) throws {
    try checkAccess()
    try target.checkAccess()
    try refuseBackup(to: target)
    target.statementCache.removeAll()
    defer { target.schemaDidChange() }
    let last = try Database.copyPages(
      from: openConnection(), to: target.openConnection(), pagesPerStep: pagesPerStep,
      progress: progress)
    try target.proveBackup()
    target.didCommit()
    try? progress?(last)
  }

  /// Copies all pages of one connection's main database to another one's.
  /// - Returns: What to report once the copy is proved.
  static func copyPages(
    from source: SQLiteConnection, to target: SQLiteConnection, pagesPerStep: CInt,
    progress: ((DatabaseBackupProgress) throws -> Void)?
  ) throws -> DatabaseBackupProgress {
    guard pagesPerStep != 0 else {
      throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "pagesPerStep is 0", hint: nil)
    }
    let backup: SQLiteBackup
    do {
      backup = try SQLiteBackup(from: source, to: target)
    } catch {
      throw DatabaseError(code: error.code, connection: target)
    }
    defer { backup.finish() }
    func state(isCompleted: Bool) -> DatabaseBackupProgress {
      DatabaseBackupProgress(
        remainingPageCount: backup.remainingPageCount, totalPageCount: backup.totalPageCount,
        isCompleted: isCompleted)
    }
    while true {
      let code = backup.step(pagesPerStep)
      if code == SQLite.done { break }
      guard code == SQLite.ok else {
        backup.finish()
        throw DatabaseError(code: code, connection: target)
      }
      try progress?(state(isCompleted: false))
    }
    let last = state(isCompleted: true)
    let code = backup.finish()
    guard code == SQLite.ok else { throw DatabaseError(code: code, connection: target) }
    return last
  }

  private func refuseBackup(to target: Database) throws {
    func refusal(_ message: String, _ hint: String) -> DatabaseError {
      DatabaseError(resultCode: .SQLITE_MISUSE, message: message, hint: hint)
    }
    switch (keying, target.keying) {
    case (nil, nil): return
    case (_?, nil):
      throw refusal(
        "the backup of an encrypted database would not be encrypted",
        "Open the target with the same key. For a plaintext copy, use exportPlaintext(to:).")
    case (nil, _?):
      throw refusal(
        "a plaintext database can't be backed up to an encrypted one",
        "SQLCipher would write a file that can't be opened. Use backup(toPath:key:).")
    case (let mine?, let others?):
      guard mine.key.isSameKey(as: others.key) else {
        throw refusal(
          "the backup would be encrypted with another key than the database",
          "Open the target with the same key, or use backup(toPath:key:).")
      }
      guard mine.settings.pageSize == others.settings.pageSize,
        mine.settings.reservedSize == others.settings.reservedSize
      else {
        throw refusal(
          "a backup needs the cipher settings of the database: \(mine.settings)",
          "SQLCipher would write a file that can't be opened. Open the target with the same "
            + "Configuration.cipher.")
      }
    }
  }

  /// Opens the file anew and checks it.
  private func proveBackup() throws {
    guard !isInMemory else { return }
    let fileKey = try keying.map { key, settings in
      let salt = Database.salt(of: path) ?? DerivedKey.randomSalt()
      let known = derivedKey.flatMap { $0.salt == (key.salt ?? salt) ? $0 : nil }
      return try FileKey(key, settings: settings, salt: salt, derived: known)
    }
    try Database.proveCopy(at: path, fileKey, additions)
  }

  /// Throws unless the file is whole, and encrypted as it should be.
  static func proveCopy(
    at path: String, _ key: FileKey?, _ additions: SQLAdditions
  ) throws {
    let connection = try FileConnection(path: path, key: key, additions: additions)
    defer { connection.close() }
    func failure(_ reason: String) -> DatabaseError {
      DatabaseError(
        resultCode: .SQLITE_CORRUPT, message: "the copy can't be used: \(reason)",
        hint: "Delete \(path).")
    }
    do {
      let result = try connection.rows("PRAGMA quick_check(1)")
      guard result == [["ok"]] else { throw failure(result.first?.first ?? "no answer") }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
      throw failure(error.message ?? "\(error)")
    }
    if let key, key.settings.plaintextHeaderSize == 0,
      case .plaintext = DatabaseFile.inspect(at: path).kind
    {
      throw failure("it is not encrypted")
    }
  }
}

extension DatabaseReader {
  /// Replaces the content of another database by this one's.
  ///
  /// As ``Database/backup(to:pagesPerStep:progress:)``; the copy is of one moment.
  public func backup(
    to target: any DatabaseWriter, pagesPerStep: CInt = -1,
    progress: ((DatabaseBackupProgress) throws -> Void)? = nil
  ) throws {
    try target.writeWithoutTransaction { targetDatabase in
      try read { db in
        // The read begins, so that writes between steps don't make the copy begin again.
        _ = try Row.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master")
        try db.backup(to: targetDatabase, pagesPerStep: pagesPerStep, progress: progress)
      }
    }
  }

  /// Writes an encrypted copy to a file that doesn't exist yet.
  ///
  /// The copy gets its name when it is complete and checked. Of a plaintext database a plaintext
  /// copy is made, unless there is a `key`.
  /// - Parameters:
  ///   - key: The copy's key; nil for the same.
  ///   - progress: As that of ``Database/backup(to:pagesPerStep:progress:)``.
  public func backup(
    toPath path: String, key: DatabaseKey? = nil,
    progress: ((DatabaseBackupProgress) throws -> Void)? = nil
  ) throws {
    let source = try unsafeRead { FileIdentity($0) }
    if source.key == nil, let key {
      try source.requireFile()
      try FileConversion(
        source: source.path, sourceKey: nil, target: path,
        targetKey: try .new(key, settings: source.settings), isExclusive: false,
        additions: source.additions,
        progress: progress.map { progress in { try progress(DatabaseBackupProgress($0)) } }
      ).run()
      return
    }
    guard PendingFile.size(of: path) == nil else {
      throw DatabaseError(
        resultCode: .SQLITE_CANTOPEN, message: "there is a file at \(path) already",
        hint: "Delete it first, or choose another path.")
    }
    let targetKey = try (key ?? source.key).map { try FileKey.new($0, settings: source.settings) }
    let file = try PendingFile(for: path)
    let target = try FileConnection(path: file.path, key: targetKey)
    let last = try read { db in
      _ = try Row.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master")
      return try Database.copyPages(
        from: db.openConnection(), to: target.connection, pagesPerStep: progress == nil ? -1 : 256,
        progress: progress)
    }
    target.close()
    try Database.proveCopy(at: file.path, targetKey, source.additions)
    try file.moveToTarget(replaces: false)
    try? progress?(last)
  }

  /// Writes a plaintext copy of an encrypted database to a file that doesn't exist yet.
  ///
  /// The file can be read by its owner alone, and gets its name when it is complete and compared
  /// with the database row by row. Writes wait meanwhile.
  public func exportPlaintext(
    to path: String, progress: ((DatabaseFile.Progress) throws -> Void)? = nil
  ) throws {
    let source = try unsafeRead { FileIdentity($0) }
    guard let key = source.key else { return try backup(toPath: path) }
    try source.requireFile()
    try FileConversion(
      source: source.path,
      sourceKey: try .existing(at: source.path, key: key, settings: source.settings),
      target: path, targetKey: nil, isExclusive: false, additions: source.additions,
      progress: progress
    ).run()
  }

  /// The pages of the file, from 1 on, whose authentication code is wrong: what a disk or somebody
  /// without the key has changed. Reads the whole file.
  ///
  /// As ``Database/checkCipherIntegrity()``.
  public func checkCipherIntegrity() throws -> [Int] {
    try read { try $0.checkCipherIntegrity() }
  }
}

/// What opens a connection's file another time.
private struct FileIdentity {
  let path: String
  let key: DatabaseKey?
  let settings: CipherSettings
  let additions: SQLAdditions
  private let isInMemory: Bool

  init(_ db: Database) {
    path = db.path
    key = db.keying?.key
    settings = db.openingSettings
    additions = db.additions
    isInMemory = db.isInMemory
  }

  func requireFile() throws {
    guard isInMemory else { return }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE, message: "a database in memory can't be exported",
      hint: "Back it up to a file with backup(toPath:), which keeps its key, and use "
        + "DatabaseFile.encrypt or DatabaseFile.decrypt on that.")
  }
}

extension DatabaseBackupProgress {
  /// The progress of a conversion, in thousandths.
  fileprivate init(_ progress: DatabaseFile.Progress) {
    totalPageCount = 1000
    isCompleted = progress.phase == .finished
    let part =
      switch progress.phase {
      case .copying: progress.fraction / 2
      case .verifying: 0.5 + progress.fraction / 2
      case .finished: 1.0
      }
    remainingPageCount = 1000 - Int(part * 1000)
  }
}
