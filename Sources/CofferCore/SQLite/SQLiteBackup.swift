import CSQLCipher

/// A copy of one connection's main database over another one's, page by page.
package final class SQLiteBackup {
  // SAFETY: this object's own; `finish` clears it, and `deinit` calls that.
  private var handle: OpaquePointer?

  /// - Throws: SQLite's code, which it leaves in the target connection.
  package init(
    from source: SQLiteConnection, to target: SQLiteConnection
  ) throws(SQLite.Failure) {
    guard let handle = sqlite3_backup_init(target, "main", source, "main") else {
      throw SQLite.Failure(code: sqlite3_extended_errcode(target))
    }
    self.handle = handle
  }

  deinit { finish() }

  /// Copies pages: all that are left where the number is negative.
  /// - Returns: OK, DONE, or a failure.
  package func step(_ pageCount: CInt) -> CInt {
    handle.map { sqlite3_backup_step($0, pageCount) } ?? SQLITE_MISUSE
  }

  /// Pages that are left, as of the last step.
  package var remainingPageCount: Int { handle.map { Int(sqlite3_backup_remaining($0)) } ?? 0 }

  /// Pages of the source, as of the last step.
  package var totalPageCount: Int { handle.map { Int(sqlite3_backup_pagecount($0)) } ?? 0 }

  /// Ends the copy, and rolls the target back unless a step has said DONE.
  @discardableResult
  package func finish() -> CInt {
    guard let handle else { return SQLITE_OK }
    self.handle = nil
    return sqlite3_backup_finish(handle)
  }
}
