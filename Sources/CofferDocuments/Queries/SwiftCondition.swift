import CofferCore
import CofferQuery

// Conditions of documents have Swift's meaning: nil equals only nil, and each condition is true or
// false. In SQL, a condition can also be NULL, and then its negation is NULL too.

extension SQLExpression {
  /// The condition with Swift's meaning, for filters of documents.
  ///
  /// Comparisons by order and searches in strings are false if a side is nil, and their negations
  /// true.
  var swiftCondition: SQLExpression { truth(isNegated: false) }

  /// Returns a condition that is true if this one is true, or if it isn't; otherwise it is false or
  /// NULL.
  private func truth(isNegated: Bool) -> SQLExpression {
    switch expressionNode {
    case .comparison(let comparison, let lhs, let rhs):
      return equality(comparison, lhs, rhs, isNegated: isNegated)
    case .collated(let inner, let collation):
      guard case .comparison(let comparison, let lhs, let rhs) = inner.expressionNode else {
        return isNegated ? isNotTrue : self
      }
      let equality = equality(comparison, lhs, rhs, isNegated: isNegated)
      return SQLExpression(.collated(equality, collation))
    case .not(let operand): return operand.truth(isNegated: !isNegated)
    case .chain(let symbol, let operands) where symbol == .and || symbol == .or:
      let isAnd = (symbol == .and) != isNegated
      return SQLExpression(
        .chain(isAnd ? .and : .or, operands.map { $0.truth(isNegated: isNegated) }))
    case .binary(let symbol, let lhs, let rhs):
      let condition = SQLExpression(.binary(symbol, lhs.operand, rhs.operand))
      return isNegated ? condition.isNotTrue : condition
    case .between(let value, let lower, let upper, let isNot):
      let condition = SQLExpression(.between(value.operand, lower, upper, isNegated: false))
      return isNot != isNegated ? condition.isNotTrue : condition
    case .membership(let value, let collection, let isNot):
      let collection = collection.includingOtherForms
      var condition = SQLExpression(.membership(value.operand, collection, isNegated: false))
      if collection.hasNull {
        let isNull = SQLExpression(.comparison(.is, value.operand, SQLExpression(.null)))
        condition = SQLExpression(.chain(.or, [condition, isNull]))
      }
      return isNot != isNegated ? condition.isNotTrue : condition
    case .match(let symbol, let value, let pattern, let escape, let isNot):
      let condition = SQLExpression(
        .match(symbol, value, pattern, escape: escape, isNegated: false))
      return isNot != isNegated ? condition.isNotTrue : condition
    default: return isNegated ? isNotTrue : self
    }
  }

  private func equality(
    _ comparison: Comparison, _ lhs: SQLExpression, _ rhs: SQLExpression, isNegated: Bool
  ) -> SQLExpression {
    let isEqual = (comparison == .equal || comparison == .is) != isNegated
    let (lhs, rhs) = (lhs.operand, rhs.operand)
    /// Returns the comparison with a value that another one can be read as.
    func numeric(_ value: DatabaseValue?, _ other: SQLExpression) -> SQLExpression? {
      guard let value, let number = DocumentValue.other(value) else { return nil }
      let values = [value, number].map { SQLExpression($0) }
      // SQLite 3.53 searches no index for a choice of two comparisons by a collation.
      if isEqual {
        return SQLExpression(.membership(other, .expressions(values), isNegated: false))
      }
      return SQLExpression(
        .chain(.and, values.map { SQLExpression(.comparison(.isNot, other, $0)) }))
    }
    if let condition = numeric(lhs.value, rhs) ?? numeric(rhs.value, lhs) { return condition }
    // A comparison with a value other than nil needs no `IS`.
    let hasValue = lhs.isNotNull || rhs.isNotNull
    return SQLExpression(
      .comparison(isEqual ? (hasValue ? .equal : .is) : .isNot, lhs, rhs))
  }

  /// The expression as a side of a comparison, where a condition has to be true or false.
  private var operand: SQLExpression {
    switch expressionNode {
    case .comparison, .not, .between, .membership, .match, .exists:
      return swiftCondition.orFalse
    case .chain(let symbol, _) where symbol == .and || symbol == .or:
      return swiftCondition.orFalse
    case .binary(let symbol, _, _) where [" < ", " <= ", " > ", " >= "].contains(symbol):
      return swiftCondition.orFalse
    case .collated(let inner, _):
      if case .comparison = inner.expressionNode { return swiftCondition.orFalse }
      return self
    default: return self
    }
  }

  /// Whether the expression is a value other than NULL.
  private var isNotNull: Bool { value.map { !$0.isNull } ?? false }

  private var orFalse: SQLExpression {
    SQLExpression(.function("IFNULL", [self, SQLExpression(false.databaseValue)]))
  }

  private var isNotTrue: SQLExpression { SQLExpression(.not(orFalse)) }
}

extension SQLCollection {
  /// The collection with the other stored values that are read as one of its values.
  fileprivate var includingOtherForms: SQLCollection {
    switch self {
    case .expressions(let expressions):
      let others = expressions.compactMap { $0.value.flatMap { DocumentValue.other($0) } }
      return others.isEmpty ? self : SQLCollection(expressions + others.map { SQLExpression($0) })
    case .array(let array):
      let others = array.storage.values.compactMap { DocumentValue.other($0) }
      return others.isEmpty ? self : .array(ArrayArgument(array.storage.values + others))
    case .query, .table: return self
    }
  }

  /// Whether NULL is one of the values.
  fileprivate var hasNull: Bool {
    switch self {
    case .expressions(let expressions): expressions.contains(where: \.isNull)
    case .array(let array): array.storage.values.contains(where: \.isNull)
    case .query, .table: false
    }
  }
}
