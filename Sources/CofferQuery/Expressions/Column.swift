import CofferCore

/// A column of a table, identified by its name.
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
  /// The column, resolved in the table of the enclosing request.
  public var sqlExpression: SQLExpression { SQLExpression(.column(name)) }

  /// The column's name, never qualified with a table.
  ///
  /// Use it to refer to a name that the query defines in its selection:
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

/// A column with a name.
public struct Column: ColumnExpression, Sendable {
  /// The name of the column, without quotes.
  public let name: String

  /// Creates a column with a name.
  public init(_ name: String) { self.name = name }

  /// Creates a column with the name of a coding key.
  public init(_ codingKey: some CodingKey) { name = codingKey.stringValue }

  /// The rowid column, which all tables except `WITHOUT ROWID` tables have.
  public static let rowID = Column("rowid")
}

extension ColumnExpression where Self == Column {
  /// The rowid column, which all tables except `WITHOUT ROWID` tables have.
  public static var rowID: Self { Column.rowID }
}

extension SQLSelectable where Self == Column {
  /// The rowid column, which all tables except `WITHOUT ROWID` tables have.
  public static var rowID: Self { Column.rowID }
}

extension SQLExpressible where Self == Column {
  /// The rowid column, which all tables except `WITHOUT ROWID` tables have.
  public static var rowID: Self { Column.rowID }
}
