import CofferCore

extension Database {
  /// How SQLite resolves a violation of a constraint.
  ///
  /// - Note: <https://www.sqlite.org/lang_conflict.html>
  public enum ConflictResolution: String, Hashable, Sendable {
    /// Fails, and rolls back the transaction.
    case rollback = "ROLLBACK"
    /// Fails, and undoes the statement; the default.
    case abort = "ABORT"
    /// Fails, but keeps the statement's previous changes.
    case fail = "FAIL"
    /// Skips the row.
    case ignore = "IGNORE"
    /// Deletes the conflicting rows.
    case replace = "REPLACE"
  }
}
