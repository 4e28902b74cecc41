import CofferCore

extension Database {
  /// What happens where a constraint fails.
  ///
  /// - Note: <https://www.sqlite.org/lang_conflict.html>
  public enum ConflictResolution: String, Hashable, Sendable {
    /// The transaction is rolled back.
    case rollback = "ROLLBACK"
    /// The statement is undone, and fails: the default.
    case abort = "ABORT"
    /// The statement fails; the rows before stay changed.
    case fail = "FAIL"
    /// The row is left out.
    case ignore = "IGNORE"
    /// The rows in the way are deleted.
    case replace = "REPLACE"
  }
}
