import CofferCore

/// A column that holds JSON, as text or in SQLite's binary format.
///
/// ```swift
/// extension Player {
///   enum Columns {
///     static let info = JSONColumn(CodingKeys.info)
///   }
/// }
/// // SELECT * FROM player WHERE "info" ->> 'country' = 'FR'
/// Player.filter(Player.Columns.info["country"] == "FR")
/// ```
///
/// It differs from other columns only as an argument of functions that build JSON: its value is
/// taken as JSON rather than text. See ``SQLJSONExpressible``.
public struct JSONColumn: ColumnExpression, SQLJSONExpressible, Sendable {
  /// The name of the column, without quotes.
  public let name: String

  /// Creates a column from its name.
  public init(_ name: String) { self.name = name }

  /// Creates a column with the name of a coding key.
  public init(_ codingKey: some CodingKey) { name = codingKey.stringValue }
}
