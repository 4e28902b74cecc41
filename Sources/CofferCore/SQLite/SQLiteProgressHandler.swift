import CSQLCipher

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
