import CSQLCipher

extension SQLite {
  /// Makes statements of the connection end with `SQLITE_INTERRUPT` once the
  /// access that they belong to is cancelled.
  ///
  /// `sqlite3_interrupt` alone would miss a statement that is about to take its
  /// first step, which clears the mark. <https://sqlite.org/c3ref/progress_handler.html>
  static func installCancellation(_ interruption: Interruption, in connection: SQLiteConnection) {
    // SAFETY: the database retains it until the connection is closed.
    let context = Unmanaged.passUnretained(interruption).toOpaque()
    sqlite3_progress_handler(connection, 2_000, isCancelled, context)
  }
}

private func isCancelled(context: UnsafeMutableRawPointer?) -> CInt {
  guard let context else { return 0 }
  return Unmanaged<Interruption>.fromOpaque(context)._withUnsafeGuaranteedRef {
    $0.isCancelled.load(ordering: .relaxed) ? 1 : 0
  }
}
