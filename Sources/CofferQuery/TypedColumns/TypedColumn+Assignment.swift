import CofferCore

extension TypedColumn {
  /// In an upsert: the column keeps the value that the table has.
  public var noOverwrite: ColumnAssignment { untyped.noOverwrite }

  /// `column = value`, of a typed expression.
  public func set(to value: some SQLTypedExpressible<Value>) -> ColumnAssignment {
    untyped.set(to: value.sqlExpression)
  }

  /// `column = value`, of a typed expression that is never NULL.
  public func set<Wrapped>(
    to value: some SQLTypedExpressible<Wrapped>
  ) -> ColumnAssignment where Value == Wrapped? {
    untyped.set(to: value.sqlExpression)
  }

  /// `column = value`, of SQL without a type: a subquery, a `Column`, an `SQL` literal.
  public func set(to value: some SQLSpecificExpressible) -> ColumnAssignment {
    untyped.set(to: value.sqlExpression)
  }
}

extension TypedColumn where Value: DatabaseValueConvertible {
  /// `column = value`
  ///
  /// ```swift
  /// try Player.updateAll(db) { [$0.score.set(to: 0), $0.bonus += 1] }
  /// ```
  public func set(to value: Value) -> ColumnAssignment { untyped.set(to: operand(value)) }
}

extension TypedColumn where Value: SQLAddable {
  /// `column = column + value` of numbers, `column || value` of text.
  public static func += (
    column: Self, value: Value
  ) -> ColumnAssignment {
    column.untyped.set(to: chain(Value.sqlAddition, column, value))
  }

  /// `column = column + value` of numbers, `column || value` of text.
  public static func += (
    column: Self, value: some SQLTypedExpressible<Value>
  ) -> ColumnAssignment {
    column.untyped.set(to: chain(Value.sqlAddition, column, value))
  }

  /// `column = column + value` of numbers, `column || value` of text.
  public static func += (
    column: Self, value: some SQLSpecificExpressible
  ) -> ColumnAssignment {
    column.untyped.set(to: chain(Value.sqlAddition, column, value))
  }
}

extension TypedColumn where Value: SQLNumber {
  /// `column = column - value`
  public static func -= (
    column: Self, value: Value
  ) -> ColumnAssignment {
    column.untyped -= value.sqlExpression
  }

  /// `column = column - value`
  public static func -= (
    column: Self, value: some SQLTypedExpressible<Value>
  ) -> ColumnAssignment {
    column.untyped -= value.sqlExpression
  }

  /// `column = column - value`
  public static func -= (
    column: Self, value: some SQLSpecificExpressible
  ) -> ColumnAssignment {
    column.untyped -= value.sqlExpression
  }

  /// `column = column * value`
  public static func *= (
    column: Self, value: Value
  ) -> ColumnAssignment {
    column.untyped *= value.sqlExpression
  }

  /// `column = column * value`
  public static func *= (
    column: Self, value: some SQLTypedExpressible<Value>
  ) -> ColumnAssignment {
    column.untyped *= value.sqlExpression
  }

  /// `column = column * value`
  public static func *= (
    column: Self, value: some SQLSpecificExpressible
  ) -> ColumnAssignment {
    column.untyped *= value.sqlExpression
  }

  /// `column = column / value`
  public static func /= (
    column: Self, value: Value
  ) -> ColumnAssignment {
    column.untyped /= value.sqlExpression
  }

  /// `column = column / value`
  public static func /= (
    column: Self, value: some SQLTypedExpressible<Value>
  ) -> ColumnAssignment {
    column.untyped /= value.sqlExpression
  }

  /// `column = column / value`
  public static func /= (
    column: Self, value: some SQLSpecificExpressible
  ) -> ColumnAssignment {
    column.untyped /= value.sqlExpression
  }
}

extension TypedColumn where Value: SQLInteger {
  /// `column = column & value`, bit by bit.
  public static func &= (
    column: Self, value: Value
  ) -> ColumnAssignment {
    column.untyped &= value.sqlExpression
  }

  /// `column = column & value`, bit by bit.
  public static func &= (
    column: Self, value: some SQLTypedExpressible<Value>
  ) -> ColumnAssignment {
    column.untyped &= value.sqlExpression
  }

  /// `column = column & value`, bit by bit.
  public static func &= (
    column: Self, value: some SQLSpecificExpressible
  ) -> ColumnAssignment {
    column.untyped &= value.sqlExpression
  }

  /// `column = column | value`, bit by bit.
  public static func |= (
    column: Self, value: Value
  ) -> ColumnAssignment {
    column.untyped |= value.sqlExpression
  }

  /// `column = column | value`, bit by bit.
  public static func |= (
    column: Self, value: some SQLTypedExpressible<Value>
  ) -> ColumnAssignment {
    column.untyped |= value.sqlExpression
  }

  /// `column = column | value`, bit by bit.
  public static func |= (
    column: Self, value: some SQLSpecificExpressible
  ) -> ColumnAssignment {
    column.untyped |= value.sqlExpression
  }

  /// `column = column << value`
  public static func <<= (
    column: Self, value: Value
  ) -> ColumnAssignment {
    column.untyped <<= value.sqlExpression
  }

  /// `column = column << value`
  public static func <<= (
    column: Self, value: some SQLTypedExpressible<Value>
  ) -> ColumnAssignment {
    column.untyped <<= value.sqlExpression
  }

  /// `column = column << value`
  public static func <<= (
    column: Self, value: some SQLSpecificExpressible
  ) -> ColumnAssignment {
    column.untyped <<= value.sqlExpression
  }

  /// `column = column >> value`
  public static func >>= (
    column: Self, value: Value
  ) -> ColumnAssignment {
    column.untyped >>= value.sqlExpression
  }

  /// `column = column >> value`
  public static func >>= (
    column: Self, value: some SQLTypedExpressible<Value>
  ) -> ColumnAssignment {
    column.untyped >>= value.sqlExpression
  }

  /// `column = column >> value`
  public static func >>= (
    column: Self, value: some SQLSpecificExpressible
  ) -> ColumnAssignment {
    column.untyped >>= value.sqlExpression
  }
}
