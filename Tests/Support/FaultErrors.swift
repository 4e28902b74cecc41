import Coffer

extension DatabaseError {
  /// Whether this is the error of a call of SQLite that was made to fail.
  ///
  /// - Parameter isMemory: Whether that was an allocation, and not a call of files.
  package func isOfFault(isMemory: Bool) -> Bool {
    switch resultCode {
    case .SQLITE_NOMEM: isMemory
    case .SQLITE_IOERR:
      // The SQLite of SQLCipher 3 can tell missing memory with the code of an earlier failure to
      // read.
      !isMemory || extendedResultCode == .SQLITE_IOERR_NOMEM
        || Database.sqliteLibVersionNumber < 3_021_000 && extendedResultCode == .SQLITE_IOERR_READ
    case .SQLITE_FULL, .SQLITE_BUSY, .SQLITE_CANTOPEN, .SQLITE_PROTOCOL: !isMemory
    // A read, or memory in SQLCipher 3, that fails while SQLite compiles a statement can roll back
    // without a word: the statement then finds no transaction.
    case .SQLITE_ABORT: true
    default: false
    }
  }
}
