import CofferCore

extension Relation {
  /// Groups rows by the primary key, where they aren't grouped by something else.
  package mutating func groupByPrimaryKeyIfNeeded() {
    guard grouping.isEmpty else { return }
    let table = tableName
    grouping = [
      .made { try $0.groupingColumns(of: table).map { Column($0).sqlExpression } }
    ]
  }
}

extension ExpressionNode {
  /// What tells the rows of a table apart, as one value: NULL beside rows that have none.
  package static func rowIdentity(ofTable table: String) -> ExpressionNode {
    .deferred { db in
      let key = try db.primaryKey(table)
      if let column = key.rowIDName ?? key.singleColumn { return Column(column).sqlExpression }
      // Without a rowid, all columns as one text.
      let parts = key.columns.map { SQLExpression(.function("QUOTE", [Column($0).sqlExpression])) }
      let text = SQLExpression.AssociativeBinaryOperator.concat.joining(parts)
      let exists: SQLExpression = Column(key.columns[0]) != nil
      return SQLExpression(
        .conditional(of: nil, [CaseBranch(condition: exists, result: text)], otherwise: nil))
    }
  }
}
