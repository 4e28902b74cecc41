import CofferCore

// Conditions of known types, without any generics: what most conditions are made of.
// The compiler gets to these first, and needn't try the generic forms, of which
// there are many once they are nested.

/// `lhs AND rhs`.
public func && (lhs: TypedPredicate, rhs: TypedPredicate) -> TypedPredicate {
  joining(.and, lhs, rhs)
}

/// `lhs AND rhs`.
public func && (lhs: TypedPredicate, rhs: TypedColumn<Bool>) -> TypedPredicate {
  joining(.and, lhs, rhs)
}

/// `lhs AND rhs`.
public func && (lhs: TypedColumn<Bool>, rhs: TypedPredicate) -> TypedPredicate {
  joining(.and, lhs, rhs)
}

/// `lhs AND rhs`.
public func && (lhs: SQLExpression, rhs: SQLExpression) -> SQLExpression {
  joining(.and, lhs, rhs).sqlExpression
}

/// `lhs AND rhs`.
public func && (lhs: TypedPredicate, rhs: SQLExpression) -> SQLExpression {
  joining(.and, lhs, rhs).sqlExpression
}

/// `lhs AND rhs`.
public func && (lhs: SQLExpression, rhs: TypedPredicate) -> SQLExpression {
  joining(.and, lhs, rhs).sqlExpression
}

/// `lhs OR rhs`.
public func || (lhs: TypedPredicate, rhs: TypedPredicate) -> TypedPredicate {
  joining(.or, lhs, rhs)
}

/// `lhs OR rhs`.
public func || (lhs: TypedPredicate, rhs: TypedColumn<Bool>) -> TypedPredicate {
  joining(.or, lhs, rhs)
}

/// `lhs OR rhs`.
public func || (lhs: TypedColumn<Bool>, rhs: TypedPredicate) -> TypedPredicate {
  joining(.or, lhs, rhs)
}

/// `lhs OR rhs`.
public func || (lhs: SQLExpression, rhs: SQLExpression) -> SQLExpression {
  joining(.or, lhs, rhs).sqlExpression
}

/// `lhs OR rhs`.
public func || (lhs: TypedPredicate, rhs: SQLExpression) -> SQLExpression {
  joining(.or, lhs, rhs).sqlExpression
}

/// `lhs OR rhs`.
public func || (lhs: SQLExpression, rhs: TypedPredicate) -> SQLExpression {
  joining(.or, lhs, rhs).sqlExpression
}

/// `NOT operand`, or the operand's own negation: `<>`, `NOT IN`, ….
public prefix func ! (operand: TypedPredicate) -> TypedPredicate {
  TypedPredicate(operand.sqlExpression.negated)
}

/// `NOT operand`, or the operand's own negation: `<>`, `NOT IN`, ….
public prefix func ! (operand: TypedColumn<Bool>) -> TypedPredicate {
  TypedPredicate(operand.sqlExpression.negated)
}

/// `NOT operand`, or the operand's own negation: `<>`, `NOT IN`, ….
public prefix func ! (operand: SQLExpression) -> SQLExpression {
  operand.sqlExpression.negated
}
