import CofferCore
import CofferQuery
import FoundationEssentials

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
///
/// A type that is `Decodable` as well needs no `init(row:)`: its properties are
/// read from the columns with the names of its coding keys. The static
/// requirements below say how.
public protocol FetchableRecord: _CodingKeyColumns {
  /// The record that a row holds.
  ///
  /// Don't keep the row: a cursor gives the same one for each record. Keep
  /// `row.copy()`, if need be.
  init(row: Row) throws

  /// What `init(from:)` finds in its decoder's `userInfo`; nothing, by default.
  static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { get }

  /// The decoder for a column that holds JSON.
  static func databaseJSONDecoder(for column: String) -> JSONDecoder

  /// How the `Data` properties of a column are decoded.
  static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy

  /// How the `Date` properties of a column are decoded.
  static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy

  /// How the column of a coding key is found.
  static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { get }
}
