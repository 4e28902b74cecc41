import CofferCore

extension SQLExpression {
  /// An operator that joins any number of expressions.
  ///
  /// See ``Swift/Sequence/joined(operator:)``.
  public struct AssociativeBinaryOperator: Hashable, Sendable {
    /// The operator, surrounded by spaces.
    let sql: String
    /// The SQL for an empty list of operands: the identity element.
    let emptySQL: String
    /// Whether `(a ∘ b) ∘ c` always equals `a ∘ (b ∘ c)`.
    ///
    /// False for addition and multiplication, which round floating-point numbers.
    let isExact: Bool

    /// `+`; 0 if there are no operands.
    public static let add = AssociativeBinaryOperator(sql: " + ", emptySQL: "0", isExact: false)
    /// `*`; 1 if there are no operands.
    public static let multiply = AssociativeBinaryOperator(
      sql: " * ", emptySQL: "1", isExact: false)
    /// `AND`; true if there are no operands.
    public static let and = AssociativeBinaryOperator(sql: " AND ", emptySQL: "1", isExact: true)
    /// `OR`; false if there are no operands.
    public static let or = AssociativeBinaryOperator(sql: " OR ", emptySQL: "0", isExact: true)
    /// `||`, for text; the empty text if there are no operands.
    public static let concat = AssociativeBinaryOperator(
      sql: " || ", emptySQL: "''", isExact: true)
    /// Bitwise `&`; -1, that is, all bits, if there are no operands.
    public static let bitwiseAnd = AssociativeBinaryOperator(
      sql: " & ", emptySQL: "-1", isExact: true)
    /// Bitwise `|`; 0 if there are no operands.
    public static let bitwiseOr = AssociativeBinaryOperator(
      sql: " | ", emptySQL: "0", isExact: true)

    /// Returns the operands joined by the operator.
    ///
    /// Flattens operands that are already joined by the same operator, if it is exact.
    func joining(_ operands: [SQLExpression]) -> SQLExpression {
      guard operands.count != 1 else { return operands[0] }
      guard isExact else { return SQLExpression(.chain(self, operands)) }
      var flat: [SQLExpression] = []
      flat.reserveCapacity(operands.count)
      for operand in operands {
        if case .chain(self, let inner)? = operand.expressionNode {
          flat += inner
        } else {
          flat.append(operand)
        }
      }
      return SQLExpression(.chain(self, flat))
    }
  }
}

extension Sequence where Element: SQLSpecificExpressible {
  /// Returns the expressions joined by an operator.
  ///
  /// ```swift
  /// // ("score" > 10) AND ("name" = 'Arthur')
  /// let condition = [Column("score") > 10, Column("name") == "Arthur"].joined(operator: .and)
  /// ```
  public func joined(operator: SQLExpression.AssociativeBinaryOperator) -> SQLExpression {
    `operator`.joining(map(\.sqlExpression))
  }
}

extension Sequence where Element == any SQLSpecificExpressible {
  /// Returns the expressions joined by an operator.
  public func joined(operator: SQLExpression.AssociativeBinaryOperator) -> SQLExpression {
    `operator`.joining(map(\.sqlExpression))
  }
}
