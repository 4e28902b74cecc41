import CofferSQLite
import Synchronization

/// SQLCipher's log, which is that of the whole process.
package enum CipherLog {
  /// SQLCipher's name for what is logged.
  package static var level: String {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  private static let current = Mutex("NONE")

  /// Sets the log's level again, which keeps SQLCipher from writing to standard error by default.
  ///
  /// - Precondition: The connection has a key: the process's first key resets the log level.
  @safe package static func setLevel(of connection: SQLiteConnection) throws {
    guard SQLiteFeatures.linked.logsToStandardError else { return }
    try LibrarySQL.run(
      "PRAGMA cipher_log_level = \(level.quotedDatabaseIdentifier)", in: connection)
  }
}
