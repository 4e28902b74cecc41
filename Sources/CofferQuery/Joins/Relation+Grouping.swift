import CofferCore

extension ExpressionNode {
  /// Returns an expression that identifies the rows of a table; NULL for missing rows of a join.
  static func rowIdentity(ofTable table: String) -> ExpressionNode {
    .deferred { db in
      let key = try db.primaryKey(table)
      if let column = key.rowIDName ?? key.singleColumn { return Column(column).sqlExpression }
      // Without a rowid: the key's columns as one text.
      let parts = key.columns.map { SQLExpression(.function("QUOTE", [Column($0).sqlExpression])) }
      let text = SQLExpression.AssociativeBinaryOperator.concat.joining(parts)
      let exists: SQLExpression = Column(key.columns[0]) != nil
      return SQLExpression(
        .conditional(of: nil, [CaseBranch(condition: exists, result: text)], otherwise: nil))
    }
  }
}
