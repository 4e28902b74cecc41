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
/// It is a column as any other, but that functions which build JSON take its value for JSON, and not
/// for text: see ``SQLJSONExpressible``.
public struct JSONColumn: ColumnExpression, SQLJSONExpressible, Sendable {
  /// The name of the column, without quotes.
  public let name: String

  /// The column of that name.
  public init(_ name: String) { self.name = name }

  /// The column with the name of a coding key.
  public init(_ codingKey: some CodingKey) { name = codingKey.stringValue }
}
