import CSQLCipher

/// A function that running statements of a connection call at intervals, and which can end them.
final class SQLiteProgressHandler {
  fileprivate let mayContinue: () -> Bool
  private let connection: SQLiteConnection

  /// - Parameter instructionCount: The approximate number of SQLite's virtual machine instructions
  ///   between two calls.
  init(
    _ connection: SQLiteConnection, every instructionCount: CInt,
    mayContinue: @escaping () -> Bool
  ) {
    self.mayContinue = mayContinue
    self.connection = connection
    // SAFETY: `deinit` removes the handler before the object is freed.
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
