import CofferCore

/// Makes the values of an observation: fetches, and turns what was fetched into values.
///
/// The methods of ``ValueObservation`` compose reducers; there is hardly a reason to write one.
public protocol ValueReducer<Value>: Sendable {
  /// What is fetched.
  associatedtype Fetched: Sendable

  /// What the observation delivers.
  associatedtype Value: Sendable

  /// The function that fetches, inside an access to the database.
  func makeFetcher() -> @Sendable (Database) throws -> Fetched

  /// Turns what was fetched into a value; called outside of the database, in the order of commits.
  ///
  /// - Returns: Nil where there is nothing to tell.
  mutating func reduce(_ fetched: Fetched) throws -> Value?
}

/// The reducers that the methods of ``ValueObservation`` make.
public enum ValueReducers {}
