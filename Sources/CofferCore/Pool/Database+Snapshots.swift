import CofferVault

extension Database {
  /// Opens a file for a snapshot of its current state.
  static func openForSnapshot(_ path: String, _ configuration: Configuration) throws -> Database {
    var configuration = configuration
    // A snapshot compares the file with the anchor, and leaves it to others to go on.
    if configuration.freshness != nil { configuration.readonly = true }
    configuration.journalMode = .default
    configuration.allowsUnsafeTransactions = false
    let database = try Opening(
      path: path, name: configuration.connectionName("DatabaseSnapshot"),
      configuration: configuration
    ).finish()
    try database.gate.withAccess { () throws in try database.requireWAL() }
    return database
  }

  private func requireWAL() throws {
    let mode = try setting("PRAGMA main.journal_mode")
    guard mode == "wal" else {
      throw DatabaseError(
        resultCode: .SQLITE_ERROR, message: "a snapshot needs a file in WAL mode",
        hint: "The journal mode of \(path) is \(mode ?? "unknown"). Open it with a DatabasePool.")
    }
  }

  func requireNoTransaction(_ what: String) throws {
    guard !isInsideTransaction else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "\(what) can't be created inside a transaction",
        hint: "Other connections don't see the changes of the transaction yet.")
    }
  }

  /// Throws if the statements of this access can see another state than the last commit.
  private func requireLastCommit() throws {
    guard isSnapshotEstablished else { return }
    guard let commitLog, !commitLog.hasWritten else {
      throw DatabaseError(
        resultCode: .SQLITE_ERROR,
        message: "a snapshot pool can't keep the state that a transaction sees",
        hint: "Create it before the first statement of a read, or before a transaction writes: it "
          + "keeps the last commit.")
    }
  }

  /// Opens connections that all see the last commit, which a read without a statement so far then
  /// sees too.
  func openSnapshots(_ configuration: Configuration?) throws -> [SerializedDatabase] {
    try checkAccess()
    try requireLastCommit()
    try requireWAL()
    let settings = sharedConfiguration.value
    var reader = configuration ?? settings.configuration
    reader.key = reader.key ?? settings.configuration.key
    reader.readonly = true
    reader.journalMode = .default
    reader.freshness = nil
    reader.allowsUnsafeTransactions = false
    // Connections with other settings have a budget of their own, too.
    let budget =
      configuration == nil ? cache.budget : CacheBudget(byteCount: reader.cacheSize)
    let snapshots = try (1...max(1, reader.maximumReaderCount)).map { number in
      SerializedDatabase(
        try Opening(
          path: path, name: reader.connectionName("DatabaseSnapshotPool", "reader.\(number)"),
          configuration: reader, knownKey: settings.knownKey, cacheBudget: budget
        ).finish())
    }
    try beginTogether(snapshots)
    return snapshots
  }

  /// Begins reads that all see the same commit: on `snapshots`, of which there is at least one, and
  /// in this access if its transaction is pending.
  ///
  /// This blocks no commits. One of the connections reads the data version before the others begin,
  /// and again when it begins last. If the versions differ, all begin again.
  func beginTogether(_ snapshots: [SerializedDatabase]) throws {
    let isOwing = accessState.contains(.pendingTransaction)
    let witness = snapshots[0]
    // Beginning takes less time than most commits. The limit is for a connection that commits
    // continuously.
    for _ in 0..<10_000 {
      try checkCancellation()
      let before = try witness.sync { try $0.dataVersion() }
      for snapshot in snapshots.dropFirst() { try snapshot.beginSnapshot() }
      if isOwing { try establishSnapshot() }
      if try witness.beginSnapshot() == before { return }
      for snapshot in snapshots { try snapshot.endSnapshot() }
      if isOwing { try renewPendingTransaction() }
    }
    throw DatabaseError(
      resultCode: .SQLITE_BUSY, message: "the snapshot can't begin between two commits",
      hint: "Other connections commit continuously. Try again, or create it inside a write.")
  }

  /// The data version, which changes when this connection first sees a commit of another one.
  func dataVersion() throws -> String? { try setting("PRAGMA main.data_version") }

  // MARK: Reading

  /// Executes `body` inside the transaction of a snapshot.
  func snapshotRead<T>(_ body: (Database) throws -> T) throws -> T {
    try requireSnapshot()
    // Not a transaction block: a body that ends the transaction and begins another sees another
    // state.
    let result = try readOnly { try body(self) }
    try checkDamage()
    try requireSnapshot()
    return result
  }

  /// Executes `body` inside the transaction of one of a snapshot pool's connections.
  ///
  /// - Parameter whenLost: Called if the connection no longer sees the snapshot.
  func snapshotRead<T>(
    _ body: (Database) throws -> T, whenLost: () -> Void
  ) throws -> T {
    let transactions = hooks.transactionCount
    defer { if hasLostSnapshot(since: transactions) { whenLost() } }
    let result = try readOnly { try body(self) }
    try checkDamage()
    return result
  }

  private func hasLostSnapshot(since transactions: Int) -> Bool {
    guard isInsideTransaction else { return true }
    // Savepoints count as transactions, but don't change the state that the snapshot sees.
    return hooks.transactionCount != transactions && (try? dataVersion()) != snapshotVersion
  }

  func requireSnapshot() throws {
    guard isInsideTransaction else { throw DatabaseError.snapshotIsLost }
  }
}

extension DatabaseError {
  static var snapshotIsLost: DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_ABORT, message: "the snapshot is lost",
      hint: "A statement or an error has ended its transaction. Create another snapshot.")
  }
}

extension Result<Database, any Error> {
  /// Executes `value`, which is called once, as a read of a snapshot.
  func snapshotRead(reporting value: (Result<Database, any Error>) -> Void) {
    var isOver = false
    do {
      try get().snapshotRead { db in
        isOver = true
        value(.success(db))
      }
    } catch {
      // After `value`, only the check of the snapshot can fail.
      if !isOver { value(.failure(error)) }
    }
  }
}
