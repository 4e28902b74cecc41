import CofferCore

/// Changes to a table; see ``Database/alter(table:body:)``.
public final class TableAlteration {
  enum Change {
    case add(ColumnDefinition)
    case addLiteral(SQLExpression)
    case rename(String, to: String)
    case drop(String)
  }

  let name: String
  private(set) var changes: [Change] = []

  init(_ name: String) { self.name = name }

  /// Adds a column after the existing ones.
  ///
  /// SQLite can't add a primary key, a unique column, or a NOT NULL column without a default value:
  /// <https://sqlite.org/lang_altertable.html>.
  /// - Parameter type: The type; nil for none, so that values are stored without conversion.
  @discardableResult
  public func add(column name: String, _ type: Database.ColumnType? = nil) -> ColumnDefinition {
    let column = ColumnDefinition(name, type)
    changes.append(.add(column))
    return column
  }

  /// Adds a column, written in SQL.
  public func addColumn(sql: String) { addColumn(literal: SQL(sql: sql)) }

  /// Adds a column, in SQL with interpolated values.
  public func addColumn(literal: SQL) {
    changes.append(.addLiteral(SQLExpression(sql: literal)))
  }

  /// Renames a column, also in indexes, triggers, views and synchronized full-text tables.
  ///
  /// Needs SQLite 3.25.
  public func rename(column name: String, to newName: String) {
    changes.append(.rename(name, to: newName))
  }

  /// Drops a column with its values. Needs SQLite 3.35.
  ///
  /// SQLite rejects it for a column that is part of a key or an index, or that is referred to
  /// elsewhere.
  public func drop(column name: String) { changes.append(.drop(name)) }
}

/// A table alteration is only valid during the call.
@available(*, unavailable)
extension TableAlteration: Sendable {}
