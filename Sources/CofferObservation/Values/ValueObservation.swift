import CofferCore

/// Fetches a value, and fetches it again after each transaction that may have changed it.
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
/// - There is one first value, and then one after each commit that has changed something in the
///   region that was read: the tables, and their columns. Where a request asks for rows by rowid
///   or `INTEGER PRIMARY KEY`, only these rows count; else changes of rows that the value doesn't
///   contain count as well: see ``removeDuplicates()``. What is rolled back is not told of.
/// - Values come in the order of commits, and the last one is never left out. Where the region is
///   known to be constant, commits in quick succession may give a single value.
/// - All changes of the connection count, those in SQL, of triggers and of foreign keys included;
///   those of other connections and processes don't, and need
///   ``Database/notifyChanges(in:)``.
/// - An error, in the fetch too, ends the observation.
/// - A commit doesn't cost anything for the observations that it doesn't touch. For each one that
///   it touches, there is a fetch: on the connection that writes, which has to wait for it, or,
///   for a constant region in a ``DatabasePool``, on one that reads.
public struct ValueObservation<Reducer: ValueReducer>: Sendable {
  var reducer: Reducer
  let tracking: ValueTracking
  var events = ValueObservationEvents()

  /// Whether the fetch may write; it has a transaction of its own then, on the connection that
  /// writes.
  ///
  /// What it writes doesn't make the value be fetched again.
  public var requiresWriteAccess = false
}

/// How an observation finds out what its value depends on.
enum ValueTracking: Sendable {
  /// By each fetch.
  case eachFetch
  /// By the first fetch, and again where the schema has changed.
  case firstFetch
  /// It is told.
  case regions([any DatabaseRegionConvertible])

  var isConstant: Bool {
    if case .eachFetch = self { false } else { true }
  }
}

/// What is told of an observation, beside its values.
struct ValueObservationEvents: Sendable {
  var willStart: (@Sendable () -> Void)?
  var willTrackRegion: (@Sendable (DatabaseRegion) -> Void)?
  var databaseDidChange: (@Sendable () -> Void)?
  var didFail: (@Sendable (any Error) -> Void)?
  var didCancel: (@Sendable () -> Void)?
}
