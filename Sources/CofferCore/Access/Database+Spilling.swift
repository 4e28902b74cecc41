import CofferVault

// With a write-ahead log, SQLite itself must not write pages before the commit, since it can lose
// commits (SQLite 3.46.1, and others): a page that is written to the log twice has its frame
// overwritten, and from then on frames get their checksums at the commit, from the first
// overwritten one on. If a savepoint is undone, the log is continued before that frame, and the
// frames up to it keep no checksum. The connection doesn't notice, but whoever opens the log next
// ignores this commit, and all later ones.
//
// So the pages of a transaction stay in memory while anything can be undone alone, and the library
// writes them between two statements while no savepoint is open. What a single statement changes
// stays in memory until its end.
extension Database {
  /// As many pages as no cache has, so that SQLite writes none by itself. With spilling off,
  /// `sqlite3_db_cacheflush` would do nothing; SQLite reads the number's low byte as the switch.
  private static let allPages = 1_999_999_999

  /// The size in bytes to which a log is cut that a large transaction has left, unless the
  /// application has set another one.
  private static let logSize = 64 << 20

  /// Keeps the pages that transactions change in memory until the library writes them.
  func setUpChangedPages() throws {
    try withoutTracing {
      try runSetting("PRAGMA main.cache_spill = \(Database.allPages)")
      // Only a preparation can have set it.
      if try configuration.preparations.isEmpty
        || setting("PRAGMA main.journal_size_limit") == "-1"
      {
        try runSetting("PRAGMA main.journal_size_limit = \(Database.logSize)")
      }
    }
    if hooks.authorizer.hasAttached { keepAttachedPages() }
  }

  /// Keeps the changed pages of attached files in memory, too, except with rollback journals.
  ///
  /// What fails, as after an interruption, is done again before the next transaction.
  func keepAttachedPages() {
    hooks.authorizer.hasAttached = true
    try? withoutTracing {
      for (number, name) in try SQLite.schemaNames(openConnection()) where number > 1 {
        let schema = name.quotedDatabaseIdentifier
        // A file that can't be read yet may have a log.
        let mode = try? setting("PRAGMA \(schema).journal_mode")
        let pages = mode == "wal" || mode == nil ? Database.allPages : 1
        try runSetting("PRAGMA \(schema).cache_spill = \(pages)")
      }
      hooks.authorizer.hasAttached = false
    }
  }

  /// Executes `body`, which undoes no savepoint, and lets SQLite write pages before the commit.
  func spilling<T>(_ body: () throws -> T) rethrows -> T {
    let isKept =
      (try? withoutTracing { try setting("PRAGMA main.cache_spill") }) == "\(Database.allPages)"
    if isKept { _ = setSpilling(after: 1) }
    defer { if isKept { keepPagesAgain() } }
    return try body()
  }

  /// Keeps changed pages in memory again, before a savepoint can be undone.
  private func keepPagesAgain() {
    guard unsafe sqliteConnection != nil, setSpilling(after: Database.allPages) != SQLite.ok
    else { return }
    postpone("keeping changed pages in memory") { [unowned self] _ in
      setSpilling(after: Database.allPages)
    }
  }

  private func setSpilling(after pages: Int) -> CInt {
    do {
      try withoutTracing { try runSetting("PRAGMA main.cache_spill = \(pages)") }
      return SQLite.ok
    } catch {
      return (error as? DatabaseError)?.extendedResultCode.rawValue ?? SQLite.error
    }
  }

  /// Rebuilds the file.
  func vacuum() throws {
    try ReadOnlyFile.retryingReads(of: isInMemory ? [] : [path]) {
      try spilling { try execute(sql: "VACUUM") }
    }
  }

  // MARK: Between statements

  /// Counts a statement that has written, and writes the changed pages if there are many.
  @inline(__always)
  func boundChangedPages() throws {
    if cache.changedPages.isDue() { try lookAtChangedPages() }
  }

  private func lookAtChangedPages() throws {
    let connection = try openConnection()
    let isDue = cache.changedPages.look(
      SQLite.cacheBytes(connection), transaction: hooks.transactionCount,
      isInside: !SQLite.isAutocommit(connection))
    guard isDue, try canWriteChangedPages(in: connection) else { return }
    if cache.changedPages.batchCount > 0 { try mergeBatches() }
    let code = SQLite.writeChangedPages(connection)
    cache.changedPages.didWrite(SQLite.cacheBytes(connection))
    // A file that others have locked is left for later.
    guard code != SQLite.ok, code & 0xFF != ResultCode.SQLITE_BUSY.rawValue else { return }
    throw translated(DatabaseError(code: code, connection: connection))
  }

  /// Whether nothing of what the transaction has changed can be undone alone.
  @safe private func canWriteChangedPages(in connection: SQLiteConnection) throws -> Bool {
    guard observation.savepoints.count == cache.changedPages.batchCount,
      !hooks.authorizer.hasForeignSavepoint, !SQLite.isWriting(connection)
    else { return false }
    return try withoutTracing { try setting("PRAGMA main.journal_mode") } == "wal"
  }
}
