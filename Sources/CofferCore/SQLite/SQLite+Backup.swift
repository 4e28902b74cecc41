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

/// What a connection's statements ask now and then, and whether they may go on.
package final class SQLiteProgressHandler {
  fileprivate let mayContinue: () -> Bool
  private let connection: SQLiteConnection

  /// - Parameter instructionCount: How many instructions of SQLite's machine
  ///   lie between two calls, about.
  package init(
    _ connection: SQLiteConnection, every instructionCount: CInt,
    mayContinue: @escaping () -> Bool
  ) {
    self.mayContinue = mayContinue
    self.connection = connection
    // SAFETY: `deinit` takes the address back, before the object goes.
    sqlite3_progress_handler(
      connection, instructionCount,
      { context in
        guard let context else { return 0 }
        let handler = Unmanaged<SQLiteProgressHandler>.fromOpaque(context).takeUnretainedValue()
        return handler.mayContinue() ? 0 : 1
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { sqlite3_progress_handler(connection, 0, nil, nil) }
}

extension SQLite {
  /// Checkpoints wait for readers, and cut the WAL to nothing.
  package static var truncatingCheckpoint: CInt { SQLITE_CHECKPOINT_TRUNCATE }
  package static var restartingCheckpoint: CInt { SQLITE_CHECKPOINT_RESTART }
  package static var passiveCheckpoint: CInt { SQLITE_CHECKPOINT_PASSIVE }

  /// Binds text without a copy of it: the bytes have to outlive the binding.
  package static func bindStaticText(
    _ utf8: UnsafeRawBufferPointer, to statement: SQLiteStatement, at index: CInt
  ) -> CInt {
    guard let start = utf8.baseAddress else { return SQLITE_MISUSE }
    return coffer_bind_text_static(
      statement, index, start.assumingMemoryBound(to: CChar.self), UInt64(utf8.count))
  }
}
