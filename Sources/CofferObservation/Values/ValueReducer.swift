import CofferCore

/// Produces the values of an observation: fetches, and turns the fetched results into values.
///
/// The methods of ``ValueObservation`` compose reducers; custom ones are rarely needed.
public protocol ValueReducer<Value>: Sendable {
  /// The type of fetched results.
  associatedtype Fetched: Sendable

  /// The type of delivered values.
  associatedtype Value: Sendable

  /// Returns the function that fetches, inside an access to the database.
  func makeFetcher() -> @Sendable (Database) throws -> Fetched

  /// Turns a fetched result into a value; called outside of the database, in the order of commits.
  ///
  /// - Returns: Nil to deliver no value.
  mutating func reduce(_ fetched: Fetched) throws -> Value?

  /// Returns what fetches for one observation, and brings the fetched result up to date after
  /// commits.
  ///
  /// - Returns: Nil, the default, if ``makeFetcher()`` fetches each time.
  func _makeKeptValue() -> _KeptValue<Fetched>?
}

extension ValueReducer {
  /// Returns nil: each value is fetched.
  public func _makeKeptValue() -> _KeptValue<Fetched>? { nil }
}

/// The reducers created by the methods of ``ValueObservation``.
public enum ValueReducers {}
