import CofferVault

/// The progress of a backup.
public struct DatabaseBackupProgress: Sendable {
  /// The number of pages left to copy.
  public let remainingPageCount: Int
  /// The number of pages in the source.
  public let totalPageCount: Int
  /// The number of copied pages.
  public var completedPageCount: Int { totalPageCount - remainingPageCount }
  /// Whether the backup is complete, and can no longer be cancelled.
  public let isCompleted: Bool
}

extension Database {
  /// Replaces the content of another database with the content of this database.
  ///
  /// Both databases must have the same key, or both be plaintext: otherwise SQLCipher would fail,
  /// write plaintext, or write a file that can't be opened. The copy is verified by reopening it.
  /// Observers of the target are then notified of a change of unknown rows.
  /// - Parameters:
  ///   - target: The database to overwrite. It keeps its key and salt, and must not be used
  ///     meanwhile.
  ///   - pagesPerStep: The number of pages copied at a time, during which others can't write; all
  ///     if negative.
  ///   - progress: Called after each step. An error that it throws cancels the backup and leaves
  ///     the target unchanged, but is ignored once `isCompleted` is true.
  /// - Throws: ``DatabaseError``; the target is unchanged unless the error says otherwise.
  public func backup(
    to target: Database, pagesPerStep: CInt = -1,
    progress: ((DatabaseBackupProgress) throws -> Void)? = nil
  ) throws {
    try checkAccess()
    try target.checkAccess()
    try refuseBackup(to: target)
    target.statementCache.removeAll()
    defer { target.schemaDidChange() }
    let last = try unsafe copyPages(
      to: target.openConnection(), pagesPerStep: pagesPerStep, progress: progress)
    defer { target.didReplaceContent() }
    // SQLCipher 4.19 has then given zeros for pages.
    if canBeRefusedPages, refusedSchema == "main" {
      let failure = DatabaseError(
        code: ResultCode.SQLITE_CORRUPT.rawValue, connection: try openConnection())
      throw DatabaseError(
        resultCode: failure.extendedResultCode,
        message: "the copy can't be used: \(failure.message ?? "")", hint: failure.hint)
    }
    do {
      try target.proveBackup()
    } catch let error as DatabaseError where error.resultCode != .SQLITE_CORRUPT {
      throw DatabaseError(
        resultCode: error.extendedResultCode,
        message: "the target has the new content, which could not be checked: "
          + (error.message ?? "\(error)"), hint: error.hint)
    }
    try? progress?(last)
  }

