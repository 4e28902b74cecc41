import CofferCore

/// Fetches a value, and fetches it again after each transaction that can have changed it.
///
/// ```swift
/// let observation = ValueObservation.tracking { db in try Player.fetchAll(db) }
/// let cancellable = observation.start(in: queue) { error in
///   …
/// } onChange: { (players: [Player]) in
///   …
/// }
/// ```
///
/// - The first value is followed by one value after each commit that has changed something in the
///   region that was read: its tables and columns. If a request selects rows by rowid or by an
///   `INTEGER PRIMARY KEY`, only these rows count; otherwise changes of rows that the value doesn't
///   contain count as well: see ``removeDuplicates()``. Rolled-back changes don't count.
/// - Values arrive in the order of commits, and the last one is never skipped. If the region is
///   declared constant, commits in quick succession can share a single value.
/// - All changes of the connection count, including those in SQL and by triggers and foreign keys.
///   Changes of other connections and processes count only with
///   ``Configuration/observesExternalChanges``, or if ``Database/notifyChanges(in:)`` reports them.
/// - An error, including one of the fetch, ends the observation.
/// - A commit costs nothing for observations that it doesn't touch. For each observation that it
///   touches, it causes a fetch: on the writer, which has to wait for it, or, for a constant region
///   in a ``DatabasePool``, on a reader.
public struct ValueObservation<Reducer: ValueReducer>: Sendable {
  var reducer: Reducer
  let tracking: ValueTracking
  var events = ValueObservationEvents()
  /// The shortest time between a value and the next fetch; nil for none.
  var interval: Duration?

  /// Whether the fetch can write.
  ///
  /// It then runs in its own transaction on the writer.
  ///
  /// The observation's own writes don't trigger another fetch.
  public var requiresWriteAccess = false
}

/// The method by which an observation determines the region to track.
enum ValueTracking: Sendable {
  /// The region is recorded in each fetch.
  case eachFetch
  /// The region is recorded in the first fetch, and again after a change of the schema.
  case firstFetch
  /// The region is given.
  case regions([any DatabaseRegionConvertible])

  var isConstant: Bool {
    if case .eachFetch = self { false } else { true }
  }
}

/// The event handlers of an observation.
struct ValueObservationEvents: Sendable {
  var willStart: (@Sendable () -> Void)?
  var willTrackRegion: (@Sendable (DatabaseRegion) -> Void)?
  var databaseDidChange: (@Sendable () -> Void)?
  var didFail: (@Sendable (any Error) -> Void)?
  var didCancel: (@Sendable () -> Void)?
}
