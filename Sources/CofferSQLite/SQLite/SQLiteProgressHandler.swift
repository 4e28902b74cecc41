import CSQLCipher

/// A function that running statements of a connection call at intervals, and which can end them.
@safe package final class SQLiteProgressHandler {
  fileprivate let mayContinue: () -> Bool
  @safe private let connection: SQLiteConnection

  /// - Parameter instructionCount: The approximate number of SQLite's virtual machine instructions
  ///   between two calls.
  @safe package init(
    _ connection: SQLiteConnection, every instructionCount: CInt,
    mayContinue: @escaping () -> Bool
  ) {
    self.mayContinue = mayContinue
    self.connection = unsafe connection
    // SAFETY: `deinit` removes the handler before the object is freed.
    unsafe sqlite3_progress_handler(
      connection, instructionCount,
      { context in
        guard let context = unsafe context else { return 0 }
        let handler = unsafe Unmanaged<SQLiteProgressHandler>.fromOpaque(context)
          .takeUnretainedValue()
        return handler.mayContinue() ? 0 : 1
      }, unsafe Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { unsafe sqlite3_progress_handler(connection, 0, nil, nil) }
}
