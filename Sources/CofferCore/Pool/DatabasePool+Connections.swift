import CofferVault
import Dispatch

extension DatabasePool {
  // MARK: The connections

  /// Interrupts the running statements, which fail with `SQLITE_INTERRUPT`.
  public func interrupt() {
    writer.interrupt()
    readers.interrupt()
  }

  /// Closes the database after the accesses that are under way. Closing twice does nothing.
  ///
  /// Snapshots stay open.
  public func close() throws {
    try barrier {
      readers.close()
      try writer.close()
    }
  }

  /// Replaces the readers: idle ones are closed at once, others after their current access.
  ///
  /// Later reads use new connections, which `Configuration.prepareDatabase` prepares again.
  public func invalidateReadOnlyConnections() { readers.invalidate() }

  /// Releases memory that the connections don't need, and returns it to the system.
  ///
  /// Empties caches, and closes idle readers unless `Configuration.persistentReadOnlyConnections`
  /// keeps them open. Readers in use keep their memory.
  ///
  /// Call this under memory pressure. Waits for a write that is under way, and takes a few
  /// milliseconds. Later accesses read and decrypt their pages again.
  public func releaseMemory() {
    releaseReaders()
    try? writer.reentrantSync { $0.releaseMemory() }
    SQLite.returnFreeMemory()
  }

  /// Releases memory like ``releaseMemory()``, without waiting.
  public func releaseMemoryEventually() {
    releaseReaders()
    writer.schedule {
      if case .success(let db) = $0 { db.releaseMemory() }
      SQLite.returnFreeMemory()
    }
  }

  private func releaseReaders() {
    let isPersistent = configuration.persistentReadOnlyConnections
    readers.forEachIdle { reader in
      if isPersistent {
        try? reader.sync { $0.releaseMemory() }
      } else {
        reader.invalidate()
      }
    }
  }

  /// Re-encrypts the file in place with another key.
  ///
  /// Verifies that the new key opens the file and the old key doesn't. Readers use the new key from
  /// then on.
  ///
  /// Waits for the accesses that are under way, and blocks others meanwhile. Takes one key
  /// derivation, rewrites the whole file, and waits for the disk, as a pool's other commits don't.
  /// If the process is killed meanwhile, the file has one of the two keys.
  /// - Throws: ``DatabaseError``; the key is unchanged unless the error says otherwise, or that
  ///   both keys have to be kept, since a crash can still bring the new one. Fails for example for
  ///   a read-only or plaintext database, and if a snapshot or another process uses the file.
  public func changeKey(to key: DatabaseKey) throws {
    try barrierWriteWithoutTransaction { db in
      readers.invalidate()
      try db.changeKey(to: key)
    }
  }

  /// Runs `body` while no reader is in use.
  func barrier<T>(_ body: () throws -> T) throws -> T {
    guard readers.current == nil, !writer.isHeldByCurrentThread else {
      throw DatabaseError.reentrancy(path)
    }
    let isIdle = DispatchSemaphore(value: 0)
    readers.beginBarrier { isIdle.signal() }
    isIdle.wait()
    defer { readers.endBarrier() }
    return try body()
  }
}

extension DatabasePool: ObservableReader {
  /// The writer if this thread is using it, otherwise the reader lent to this thread.
  package var currentDatabase: Database? { writer.current ?? readers.current?.current }

  package var observableWriter: (any DatabaseWriter)? { commits == nil ? nil : self }

  package func beginTracking(_ start: TrackingStart) {
    guard !needsWriter(start) else {
      do { try writer.reentrantSync { start.run(in: $0) } } catch {
        _ = start.fetch(.failure(error))
      }
      return
    }
    pinCommits()
    do {
      // The caller may be inside a read, which can be older than the last commit.
      let begin: (Database) throws -> (DatabaseRegion?, Int) = { [commits] db in
        try db.isolatedRead { db in
          let commit = db.isSnapshotEstablished ? 0 : try db.establishSnapshot(counted: commits)
          return (start.fetch(.success(db)), commit)
        }
      }
      let isUrgent = writer.isHeldByCurrentThread
      let (region, commit) = try readers.reentrantSync(isUrgent: isUrgent, begin)
      track(start, region, since: commit)
    } catch {
      _ = start.fetch(.failure(error))
      commits?.unpin()
    }
  }

  package func scheduleTracking(_ start: TrackingStart) {
    guard !needsWriter(start) else {
      return writer.schedule { result in
        switch result {
        case .success(let db): start.run(in: db)
        case .failure: _ = start.fetch(result)
        }
      }
    }
    pinCommits()
    readers.schedule { [self] result in
      do {
        let (region, commit) = try result.get().isolatedRead { db in
          let commit = try db.establishSnapshot(counted: commits)
          return (start.fetch(.success(db)), commit)
        }
        track(start, region, since: commit)
      } catch {
        _ = start.fetch(.failure(error))
        commits?.unpin()
      }
    }
  }

  private func needsWriter(_ start: TrackingStart) -> Bool {
    start.requiresWriteAccess && commits != nil
  }

  /// Requests that changes be kept from the last commit on. If this thread made that commit, it is
  /// counted first.
  private func pinCommits() {
    commits?.pin()
    writer.current?.settleCommitLog()
  }

  /// Adds the observers once the writer is free.
  private func track(_ start: TrackingStart, _ region: DatabaseRegion?, since commit: Int) {
    guard let commits else { return }
    guard let region else { return commits.unpin() }
    writer.scheduleEvenIfClosed { db in
      defer { commits.unpin() }
      guard unsafe db.sqliteConnection != nil else { return }
      start.track(db, db.commitLog?.hasChanged(region, since: commit) ?? true)
    }
  }
}

extension Database {
  /// Sets this connection up as the pool's writer.
  func setUpPoolWriter() throws -> CommitCount {
    let commitLog = startCommitLog()
    let checkpointer = Checkpointer(configuration.checkpointPolicy, commitLog)
    if let session = freshness.session { checkpointer.add(session, isFirst: true) }
    self.checkpointer = checkpointer
    try restorePoolWriter()
    return commitLog.commits
  }

  /// Installs the WAL hook and log limit of a pool's writer, or of a queue with freshness, also
  /// after a connection was reopened.
  func restorePoolWriter() throws {
    guard let checkpointer, let connection = sqliteConnection else { return }
    commitLog?.firstDataVersion = try? SQLite.scalar(connection, "PRAGMA main.data_version")
      .flatMap { Int64($0) }
    SQLite.setWALHook(checkpointer, in: connection)
    if checkpointer.keepsLog { SQLite.keepLogAtClose(connection) }
    let pageCount = configuration.checkpointPolicy.maximumPageCount
    if pageCount < .max {
      // A log that has been long is truncated when it restarts.
      try runSetting("PRAGMA journal_size_limit = \(Int64(clamping: pageCount &* pageSize))")
    }
  }

  /// The size of a page in bytes.
  var pageSize: Int {
    let size = unsafe sqliteConnection.flatMap { try? SQLite.scalar($0, "PRAGMA page_size") }
    return size.flatMap { Int($0) } ?? 4096
  }

  /// Begins the pending transaction of a read access.
  ///
  /// - Returns: The commit that the transaction sees, or an earlier one.
  fileprivate func establishSnapshot(counted commits: CommitCount?) throws -> Int {
    guard let commits else {
      try establishSnapshot()
      return 0
    }
    return try commits.counting { try establishSnapshot() }
  }

  /// Whether the state that statements see is already fixed.
  var isSnapshotEstablished: Bool {
    isInsideTransaction && !accessState.contains(.pendingTransaction)
  }
}
