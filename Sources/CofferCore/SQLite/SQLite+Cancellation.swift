import CSQLCipher
import CofferVault

extension SQLite {
  /// Makes statements of the connection end with `SQLITE_INTERRUPT` once their access is cancelled.
  ///
  /// `sqlite3_interrupt` alone would miss a statement that is about to take its first step, which
  /// clears the flag. <https://sqlite.org/c3ref/progress_handler.html>
  @safe static func setCancellation(_ interruption: Interruption?, in connection: SQLiteConnection)
  {
    guard let interruption else {
      unsafe sqlite3_progress_handler(connection, 0, nil, nil)
      return
    }
    // SAFETY: the database retains it, and removes the handler before it closes.
    let context = unsafe Unmanaged.passUnretained(interruption).toOpaque()
    unsafe sqlite3_progress_handler(connection, 1_000, didProgress, context)
  }
}

extension SQLite {
  /// Resets the statements that virtual tables have left running, so that an interruption can end.
  ///
  /// An interruption lasts as long as any statement runs. After an interrupted write, FTS5 keeps a
  /// blob handle on its index, which counts as a running statement, until the end of the
  /// transaction; and no `ROLLBACK` begins before that. FTS5 repositions the handle before it reads
  /// through it again.
  ///
  /// Call it only when no statement of the caller is running.
  @safe static func endInternalStatements(_ connection: SQLiteConnection) {
    var statement = unsafe sqlite3_next_stmt(connection, nil)
    while let current = unsafe statement {
      if unsafe sqlite3_stmt_busy(current) != 0 { unsafe sqlite3_reset(current) }
      unsafe statement = unsafe sqlite3_next_stmt(connection, current)
    }
  }
}

/// Called at intervals of 1000 instructions of a statement.
private func didProgress(context: UnsafeMutableRawPointer?) -> CInt {
  guard let context = unsafe context else { return 0 }
  unsafe Unmanaged<Interruption>.fromOpaque(context)._withUnsafeGuaranteedRef {
    if $0.isCancelled.load(ordering: .relaxed) { $0.interrupt() }
  }
  // A non-zero result would end the statement, but SQLite also calls this after a statement has
  // committed, which would then be reported as failed.
  return 0
}
