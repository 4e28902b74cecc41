import CofferCore
import CofferQuery
import FoundationEssentials

/// A type that is created from a row.
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
/// A `Decodable` type needs no `init(row:)`: its properties are decoded from the columns with the
/// names of its coding keys, as the static requirements below specify.
public protocol FetchableRecord: _CodingKeyColumns {
  /// Returns the record decoded from a row.
  ///
  /// Don't keep the row, since a cursor uses the same object for each record. Keep `row.copy()` if
  /// necessary.
  init(row: Row) throws

  /// The `userInfo` of the decoder passed to `init(from:)`; empty by default.
  static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { get }

  /// Returns the decoder for a column that holds JSON.
  static func databaseJSONDecoder(for column: String) -> JSONDecoder

  /// How the `Data` properties of a column are decoded.
  static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy

  /// How the `Date` properties of a column are decoded.
  static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy

  /// How coding keys are matched with columns.
  static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { get }
}
