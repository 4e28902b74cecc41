/// What a connection knows of the commits of others.
final class ExternalChanges {
  private let watch: ExternalChangeWatch
  /// SQLite's count of others' commits, as this connection counts; nil where it
  /// begins to count anew.
  var dataVersion: String?
  /// SQLite's count of changes of the schema.
  var schemaVersion: String?

  init(_ watch: ExternalChangeWatch) { self.watch = watch }

  // The thread of the watch retains it until it is stopped.
  deinit { watch.stop() }

  func setObserved(_ isObserved: Bool) { watch.setObserved(isObserved) }

  func stop() { watch.stop() }
}

extension SerializedDatabase {
  /// Begins to notice the commits of others, if the configuration says so.
  ///
  /// - Throws: ``DatabaseError`` where the folder can't be watched.
  func observeExternalChanges() throws {
    guard configuration.observesExternalChanges else { return }
    try sync { db in
      guard !db.isInMemory else { return }
      let watch = try ExternalChangeWatch(databasePath: db.path)
      let externalChanges = ExternalChanges(watch)
      db.externalChanges = externalChanges
      // What is committed from now on, is noticed.
      _ = db.lookForExternalChanges()
      externalChanges.setObserved(db.accessState.contains(.observed))
      watch.start { [weak self] in self?.noticeExternalChanges() ?? .isClosed }
    }
  }

  private func noticeExternalChanges() -> ExternalChangeWatch.Look {
    // The access fails where there is no connection, before a look, or where an observer has
    // left a transaction open, after it.
    var look = ExternalChangeWatch.Look.isClosed
    try? sync { db in
      look = .isDone
      switch db.lookForExternalChanges() {
      case .same: break
      case .unknown: look = .isBusy
      case .changed:
        db.commitLog?.didCommitElsewhere()
        db.observation.tellExternalCommit()
      }
    }
    return look
  }
}

extension Database {
  enum ExternalLook { case same, changed, unknown }

  /// Compares what SQLite counts with what it has counted at the last look.
  ///
  /// It never waits for a lock, since writes wait for it.
  func lookForExternalChanges() -> ExternalLook {
    guard let externalChanges, let connection = sqliteConnection else { return .same }
    // A transaction that an access has left open sees no later commit.
    guard !isInsideTransaction else { return .unknown }
    do {
      // Nobody wants the facts of these statements.
      let ((data, schema), _) = try recordingFacts {
        try withoutTracing {
          try withBusyTimeout(seconds: 0) { () -> Result<(String?, String?), any Error> in
            Result {
              let data = try SQLite.scalar(connection, "PRAGMA main.data_version")
              guard data != externalChanges.dataVersion else {
                return (data, externalChanges.schemaVersion)
              }
              return (data, try SQLite.scalar(connection, "PRAGMA main.schema_version"))
            }
          }.get()
        }
      }
      guard data != externalChanges.dataVersion else { return .same }
      externalChanges.dataVersion = data
      if schema != externalChanges.schemaVersion {
        externalChanges.schemaVersion = schema
        schemaDidChange()
      }
      return .changed
    } catch let failure as SQLite.Failure {
      let code = ResultCode(rawValue: failure.code).primaryResultCode
      return code == .SQLITE_BUSY || code == .SQLITE_INTERRUPT ? .unknown : .same
    } catch { return .same }
  }
}

extension TransactionObservation {
  /// Tells all of a commit of others, of which nobody knows what it has changed.
  ///
  /// But for those who wait for the next transaction: it is none of this connection.
  func tellExternalCommit() {
    let recipients = registry.all.items.compactMap { registration in
      registration.extent == .nextTransaction
        ? nil : registration.observer.map { (registration: registration, observer: $0) }
    }
    let previous = TransactionObservation.enter(self)
    for recipient in recipients where !recipient.registration.isRemoved {
      recipient.observer.databaseDidChange()
    }
    TransactionObservation.leave(to: previous)
    goOnTelling()
    for recipient in recipients where !recipient.registration.isRemoved {
      recipient.observer.databaseDidCommit(database)
    }
    letGo(of: registry.nextDead())
  }
}
