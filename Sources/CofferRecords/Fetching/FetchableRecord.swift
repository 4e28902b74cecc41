import CofferCore
import CofferQuery

/// A type that is made of a row.
///
/// ```swift
/// struct Player: FetchableRecord {
///   let name: String
///   let score: Int?
///
///   init(row: Row) throws {
///     name = row["name"]
///     score = row["score"]
///   }
/// }
/// let players = try Player.fetchAll(db, sql: "SELECT * FROM player")
/// ```
public protocol FetchableRecord {
  /// The record that a row holds.
  ///
  /// Don't keep the row: a cursor gives the same one for each record. Keep
  /// `row.copy()`, if need be.
  init(row: Row) throws
}
