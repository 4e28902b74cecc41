import CofferCore

/// An assignment of a value to a column in an `UPDATE`.
///
/// ```swift
/// try Player.updateAll(db, Column("score").set(to: 0), Column("level") += 1)
/// ```
public struct ColumnAssignment: Sendable {
  package let columnName: String
  /// The new value; nil to keep the existing one.
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

  /// Keeps the existing value of the column in an upsert.
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

  /// `column = column & value`, a bitwise AND.
  public static func &= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
    ColumnAssignment(column, column & value.sqlExpression)
  }

  /// `column = column | value`, a bitwise OR.
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
