import CSQLCipher
import CofferVault

extension SQLite {
  /// Installs `hooks`, which must live until they are removed.
  @safe static func installHooks(_ hooks: TransactionObservation, in connection: SQLiteConnection) {
    installCommitHooks(hooks, in: connection)
    // SAFETY: as there.
    _ = unsafe sqlite3_update_hook(connection, didChange, context(hooks))
  }

  /// Installs the hooks for commits and rollbacks only.
  @safe static func installCommitHooks(
    _ hooks: TransactionObservation, in connection: SQLiteConnection
  ) {
    // SAFETY: the database retains the hooks, and removes them before it closes.
    let context = unsafe context(hooks)
    _ = unsafe sqlite3_commit_hook(connection, willCommit, context)
    _ = unsafe sqlite3_rollback_hook(connection, didRollback, context)
  }

  /// Sets the checkpointer that SQLite notifies of the WAL's length after a commit, and which must
  /// live until it is removed. It replaces SQLite's automatic checkpoints.
  @safe static func setWALHook(_ checkpointer: Checkpointer?, in connection: SQLiteConnection) {
    // SAFETY: the database retains it, and removes the hook before it closes.
    unsafe sqlite3_wal_hook(
      connection, checkpointer == nil ? nil : didWriteLog, context(checkpointer))
  }

  @safe static func removeHooks(from connection: SQLiteConnection) {
    _ = unsafe sqlite3_commit_hook(connection, nil, nil)
    _ = unsafe sqlite3_rollback_hook(connection, nil, nil)
    _ = unsafe sqlite3_update_hook(connection, nil, nil)
  }
}

private func context(_ object: AnyObject?) -> UnsafeMutableRawPointer? {
  unsafe object.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
}

private func willCommit(context: UnsafeMutableRawPointer?) -> CInt {
  guard let context = unsafe context else { return 0 }
  return unsafe Unmanaged<TransactionObservation>.fromOpaque(context)._withUnsafeGuaranteedRef {
    $0.sqliteWillCommit() ? 0 : 1
  }
}

private func didWriteLog(
  context: UnsafeMutableRawPointer?, connection: OpaquePointer?, schema: UnsafePointer<CChar>?,
  pageCount: CInt
) -> CInt {
  guard let context = unsafe context, let connection = unsafe connection, let schema = unsafe schema
  else { return SQLITE_OK }
  unsafe Unmanaged<Checkpointer>.fromOpaque(context)._withUnsafeGuaranteedRef {
    let schema = unsafe String(cString: schema)
    let isDue = $0.didCommit(
      connection, pageCount: Int(pageCount), isMain: schema == "main")
    // The commit has succeeded even if the checkpoint fails.
    if isDue { $0.moveToFile(connection, schema: schema) }
  }
  return SQLITE_OK
}

private func didRollback(context: UnsafeMutableRawPointer?) {
  guard let context = unsafe context else { return }
  unsafe Unmanaged<TransactionObservation>.fromOpaque(context)._withUnsafeGuaranteedRef {
    $0.sqliteDidRollback()
  }
}

private func didChange(
  context: UnsafeMutableRawPointer?, kind: CInt, schema: UnsafePointer<CChar>?,
  table: UnsafePointer<CChar>?, rowID: sqlite3_int64
) {
  guard let context = unsafe context, let schema = unsafe schema, let table = unsafe table,
    let kind = DatabaseEvent.Kind(rawValue: kind)
  else {
    return
  }
  unsafe Unmanaged<TransactionObservation>.fromOpaque(context)._withUnsafeGuaranteedRef {
    $0.sqliteDidChange(kind, schema: schema, table: table, rowID: rowID)
  }
}

// MARK: Waiting for locks

extension SQLite {
  /// Sets the handler that SQLite asks whether to retry when another connection has locked the
  /// database; nil disables waiting.
  @safe static func setBusyWait(_ wait: BusyWait?, in connection: SQLiteConnection) {
    // SAFETY: the database retains the wait, and removes it before it closes.
    unsafe sqlite3_busy_handler(connection, wait == nil ? nil : databaseIsBusy, context(wait))
  }
}

private func databaseIsBusy(context: UnsafeMutableRawPointer?, count: CInt) -> CInt {
  guard let context = unsafe context else { return 0 }
  return unsafe Unmanaged<BusyWait>.fromOpaque(context)._withUnsafeGuaranteedRef {
    $0.shouldRetry(count: Int(count)) ? 1 : 0
  }
}
