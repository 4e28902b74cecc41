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

  /// Adds a column after the others.
  ///
  /// SQLite can't add a primary key, a unique column, or one that refuses NULL without a default
  /// value: <https://sqlite.org/lang_altertable.html>.
  /// - Parameter type: Nil for none, so that values are stored as they are.
  @discardableResult
  public func add(column name: String, _ type: Database.ColumnType? = nil) -> ColumnDefinition {
    let column = ColumnDefinition(name, type)
    changes.append(.add(column))
    return column
  }

  /// Adds a column, as SQL.
  public func addColumn(sql: String) { addColumn(literal: SQL(sql: sql)) }

  /// Adds a column, as SQL with values in it.
  public func addColumn(literal: SQL) {
    changes.append(.addLiteral(SQLExpression(sql: literal)))
  }

  /// Renames a column, also where indexes, triggers and views name it. It needs SQLite 3.25.
  public func rename(column name: String, to newName: String) {
    changes.append(.rename(name, to: newName))
  }

  /// Drops a column with its values. It needs SQLite 3.35.
  ///
  /// SQLite refuses it for a column of a key, of an index, or that something else names.
  public func drop(column name: String) { changes.append(.drop(name)) }
}

/// It belongs to the call that it was made for.
@available(*, unavailable)
extension TableAlteration: Sendable {}
