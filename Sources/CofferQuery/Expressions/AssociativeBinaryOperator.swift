import CofferCore

extension SQLExpression {
  /// An operator that joins any number of expressions: see
  /// ``Swift/Sequence/joined(operator:)``.
  public struct AssociativeBinaryOperator: Hashable, Sendable {
    /// The operator, with spaces around it.
    let sql: String
    /// What no operands at all amount to.
    let emptySQL: String
    /// Whether `(a ∘ b) ∘ c` is the same as `a ∘ (b ∘ c)` in every bit, which it
    /// isn't for sums and products of floating-point numbers.
    let isExact: Bool

    /// `+`; no operands are 0.
    public static let add = AssociativeBinaryOperator(sql: " + ", emptySQL: "0", isExact: false)
    /// `*`; no operands are 1.
    public static let multiply = AssociativeBinaryOperator(
      sql: " * ", emptySQL: "1", isExact: false)
    /// `AND`; no operands are true.
    public static let and = AssociativeBinaryOperator(sql: " AND ", emptySQL: "1", isExact: true)
    /// `OR`; no operands are false.
    public static let or = AssociativeBinaryOperator(sql: " OR ", emptySQL: "0", isExact: true)
    /// `||`, for text; no operands are the empty text.
    public static let concat = AssociativeBinaryOperator(
      sql: " || ", emptySQL: "''", isExact: true)
    /// `&`, bit by bit; no operands are all bits.
    public static let bitwiseAnd = AssociativeBinaryOperator(
      sql: " & ", emptySQL: "-1", isExact: true)
    /// `|`, bit by bit; no operands are no bit.
    public static let bitwiseOr = AssociativeBinaryOperator(
      sql: " | ", emptySQL: "0", isExact: true)

    /// The operands joined. Those that are joined by the same operator already
    /// are taken apart where that makes no difference.
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
  /// The expressions with an operator between them.
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
  /// The expressions with an operator between them.
  public func joined(operator: SQLExpression.AssociativeBinaryOperator) -> SQLExpression {
    `operator`.joining(map(\.sqlExpression))
  }
}
