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
}

/// The reducers created by the methods of ``ValueObservation``.
public enum ValueReducers {}