  /// Copies all pages of the main database to another connection's.
  ///
  /// - Parameter copy: What reads the target's file ahead, if its connection writes pages soon.
  /// - Returns: The progress to report once the copy is verified.
  func copyPages(
    to target: SQLiteConnection, _ copy: ReadAhead? = nil, pagesPerStep: CInt,
    progress: ((DatabaseBackupProgress) throws -> Void)?
  ) throws -> DatabaseBackupProgress {
    guard pagesPerStep != 0 else {
      throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "pagesPerStep is 0", hint: nil)
    }
    let source = try openConnection()
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
    try keying.readingPagesInOrder(copyingTo: copy) {
      while true {
        let code = backup.step(pagesPerStep)
        if code == SQLite.done { break }
        guard code == SQLite.ok else {
          backup.finish()
          throw DatabaseError(code: code, connection: target)
        }
        try progress?(state(isCompleted: false))
      }
    }
    let last = state(isCompleted: true)
    let code = backup.finish()
    guard code == SQLite.ok else { throw DatabaseError(code: code, connection: target) }
    return last
  }

  /// Tells observers that everything can have changed: SQLite reports nothing of a backup.
  private func didReplaceContent() {
    schemaDidChange()
    commitLog?.didCommitElsewhere()
    observation.tellExternalCommit()
  }

  private func refuseBackup(to target: Database) throws {
    func refusal(_ message: String, _ hint: String) -> DatabaseError {
      DatabaseError(resultCode: .SQLITE_MISUSE, message: message, hint: hint)
    }
    switch (keying.given, target.keying.given) {
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

  /// Reopens the file and checks it.
  private func proveBackup() throws {
    guard !isInMemory else { return }
    let fileKey = try keying.given.map { key, settings in
      let salt = try FileKey.salt(of: path) ?? DerivedKey.randomSalt()
      let known = keying.derived.flatMap { $0.salt == (key.salt ?? salt) ? $0 : nil }
      return try FileKey(key, settings: settings, salt: salt, derived: known)
    }
    try Database.proveCopy(at: path, fileKey, functions.additions)
  }

  /// Throws unless the file is intact and encrypted as it should be.
  static func proveCopy(
    at path: String, _ key: FileKey?, _ additions: SQLAdditions
  ) throws {
    let connection = try FileConnection(
      path: path, key: key, prepare: additions.preparation)
    defer { connection.close() }
    func failure(_ reason: String) -> DatabaseError {
      DatabaseError(
        resultCode: .SQLITE_CORRUPT, message: "the copy can't be used: \(reason)",
        hint: "Delete \(path).")
    }
    do {
      let findings = try connection.findings("PRAGMA quick_check(1)", at: path)
      do { try connection.checkPages() } catch let error as DatabaseError
        where error.resultCode == .SQLITE_CORRUPT
      {
        throw failure(findings.first ?? error.message ?? "")
      }
      if let finding = findings.first { throw failure(finding) }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
      throw failure(error.message ?? "\(error)")
    }
    if let key, try DatabaseFile.isExposed(at: path, despite: key.settings) {
      throw failure("it is not encrypted")
    }
  }
}

extension DatabaseReader {
  /// Replaces the content of another database with the content of this database.
  ///
  /// Works like ``Database/backup(to:pagesPerStep:progress:)``; the copy is of a single moment.
  public func backup(
    to target: any DatabaseWriter, pagesPerStep: CInt = -1,
    progress: ((DatabaseBackupProgress) throws -> Void)? = nil
  ) throws {
    try target.writeWithoutTransaction { targetDatabase in
      try read { db in
        // Begins the read, so that writes between the steps don't restart the copy.
        _ = try Row.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master")
        try db.backup(to: targetDatabase, pagesPerStep: pagesPerStep, progress: progress)
      }
    }
  }

  /// Writes a copy to a file that doesn't exist yet, encrypted with the database's key or `key`.
  ///
  /// The file gets its name once it is complete and verified. The copy of a plaintext database is
  /// plaintext unless there is a `key`.
  /// - Parameters:
  ///   - key: The copy's key; nil for the database's key.
  ///   - progress: See ``Database/backup(to:pagesPerStep:progress:)``.
  public func backup(
    toPath path: String, key: DatabaseKey? = nil,
    progress: ((DatabaseBackupProgress) throws -> Void)? = nil
  ) throws {
    let source = try unsafeRead { FileIdentity($0) }
    if source.key == nil, let key {
      try source.requireFile()
      try FileConversion(
        source: source.path, sourceKey: nil, target: path,
        targetKey: try .new(key, settings: source.settings, at: path), isExclusive: false,
        prepare: source.additions.preparation,
        progress: progress.map { progress in { try progress(DatabaseBackupProgress($0)) } }
      ).run()
      return
    }
    guard PendingFile.size(of: path) == nil else {
      throw DatabaseError(
        resultCode: .SQLITE_CANTOPEN, message: "there is a file at \(path) already",
        hint: "Delete it first, or choose another path.")
    }
    let targetKey = try (key ?? source.key).map {
      try FileKey.new($0, settings: source.settings, at: path)
    }
    let slots = try targetKey.flatMap {
      try KeySlotsChange(copying: $0.key, ofDatabaseAt: source.path, toDatabaseAt: path)
    }
    defer { slots?.cancel() }
    let file = try PendingFile(for: path)
    let target = try FileConnection(
      path: file.path, key: targetKey, prepare: SQLAdditions().preparation)
    // Nothing else is opened beside the file, where another user could have put it.
    try target.run("PRAGMA journal_mode = MEMORY")
    try target.run("PRAGMA cache_size = \(ReadAhead.nearPages)")
    let last = try read { db in
      _ = try Row.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master")
      return try unsafe db.copyPages(
        to: target.connection, target.readAhead, pagesPerStep: progress == nil ? -1 : 256,
        progress: progress)
    }
    target.close()
    try Database.proveCopy(at: file.path, targetKey, source.additions)
    try file.moveToTarget(replaces: false) { slots?.finish() }
    try? progress?(last)
  }

  /// Writes a plaintext copy of an encrypted database to a file that doesn't exist yet.
  ///
  /// Only the file's owner can read it. It gets its name once it is complete and has been compared
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
      target: path, targetKey: nil, isExclusive: false, prepare: source.additions.preparation,
      progress: progress
    ).run()
  }

  /// Returns the pages whose authentication code is wrong.
  ///
  /// Pages are numbered from 1. A wrong code means that the page was changed without the key, or by
  /// a disk fault. Reads the whole file.
  ///
  /// See ``Database/checkCipherIntegrity()``.
  public func checkCipherIntegrity() throws -> [Int] {
    try read { try $0.checkCipherIntegrity() }
  }
}

/// The data needed to open a connection's file again.
private struct FileIdentity {
  let path: String
  let key: DatabaseKey?
  let settings: CipherSettings
  let additions: SQLAdditions
  private let isInMemory: Bool

  init(_ db: Database) {
    path = db.path
    key = db.keying.given?.key
    settings = db.openingSettings
    additions = db.functions.additions
    isInMemory = db.isInMemory
  }

  func requireFile() throws {
    guard isInMemory else { return }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE, message: "a database in memory can't be exported",
      hint: "Back it up to a file with backup(toPath:), which keeps its key, and use "
        + "DatabaseFile.encrypt or DatabaseFile.decrypt on the backup.")
  }
}

extension DatabaseBackupProgress {
  /// Converts the progress of a conversion, in thousandths.
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
