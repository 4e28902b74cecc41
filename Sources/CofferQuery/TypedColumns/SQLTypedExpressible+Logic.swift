import CofferCore

// Disfavored for the sake of plain expressions: see SQLOperators.swift.

extension SQLTypedExpressible where SQLValue: SQLTruthValue {
  /// `NOT operand`, or the operand's own negation: `<>`, `NOT IN`, ….
  @_disfavoredOverload
  public static prefix func ! (operand: Self) -> TypedPredicate {
    TypedPredicate(operand.sqlExpression.negated)
  }

  /// `lhs AND rhs`.
  @_disfavoredOverload
  public static func && (
    lhs: Self, rhs: some SQLTypedExpressible<some SQLTruthValue>
  ) -> TypedPredicate {
    joining(.and, lhs, rhs)
  }

  /// `lhs AND rhs`.
  @_disfavoredOverload
  public static func && (
    lhs: Self, rhs: Bool
  ) -> TypedPredicate {
    joining(.and, lhs, rhs)
  }

  /// `lhs AND rhs`.
  @_disfavoredOverload
  public static func && (
    lhs: Bool, rhs: Self
  ) -> TypedPredicate {
    joining(.and, lhs, rhs)
  }

  /// `lhs OR rhs`.
  @_disfavoredOverload
  public static func || (
    lhs: Self, rhs: some SQLTypedExpressible<some SQLTruthValue>
  ) -> TypedPredicate {
    joining(.or, lhs, rhs)
  }

  /// `lhs OR rhs`.
  @_disfavoredOverload
  public static func || (
    lhs: Self, rhs: Bool
  ) -> TypedPredicate {
    joining(.or, lhs, rhs)
  }

  /// `lhs OR rhs`.
  @_disfavoredOverload
  public static func || (
    lhs: Bool, rhs: Self
  ) -> TypedPredicate {
    joining(.or, lhs, rhs)
  }
}

func joining(
  _ symbol: SQLExpression.AssociativeBinaryOperator, _ lhs: some SQLExpressible,
  _ rhs: some SQLExpressible
) -> TypedPredicate {
  TypedPredicate(symbol.joining([lhs.sqlExpression, rhs.sqlExpression]))
}

extension Sequence where Element: SQLTypedExpressible, Element.SQLValue: SQLTruthValue {
  /// The conditions with an operator between them.
  ///
  /// ```swift
  /// Player.filter { columns in
  ///   words.map { columns.name.contains($0) }.joined(operator: .and)
  /// }
  /// ```
  public func joined(operator: SQLExpression.AssociativeBinaryOperator) -> TypedPredicate {
    TypedPredicate(`operator`.joining(map(\.sqlExpression)))
  }
}
