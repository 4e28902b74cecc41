import CofferCore

extension TypedColumn {
  /// An assignment that keeps the column's value in the table, for upserts.
  public var noOverwrite: ColumnAssignment { untyped.noOverwrite }

  /// Returns the assignment of a typed expression: `column = value`.
  public func set(to value: some SQLTypedExpressible<Value>) -> ColumnAssignment {
    untyped.set(to: value.sqlExpression)
  }

  /// Returns the assignment of a non-nullable typed expression: `column = value`.
  public func set<Wrapped>(
    to value: some SQLTypedExpressible<Wrapped>
  ) -> ColumnAssignment where Value == Wrapped? {
    untyped.set(to: value.sqlExpression)
  }

  /// Returns the assignment of untyped SQL: a subquery, a `Column`, an `SQL` literal.
  public func set(to value: some SQLSpecificExpressible) -> ColumnAssignment {
    untyped.set(to: value.sqlExpression)
  }
}

extension TypedColumn where Value: DatabaseValueConvertible {
  /// Returns the assignment `column = value`.
  ///
  /// ```swift
  /// try Player.updateAll(db) { [$0.score.set(to: 0), $0.bonus += 1] }
  /// ```
  public func set(to value: Value) -> ColumnAssignment { untyped.set(to: operand(value)) }
}

extension TypedColumn where Value: SQLAddable {
  /// Returns the assignment of `column + value` for numbers, `column || value` for text.
  public static func += (
    column: Self, value: Value
  ) -> ColumnAssignment {
    column.untyped.set(to: chain(Value.sqlAddition, column, value))
  }

  /// Returns the assignment of `column + value` for numbers, `column || value` for text.
  public static func += (
    column: Self, value: some SQLTypedExpressible<Value>
  ) -> ColumnAssignment {
    column.untyped.set(to: chain(Value.sqlAddition, column, value))
  }

  /// Returns the assignment of `column + value` for numbers, `column || value` for text.
  public static func += (
    column: Self, value: some SQLSpecificExpressible
  ) -> ColumnAssignment {
    column.untyped.set(to: chain(Value.sqlAddition, column, value))
  }
}

extension TypedColumn where Value: SQLNumber {
  /// Returns the assignment `column = column - value`.
  public static func -= (
    column: Self, value: Value
  ) -> ColumnAssignment {
    column.untyped -= value.sqlExpression
  }

  /// Returns the assignment `column = column - value`.
  public static func -= (
    column: Self, value: some SQLTypedExpressible<Value>
  ) -> ColumnAssignment {
    column.untyped -= value.sqlExpression
  }

  /// Returns the assignment `column = column - value`.
  public static func -= (
    column: Self, value: some SQLSpecificExpressible
  ) -> ColumnAssignment {
    column.untyped -= value.sqlExpression
  }

  /// Returns the assignment `column = column * value`.
  public static func *= (
    column: Self, value: Value
  ) -> ColumnAssignment {
    column.untyped *= value.sqlExpression
  }

  /// Returns the assignment `column = column * value`.
  public static func *= (
    column: Self, value: some SQLTypedExpressible<Value>
  ) -> ColumnAssignment {
    column.untyped *= value.sqlExpression
  }

  /// Returns the assignment `column = column * value`.
  public static func *= (
    column: Self, value: some SQLSpecificExpressible
  ) -> ColumnAssignment {
    column.untyped *= value.sqlExpression
  }

  /// Returns the assignment `column = column / value`.
  public static func /= (
    column: Self, value: Value
  ) -> ColumnAssignment {
    column.untyped /= value.sqlExpression
  }

  /// Returns the assignment `column = column / value`.
  public static func /= (
    column: Self, value: some SQLTypedExpressible<Value>
  ) -> ColumnAssignment {
    column.untyped /= value.sqlExpression
  }

  /// Returns the assignment `column = column / value`.
  public static func /= (
    column: Self, value: some SQLSpecificExpressible
  ) -> ColumnAssignment {
    column.untyped /= value.sqlExpression
  }
}

extension TypedColumn where Value: SQLInteger {
  /// Returns the bitwise assignment `column = column & value`.
  public static func &= (
    column: Self, value: Value
  ) -> ColumnAssignment {
    column.untyped &= value.sqlExpression
  }

  /// Returns the bitwise assignment `column = column & value`.
  public static func &= (
    column: Self, value: some SQLTypedExpressible<Value>
  ) -> ColumnAssignment {
    column.untyped &= value.sqlExpression
  }

  /// Returns the bitwise assignment `column = column & value`.
  public static func &= (
    column: Self, value: some SQLSpecificExpressible
  ) -> ColumnAssignment {
    column.untyped &= value.sqlExpression
  }

  /// Returns the bitwise assignment `column = column | value`.
  public static func |= (
    column: Self, value: Value
  ) -> ColumnAssignment {
    column.untyped |= value.sqlExpression
  }

  /// Returns the bitwise assignment `column = column | value`.
  public static func |= (
    column: Self, value: some SQLTypedExpressible<Value>
  ) -> ColumnAssignment {
    column.untyped |= value.sqlExpression
  }

  /// Returns the bitwise assignment `column = column | value`.
  public static func |= (
    column: Self, value: some SQLSpecificExpressible
  ) -> ColumnAssignment {
    column.untyped |= value.sqlExpression
  }

  /// Returns the assignment `column = column << value`.
  public static func <<= (
    column: Self, value: Value
  ) -> ColumnAssignment {
    column.untyped <<= value.sqlExpression
  }

  /// Returns the assignment `column = column << value`.
  public static func <<= (
    column: Self, value: some SQLTypedExpressible<Value>
  ) -> ColumnAssignment {
    column.untyped <<= value.sqlExpression
  }

  /// Returns the assignment `column = column << value`.
  public static func <<= (
    column: Self, value: some SQLSpecificExpressible
  ) -> ColumnAssignment {
    column.untyped <<= value.sqlExpression
  }

  /// Returns the assignment `column = column >> value`.
  public static func >>= (
    column: Self, value: Value
  ) -> ColumnAssignment {
    column.untyped >>= value.sqlExpression
  }

  /// Returns the assignment `column = column >> value`.
  public static func >>= (
    column: Self, value: some SQLTypedExpressible<Value>
  ) -> ColumnAssignment {
    column.untyped >>= value.sqlExpression
  }

  /// Returns the assignment `column = column >> value`.
  public static func >>= (
    column: Self, value: some SQLSpecificExpressible
  ) -> ColumnAssignment {
    column.untyped >>= value.sqlExpression
  }
}
