import CSQLCipher

/// Copies one connection's main database over another one's, page by page.
@safe package final class SQLiteBackup {
  // SAFETY: owned by this object; `finish` clears it, and `deinit` calls `finish`.
  @safe private var handle: OpaquePointer?

  /// - Throws: SQLite's code, which is also set in the target connection.
  @safe package init(
    from source: SQLiteConnection, to target: SQLiteConnection
  ) throws(SQLite.Failure) {
    guard let handle = unsafe sqlite3_backup_init(target, "main", source, "main") else {
      throw unsafe SQLite.Failure(code: sqlite3_extended_errcode(target))
    }
    self.handle = unsafe handle
  }

  deinit { finish() }

  /// Copies pages; all remaining ones if the number is negative.
  /// - Returns: `SQLITE_OK`, `SQLITE_DONE`, or an error code.
  package func step(_ pageCount: CInt) -> CInt {
    unsafe handle.map { unsafe sqlite3_backup_step($0, pageCount) } ?? SQLITE_MISUSE
  }

  /// The number of remaining pages, as of the last step.
  package var remainingPageCount: Int {
    unsafe handle.map { unsafe Int(sqlite3_backup_remaining($0)) } ?? 0
  }

  /// The number of pages of the source, as of the last step.
  package var totalPageCount: Int {
    unsafe handle.map { unsafe Int(sqlite3_backup_pagecount($0)) } ?? 0
  }

  /// Ends the copy, and rolls the target back unless a step has returned `SQLITE_DONE`.
  @discardableResult
  package func finish() -> CInt {
    guard let handle else { return SQLITE_OK }
    self.handle = nil
    return unsafe sqlite3_backup_finish(handle)
  }
}
