/// The start of a value's observation: a first fetch, then the addition of observers.
///
/// No change is missed in between: `track` receives whether the region may have changed meanwhile.
package struct TrackingStart: Sendable {
  /// Fetches the first value. Called again with a failure if the end of its access fails.
  ///
  /// - Returns: The region that the value depends on; nil if the fetch failed or the observation
  ///   was cancelled, in which case nothing is tracked.
  package var fetch: @Sendable (Result<Database, any Error>) -> DatabaseRegion?

  /// Adds the observers, on the writing connection.
  ///
  /// Called inside a transaction only if the observation begins inside one.
  /// - Parameter hasChanged: Whether the region may have changed since the fetch.
  package var track: @Sendable (_ db: Database, _ hasChanged: Bool) -> Void

  /// Whether the fetch may write, and so needs the writing connection.
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

/// A reader whose values can be observed, and whose current access is known.
package protocol ObservableReader: DatabaseReader {
  /// The connection of this thread's current access; nil if there is none.
  var currentDatabase: Database? { get }

  /// Fetches on this thread, possibly nested in another access, and tracks changes from that state
  /// on.
  func beginTracking(_ start: TrackingStart)

  /// Fetches on another thread, and tracks changes from that state on.
  func scheduleTracking(_ start: TrackingStart)

  /// The writer whose transactions are observed; nil if the database never changes.
  var observableWriter: (any DatabaseWriter)? { get }
}

extension TrackingStart {
  /// Fetches and starts tracking in one access to the writing connection.
  func run(in db: Database) {
    var region: DatabaseRegion?
    do {
      if requiresWriteAccess, !db.isInsideTransaction {
        try db.inTransaction {
          region = fetch(.success(db))
          return region == nil ? .rollback : .commit
        }
      } else {
        region = try db.isolatedRead { fetch(.success($0)) }
      }
    } catch {
      // The value was fetched and delivered, but ending its transaction has failed.
      _ = fetch(.failure(error))
      return
    }
    if region != nil, db.configuration.maySeeCommits { track(db, false) }
  }
}

extension DatabaseReader {
  /// Starts tracking on any reader. On a foreign implementation, this only fetches once.
  package func beginTracking(_ start: TrackingStart) {
    if let observable = self as? any ObservableReader { return observable.beginTracking(start) }
    do {
      try unsafeReentrantRead { db in _ = try db.isolatedRead { start.fetch(.success($0)) } }
    } catch { _ = start.fetch(.failure(error)) }
  }

  /// Like `beginTracking`, on another thread.
  package func scheduleTracking(_ start: TrackingStart) {
    if let observable = self as? any ObservableReader { return observable.scheduleTracking(start) }
    asyncRead { _ = start.fetch($0) }
  }

  /// The writer whose transactions are observed; nil if the database never changes.
  package var transactionsWriter: (any DatabaseWriter)? {
    guard let observable = self as? any ObservableReader else {
      return self as? any DatabaseWriter
    }
    return observable.observableWriter
  }
}

extension Database {
  /// Fetches for an observation, and records the region that the value depends on.
  package func observedFetch<T>(
    requiresWriteAccess: Bool, _ fetch: (Database) throws -> T
  ) throws -> (T, DatabaseRegion) {
    guard requiresWriteAccess else {
      return try isolatedRead { db in try db.recordingRegion { try fetch(db) } }
    }
    return try committing { db in try db.recordingRegion { try fetch(db) } }
  }

  /// Whether the connection is open.
  package var isOpen: Bool { unsafe sqliteConnection != nil }

  /// Whether the task of this access was cancelled, so that all statements throw.
  package var isAccessCancelled: Bool { interruption.isCancelled.load(ordering: .relaxed) }

  /// Calls `body` at the end of the current transaction if any part of it was rolled back: values
  /// read inside it may never have been committed.
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
