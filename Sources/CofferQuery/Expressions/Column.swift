import CofferCore

/// A type that is a column of a table.
///
/// ```swift
/// enum Columns: String, ColumnExpression {
///   case id, name, score
/// }
/// ```
public protocol ColumnExpression: SQLSpecificExpressible {
  /// The name of the column, without quotes.
  var name: String { get }
}

extension ColumnExpression {
  /// The column of the table of the request around it.
  public var sqlExpression: SQLExpression { SQLExpression(.column(name)) }

  /// The name alone, which never gets the name of a table before it: for names
  /// that a query gives to what it selects.
  ///
  /// ```swift
  /// // SELECT *, "score" + "bonus" AS "total" FROM "player" ORDER BY "total"
  /// Player.annotated(with: (Column("score") + Column("bonus")).forKey("total"))
  ///   .order(Column("total").detached)
  /// ```
  public var detached: SQLExpression { SQLExpression(.detached(name)) }
}

extension ColumnExpression where Self: RawRepresentable, RawValue == String {
  /// The raw value.
  public var name: String { rawValue }
}

/// A column, by name.
public struct Column: ColumnExpression, Sendable {
  /// The name of the column, without quotes.
  public let name: String

  /// The column of that name.
  public init(_ name: String) { self.name = name }

  /// The column with the name of a coding key.
  public init(_ codingKey: some CodingKey) { name = codingKey.stringValue }

  /// The rowid, which tables have unless they are `WITHOUT ROWID`.
  public static let rowID = Column("rowid")
}

extension ColumnExpression where Self == Column {
  /// The rowid, which tables have unless they are `WITHOUT ROWID`.
  public static var rowID: Self { Column.rowID }
}

extension SQLSelectable where Self == Column {
  /// The rowid, which tables have unless they are `WITHOUT ROWID`.
  public static var rowID: Self { Column.rowID }
}

extension SQLExpressible where Self == Column {
  /// The rowid, which tables have unless they are `WITHOUT ROWID`.
  public static var rowID: Self { Column.rowID }
}
