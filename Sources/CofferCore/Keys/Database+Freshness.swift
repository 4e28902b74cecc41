import CofferVault
import Glibc

/// What keeps a connection's anchor up to date.
final class FreshnessLink {
  /// Follows the commits; nil without freshness, and for readers.
  var session: FreshnessSession?
  /// Whether the file was compared with its anchor.
  var isVerified = false
  /// The reason why the last record or the anchor couldn't be written at closing.
  var failure: (any Error)?
}

extension Database {
  // MARK: Opening

  /// Compares the file with its anchor, and begins a session if the connection can write.
  ///
  /// This comes before SQLite reads the file, since it would play back a log or a journal that was
  /// put there. With a wrong key it would do so as well, and move the log to the file at closing:
  /// so a wrong key is told here.
  func verifyFreshness() throws {
    guard let settings = configuration.freshness, !freshness.isVerified else { return }
    try tellingReadFailures { try verify(settings) }
  }

  /// Executes `body`, whose failures to read the files become errors that users know.
  private func tellingReadFailures<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as ReadOnlyFileError {
      throw error.databaseError(path)
    } catch let error as RawFileError {
      throw FreshnessError.recordUnavailable(reason: "\(error)")
    }
  }

  private func verify(_ freshness: Freshness) throws {
    let key = try keyForFreshness()
    if DatabaseFile.size(at: path) ?? 0 <= 1 {
      guard try Freshness.load(freshness.anchor, forDatabaseAt: path) == nil else {
        throw FreshnessDifference(.otherDatabase).error
      }
      return
    }
    if openingKey?.isPassphrase == true, try FileKey.salt(of: path) != key.salt {
      throw SaltRace()
    }
    let opening = try FreshnessOpening(
      path: PendingFile.resolved(path), freshness: freshness, key: key, settings: openingSettings,
      writes: !configuration.readonly)
    guard try opening.isKeyRight(key) else { throw wrongKeyError() }
    guard let verified = try opening.verify() else {
      guard !configuration.readonly else { throw FreshnessError.anchorMissing }
      return
    }
    self.freshness.isVerified = true
    if !configuration.readonly { try follow(opening.begin(verified)) }
  }

  private func wrongKeyError() -> DatabaseError {
    let failure = DatabaseError(
      resultCode: .SQLITE_NOTADB, message: ResultCode.SQLITE_NOTADB.errorString)
    let diagnosed = failure.diagnosed(
      path: path, key: openingKey, settings: openingSettings, derived: keying.derived)
    // The file can still have the old key, and its log the new one.
    return diagnosed.cipherDiagnosis == nil
      ? DatabaseError(failure, diagnosis: .wrongKey) : diagnosed
  }

  /// Makes the anchor of a database that has none.
  func beginFreshness() throws {
    guard let settings = configuration.freshness, !freshness.isVerified else { return }
    try verifyFreshness()
    guard !freshness.isVerified else { return }
    guard settings.createsAnchor, !configuration.readonly else {
      throw FreshnessError.anchorMissing
    }
    try tellingReadFailures {
      let opening = try FreshnessOpening(
        path: PendingFile.resolved(path), freshness: settings, key: keyForFreshness(),
        settings: openingSettings, writes: true)
      try follow(opening.beginFirst())
    }
    freshness.isVerified = true
  }

  /// The derived key.
  ///
  /// - Throws: ``FreshnessError/unsupported(reason:)`` if the database can't have freshness.
  private func keyForFreshness() throws -> DerivedKey {
    guard !isInMemory else {
      throw FreshnessError.unsupported(reason: "the database is in memory")
    }
    guard isKeyed else {
      throw FreshnessError.unsupported(reason: "the database is not encrypted")
    }
    guard openingSettings.usesHMAC else { throw Freshness.needsHMAC }
    if let derived = keying.derived { return derived }
    guard let openingKey else {
      throw FreshnessError.unsupported(reason: "the database is not encrypted")
    }
    let key = try FileKey.existing(at: path, key: openingKey, settings: openingSettings)
    guard let derived = key.derived else { throw Freshness.needsLibCrypto }
    return derived
  }

  /// Makes the session follow the connection's commits and checkpoints.
  private func follow(_ session: FreshnessSession?) throws {
    freshness.session = session
    let checkpointer = checkpointer ?? Checkpointer(configuration.checkpointPolicy, commitLog)
    if let session { checkpointer.add(session, isFirst: true) }
    self.checkpointer = checkpointer
    SQLite.setWALHook(checkpointer, in: try openConnection())
  }

  // MARK: Checkpoints

  /// Moves frames from the log to the file, after they were recorded. A mode that waits for readers
  /// waits for a writer, too.
  func runCheckpoint(
    schema: String?, mode: CInt
  ) throws -> CheckpointResult {
    var count = 0
    while true {
      let result = try runCheckpointOnce(schema: schema, mode: mode)
      // A guarded checkpoint that a writer keeps from beginning doesn't wait for it.
      guard CheckpointGuard.isNeeded, mode != SQLite.passiveCheckpoint,
        ResultCode(rawValue: result.code).primaryResultCode == .SQLITE_BUSY, result.walFrames < 0,
        hooks.busyWait?.shouldRetry(count: count) == true
      else { return result }
      count += 1
    }
  }

  /// Runs a checkpoint of the main schema, of whose failure nobody is told, neither then nor with a
  /// later error.
  ///
  /// - Returns: SQLite's code; nil if the checkpoint couldn't begin.
  @discardableResult
  func tryCheckpoint(mode: CInt) -> CInt? {
    defer { if let connection = sqliteConnection { SQLite.takeReadFailure(connection) } }
    return try? runCheckpoint(schema: "main", mode: mode).code
  }

  private func runCheckpointOnce(
    schema: String?, mode: CInt
  ) throws -> CheckpointResult {
    let connection = try openConnection()
    guard let checkpointer, schema == nil || schema?.lowercased() == "main" else {
      return SQLite.checkpoint(connection, schema: schema, mode: mode)
    }
    guard let result = checkpointer.checkpoint(connection, schema: schema, mode: mode) else {
      throw freshness.session?.failure ?? DatabaseError(resultCode: .SQLITE_BUSY)
    }
    return result
  }

  // MARK: Closing

  /// Writes the last record and the anchor of a connection whose statements are finalized.
  @safe func endFreshness(_ connection: SQLiteConnection) {
    guard let session = freshness.session else { return }
    freshness.session = nil
    freshness.isVerified = false
    checkpointer?.remove(session)
    if !SQLite.isAutocommit(connection) { _ = SQLite.run(connection, "ROLLBACK") }
    do {
      try session.close {
        SQLite.setBusyTimeout(connection, milliseconds: 100)
        // Where a connection can't read the log's index, SQLite 3.15's checkpoint crashes.
        let read = "SELECT 1 FROM sqlite_master LIMIT 1"
        guard SQLite.run(connection, read) == SQLite.ok else { return }
        // An archive goes on with the log.
        let mode =
          checkpointer?.keepsLog == true ? SQLite.passiveCheckpoint : SQLite.truncatingCheckpoint
        _ = SQLite.checkpoint(connection, schema: "main", mode: mode)
      }
    } catch {
      freshness.failure = error
      // No record says what SQLite would move to the file.
      SQLite.keepLogAtClose(connection)
      session.finishWork()
    }
  }

  /// Ends the session as if the process were killed.
  func abandonFreshness() {
    if let session = freshness.session {
      session.abandon()
      checkpointer?.remove(session)
    }
    freshness.session = nil
    freshness.isVerified = false
  }

  // MARK: Checks

  /// Compares the files of the database with an anchor.
  func checkFreshness(against anchor: any FreshnessAnchor) throws {
    guard !isInsideTransaction else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "freshness can't be checked inside a transaction")
    }
    let key = try keyForFreshness()
    if let session = freshness.session {
      return try tellingReadFailures { try session.check(anchor) }
    }
    // Keeps other connections of the process from moving the log to the file.
    try beginTransaction(.deferred)
    defer { rollbackAfterError() }
    try establishSnapshot()
    try tellingReadFailures {
      let opening = try FreshnessOpening(
        path: PendingFile.resolved(path),
        freshness: Freshness(anchor: anchor, createsAnchor: false), key: key,
        settings: openingSettings, writes: false)
      _ = try opening.verify()
    }
  }
}

extension DatabaseWriter {
  /// Compares the files of the database with an anchor, as opening does.
  ///
  /// A database that was opened with this anchor writes it first: so this also shows whether the
  /// anchor can be written. Waits for the write that is under way, and reads the HMAC of each page.
  ///
  /// ```swift
  /// try queue.check(against: FileAnchor(path: "/srv/anchors/vault"))
  /// ```
  /// - Throws: ``DatabaseError`` with ``CipherDiagnosis/replaced(_:)`` if the files aren't the
  ///   newest, or ``FreshnessError``.
  public func check(against anchor: some FreshnessAnchor) throws {
    try writeWithoutTransaction { try $0.checkFreshness(against: anchor) }
  }
}
