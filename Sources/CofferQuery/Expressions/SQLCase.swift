import CofferCore

/// `CASE WHEN … THEN … ELSE … END`
///
/// ```swift
/// let level = SQLCase()
///   .when(Column("score") >= 1000, then: "expert")
///   .when(Column("score") >= 100, then: "player")
///   .else("beginner")
/// Player.annotated(with: level.forKey("level"))
/// ```
///
/// The first condition that is true tells the value. It is NULL where none is, and
/// there is no `else`.
/// - Note: <https://www.sqlite.org/lang_expr.html#the_case_expression>
public struct SQLCase: SQLSpecificExpressible, Sendable {
  private let subject: SQLExpression?
  private var branches: [CaseBranch] = []
  private var otherwise: SQLExpression?

  /// Branches by conditions.
  public init() { subject = nil }

  /// Branches by the values of an expression.
  ///
  /// ```swift
  /// SQLCase(Column("kind")).when(1, then: "book").when(2, then: "film")
  /// ```
  public init(_ subject: some SQLExpressible) { self.subject = subject.sqlExpression }

  /// A branch: the value where the condition is true, or the case's expression
  /// equals it.
  public func when(_ condition: any SQLExpressible, then value: (any SQLExpressible)?) -> SQLCase {
    var result = self
    result.branches.append(
      CaseBranch(
        condition: condition.sqlExpression,
        result: value?.sqlExpression ?? SQLExpression(.null)))
    return result
  }

  /// The value where no branch is taken.
  public func `else`(_ value: (any SQLExpressible)?) -> SQLCase {
    var result = self
    result.otherwise = value?.sqlExpression ?? SQLExpression(.null)
    return result
  }

  /// The expression; without a branch, the value of `else`.
  public var sqlExpression: SQLExpression {
    guard !branches.isEmpty else { return otherwise ?? SQLExpression(.null) }
    return SQLExpression(.conditional(of: subject, branches, otherwise: otherwise))
  }
}
