import CofferCore

/// What a column is set to in an `UPDATE`.
///
/// ```swift
/// try Player.updateAll(db, Column("score").set(to: 0), Column("level") += 1)
/// ```
public struct ColumnAssignment: Sendable {
  package let columnName: String
  /// Nil where the column keeps its value.
  package let value: SQLExpression?

  package init(columnName: String, value: SQLExpression?) {
    self.columnName = columnName
    self.value = value
  }

  package init(_ column: some ColumnExpression, _ value: SQLExpression) {
    self.init(columnName: column.name, value: value)
  }
}

extension ColumnExpression {
  /// `column = value`
  public func set(to value: (any SQLExpressible)?) -> ColumnAssignment {
    ColumnAssignment(self, value?.sqlExpression ?? SQLExpression(.null))
  }

  /// In an upsert: the column keeps the value that the table has.
  public var noOverwrite: ColumnAssignment { ColumnAssignment(columnName: name, value: nil) }

  /// `column = column + value`
  public static func += (column: Self, value: some SQLExpressible) -> ColumnAssignment {
    ColumnAssignment(column, column + value.sqlExpression)
  }

  /// `column = column - value`
  public static func -= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
    ColumnAssignment(column, column - value.sqlExpression)
  }

  /// `column = column * value`
  public static func *= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
    ColumnAssignment(column, column * value.sqlExpression)
  }

  /// `column = column / value`
  public static func /= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
    ColumnAssignment(column, column / value.sqlExpression)
  }

  /// `column = column & value`, bit by bit.
  public static func &= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
    ColumnAssignment(column, column & value.sqlExpression)
  }

  /// `column = column | value`, bit by bit.
  public static func |= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
    ColumnAssignment(column, column | value.sqlExpression)
  }

  /// `column = column << value`
  public static func <<= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
    ColumnAssignment(column, column << value.sqlExpression)
  }

  /// `column = column >> value`
  public static func >>= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
    ColumnAssignment(column, column >> value.sqlExpression)
  }
}
