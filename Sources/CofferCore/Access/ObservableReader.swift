/// How the observation of a value begins: with a first fetch, and then with observers of changes.
///
/// Nothing is missed in between: `track` is told whether the region has changed meanwhile.
package struct TrackingStart: Sendable {
  /// Fetches the first value; called again, with a failure, where the end of its access fails.
  ///
  /// - Returns: The region that the value depends on; nil where nothing is to be tracked, since
  ///   the fetch has failed, or the observation was cancelled.
  package var fetch: @Sendable (Result<Database, any Error>) -> DatabaseRegion?

  /// Adds the observers, on the connection that writes.
  ///
  /// It may be called inside a transaction only where the observation begins inside of one.
  /// - Parameter hasChanged: Whether the region may have changed since the fetch.
  package var track: @Sendable (_ db: Database, _ hasChanged: Bool) -> Void

  /// Whether the fetch may write, so that it needs the connection that writes.
  package var requiresWriteAccess: Bool

  package init(
    requiresWriteAccess: Bool,
    fetch: @escaping @Sendable (Result<Database, any Error>) -> DatabaseRegion?,
    track: @escaping @Sendable (_ db: Database, _ hasChanged: Bool) -> Void
  ) {
    self.requiresWriteAccess = requiresWriteAccess
    self.fetch = fetch
    self.track = track
  }
}

/// A reader whose values can be observed, and whose access under way is known.
package protocol ObservableReader: DatabaseReader {
  /// The connection of the access that is under way on this thread; nil where there is none.
  var currentDatabase: Database? { get }

  /// Fetches on this thread, inside another access of it as well, and sees to it that changes
  /// are tracked from that state on.
  func beginTracking(_ start: TrackingStart)

  /// Fetches on another thread, and sees to it that changes are tracked from that state on.
  func scheduleTracking(_ start: TrackingStart)

  /// Where transactions are observed; nil where the database never changes.
  var observableWriter: (any DatabaseWriter)? { get }
}

extension TrackingStart {
  /// Fetches and begins to track in one access to the connection that writes.
  func run(in db: Database) {
    let region: DatabaseRegion?
    do {
      region =
        requiresWriteAccess && !db.isInsideTransaction
        ? try db.withTransaction(nil) {
          let region = fetch(.success(db))
          return (region, region == nil ? .rollback : .commit)
        }
        : try db.isolatedRead { fetch(.success($0)) }
    } catch {
      // The value was fetched, and handed over; the end of its transaction has failed.
      _ = fetch(.failure(error))
      return
    }
    if region != nil, db.configuration.maySeeCommits { track(db, false) }
  }
}

extension DatabaseReader {
  /// Begins to track on any reader; one that isn't ours can be observed no more than once.
  package func beginTracking(_ start: TrackingStart) {
    if let observable = self as? any ObservableReader { return observable.beginTracking(start) }
    do {
      try unsafeReentrantRead { db in _ = try db.isolatedRead { start.fetch(.success($0)) } }
    } catch { _ = start.fetch(.failure(error)) }
  }

  /// As `beginTracking`, on another thread.
  package func scheduleTracking(_ start: TrackingStart) {
    if let observable = self as? any ObservableReader { return observable.scheduleTracking(start) }
    asyncRead { _ = start.fetch($0) }
  }

  /// Where transactions are observed; nil where the database never changes.
  package var transactionsWriter: (any DatabaseWriter)? {
    guard let observable = self as? any ObservableReader else {
      return self as? any DatabaseWriter
    }
    return observable.observableWriter
  }
}

extension Database {
  /// Fetches for an observation, and finds out what the value depends on.
  package func observedFetch<T>(
    requiresWriteAccess: Bool, _ fetch: (Database) throws -> T
  ) throws -> (T, DatabaseRegion) {
    guard requiresWriteAccess else {
      return try isolatedRead { db in try db.recordingRegion { try fetch(db) } }
    }
    return try withTransaction(nil) { (try recordingRegion { try fetch(self) }, .commit) }
  }

  /// Whether the task whose access this is was cancelled, so that all statements throw.
  package var isAccessCancelled: Bool { interruption.isCancelled.load(ordering: .relaxed) }

  /// Calls `body` at the end of the current transaction if something was undone in it: what has
  /// been read inside of it may never be committed.
  package func whenUndone(_ body: @escaping (Database) -> Void) {
    guard isInsideTransaction, !accessState.contains(.readOnly) else { return }
    let rollbacks = observation.savepointRollbackCount
    afterNextTransaction { db in
      if db.observation.savepointRollbackCount != rollbacks { body(db) }
    } onRollback: { db in
      body(db)
    }
  }
}
