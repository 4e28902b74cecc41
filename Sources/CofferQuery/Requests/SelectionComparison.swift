import CofferCore

extension [any SQLSelectable] {
  /// Whether another selection is known to say the same, which is cheap to find out: it is the
  /// same array, or both name the same columns.
  package func isSelection(_ other: [any SQLSelectable]) -> Bool {
    guard count == other.count else { return false }
    let isSameArray = withUnsafeBufferPointer { left in
      other.withUnsafeBufferPointer { right in left.baseAddress == right.baseAddress }
    }
    if isSameArray { return true }
    return zip(self, other).allSatisfy { left, right in
      // The types first: casts take longer.
      guard type(of: left) == type(of: right) else { return false }
      if type(of: left) == AllColumns.self { return true }
      guard let name = left.sqlSelection.columnName else { return false }
      return name == right.sqlSelection.columnName
    }
  }
}

extension SQLSelection {
  /// The name of the column that is selected under its own name; nil for anything else.
  fileprivate var columnName: String? {
    guard case .expression(let expression, name: nil) = content,
      case .node(let node) = expression.content,
      case .column(let name) = node.cast(to: ExpressionNode.self)
    else { return nil }
    return name
  }
}
