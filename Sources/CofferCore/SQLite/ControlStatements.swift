import CSQLCipher

/// The statements that begin and end transactions, prepared when first needed.
///
/// They are run without a `Statement`, since every access runs them.
package final class ControlStatements {
  package enum Kind: Int, CaseIterable {
    case beginDeferred, beginImmediate, beginExclusive, commit, rollback
    /// Fails where SQLCipher has found a damaged page since the transaction began.
    case touchSchema

    fileprivate var sql: String {
      switch self {
      case .beginDeferred: "BEGIN DEFERRED TRANSACTION"
      case .beginImmediate: "BEGIN IMMEDIATE TRANSACTION"
      case .beginExclusive: "BEGIN EXCLUSIVE TRANSACTION"
      case .commit: "COMMIT TRANSACTION"
      case .rollback: "ROLLBACK TRANSACTION"
      case .touchSchema: "SELECT 1 FROM sqlite_master LIMIT 1"
      }
    }
  }

  private var handles: [SQLiteStatement?] = Array(repeating: nil, count: Kind.allCases.count)

  /// - Returns: SQLite's result code.
  package func run(_ kind: Kind, in connection: SQLiteConnection) -> CInt {
    if handles[kind.rawValue] == nil {
      var handle: SQLiteStatement?
      let code = coffer_prepare(connection, kind.sql, -1, 1, &handle, nil)
      guard code == SQLITE_OK else { return code }
      handles[kind.rawValue] = handle
    }
    guard let handle = handles[kind.rawValue] else { return SQLITE_NOMEM }
    let code = sqlite3_step(handle)
    sqlite3_reset(handle)
    return code == SQLITE_DONE || code == SQLITE_ROW ? SQLITE_OK : code
  }

  package func sql(_ kind: Kind) -> String { kind.sql }

  package func finalizeAll() {
    for handle in handles { sqlite3_finalize(handle) }
    handles = Array(repeating: nil, count: Kind.allCases.count)
  }
}
