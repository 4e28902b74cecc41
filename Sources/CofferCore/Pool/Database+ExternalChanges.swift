import CofferVault

/// The commits of other connections that a connection has seen.
final class ExternalChanges {
  private let watch: ExternalChangeWatch
  /// SQLite's count of other connections' commits, as seen by this connection; nil if the count
  /// starts over.
  var dataVersion: String?
  /// SQLite's count of schema changes.
  var schemaVersion: String?

  init(_ watch: ExternalChangeWatch) { self.watch = watch }

  // The watch's thread retains the watch until it is stopped.
  deinit { watch.stop() }

  func setObserved(_ isObserved: Bool) { watch.setObserved(isObserved) }

  func stop() { watch.stop() }
}

extension SerializedDatabase {
  /// Starts watching for other connections' commits, if the configuration says so.
  ///
  /// - Throws: ``DatabaseError`` if the folder can't be watched.
  func observeExternalChanges() throws {
    guard configuration.observesExternalChanges else { return }
    try sync { db in
      guard !db.isInMemory else { return }
      let watch = try ExternalChangeWatch(databasePath: db.path)
      let externalChanges = ExternalChanges(watch)
      db.externalChanges = externalChanges
      // Commits from now on are noticed.
      _ = db.lookForExternalChanges()
      externalChanges.setObserved(db.accessState.contains(.observed))
      watch.start { [weak self] in self?.noticeExternalChanges() ?? .isClosed }
    }
  }

  private func noticeExternalChanges() -> ExternalChangeWatch.Look {
    // The access fails before the check if there is no connection, and after it if an observer has
    // left a transaction open.
    var look = ExternalChangeWatch.Look.isClosed
    try? sync { db in
      look = .isDone
      // A commit that is seen while nobody observes would be missed by the next observer.
      guard db.accessState.contains(.observed) else { return }
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

  /// Compares SQLite's counts with the counts of the last check.
  ///
  /// It never waits for a lock, since writes wait for it.
  func lookForExternalChanges() -> ExternalLook {
    guard let externalChanges, let connection = sqliteConnection else { return .same }
    // A transaction left open by an access sees no later commits.
    guard !isInsideTransaction else { return .unknown }
    do {
      // The facts of these statements aren't needed.
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
      switch code {
      case .SQLITE_BUSY, .SQLITE_INTERRUPT, .SQLITE_NOMEM: return .unknown
      default: return .same
      }
    } catch { return .same }
  }
}

extension TransactionObservation {
  /// Notifies all observers of another connection's commit, whose changes are unknown.
  ///
  /// Observers of the next transaction aren't notified, since it isn't one of this connection.
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
