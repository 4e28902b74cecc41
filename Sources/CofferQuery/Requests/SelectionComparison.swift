import CofferCore

extension [any SQLSelectable] {
  /// Returns whether another selection is known to be equal by a cheap comparison.
  ///
  /// It is the same array, or has the same columns by name.
  package func isSelection(_ other: [any SQLSelectable]) -> Bool {
    guard count == other.count else { return false }
    let isSameArray = unsafe withUnsafeBufferPointer { left in
      unsafe other.withUnsafeBufferPointer { right in unsafe left.baseAddress == right.baseAddress }
    }
    if isSameArray { return true }
    return zip(self, other).allSatisfy { left, right in
      // Compares the types first, since casts are slower.
      guard type(of: left) == type(of: right) else { return false }
      if type(of: left) == AllColumns.self { return true }
      guard let name = left.sqlSelection.columnName else { return false }
      return name == right.sqlSelection.columnName
    }
  }
}

extension SQLSelection {
  /// The name of a column that is selected without renaming; nil for other selections.
  fileprivate var columnName: String? {
    guard case .expression(let expression, name: nil) = content,
      case .node(let node) = expression.content,
      case .column(let name) = node.cast(to: ExpressionNode.self)
    else { return nil }
    return name
  }
}
