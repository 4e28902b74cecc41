import CofferCore

/// An expression `CASE WHEN … THEN … ELSE … END`.
///
/// ```swift
/// let level = SQLCase()
///   .when(Column("score") >= 1000, then: "expert")
///   .when(Column("score") >= 100, then: "player")
///   .else("beginner")
/// Player.annotated(with: level.forKey("level"))
/// ```
///
/// The value is that of the first branch whose condition is true. If there is no such branch, it is
/// the value of `else`, or NULL without `else`.
/// - Note: <https://www.sqlite.org/lang_expr.html#the_case_expression>
public struct SQLCase: SQLSpecificExpressible, Sendable {
  private let subject: SQLExpression?
  private var branches: [CaseBranch] = []
  private var otherwise: SQLExpression?

  /// Creates an expression with a condition for each branch.
  public init() { subject = nil }

  /// Creates an expression that compares `subject` with the value of each branch.
  ///
  /// ```swift
  /// SQLCase(Column("kind")).when(1, then: "book").when(2, then: "film")
  /// ```
  public init(_ subject: some SQLExpressible) { self.subject = subject.sqlExpression }

  /// Returns the expression with another branch.
  ///
  /// The branch is taken if the condition is true, or equals the subject of the expression.
  public func when(_ condition: any SQLExpressible, then value: (any SQLExpressible)?) -> SQLCase {
    var result = self
    result.branches.append(
      CaseBranch(
        condition: condition.sqlExpression,
        result: value?.sqlExpression ?? SQLExpression(.null)))
    return result
  }

  /// Returns the expression with a value for the case that no branch is taken.
  public func `else`(_ value: (any SQLExpressible)?) -> SQLCase {
    var result = self
    result.otherwise = value?.sqlExpression ?? SQLExpression(.null)
    return result
  }

  /// The `CASE` expression, or only the value of `else` if there are no branches.
  public var sqlExpression: SQLExpression {
    guard !branches.isEmpty else { return otherwise ?? SQLExpression(.null) }
    return SQLExpression(.conditional(of: subject, branches, otherwise: otherwise))
  }
}
