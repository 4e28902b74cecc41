import CofferCore

/// A path from one table to the associated rows of another, as used by the associations of records.
public struct SQLAssociation: Sendable {
  /// A table that is joined to the previous one.
  package struct Step: Sendable {
    package var key: AssociationKey
    package var condition: JoinCondition
    package var relation: Relation
    package var isToMany: Bool

    package init(
      key: AssociationKey, condition: JoinCondition, relation: Relation, isToMany: Bool
    ) {
      self.key = key
      self.condition = condition
      self.relation = relation
      self.isToMany = isToMany
    }
  }

  /// The tables of the path, with the destination last; never empty.
  package var steps: [Step]

  package init(steps: [Step]) { self.steps = steps }

  package init(
    key: AssociationKey, condition: JoinCondition, relation: Relation, isToMany: Bool
  ) {
    steps = [Step(key: key, condition: condition, relation: relation, isToMany: isToMany)]
  }

  /// The last step.
  package var destination: Step {
    get { steps[steps.count - 1] }
    set { steps[steps.count - 1] = newValue }
  }

  /// Returns the association that continues from the end of another one.
  package func through(_ pivot: SQLAssociation) -> SQLAssociation {
    SQLAssociation(steps: pivot.steps + steps)
  }

  /// Returns the destination's rows that are associated with some rows of the origin.
  ///
  /// ```sql
  /// SELECT destination.* FROM destination JOIN pivot ON … AND condition
  /// ```
  ///
  /// - Parameters:
  ///   - alias: An alias for the first step's table in the result.
  ///   - condition: Returns the condition on the columns of the first step's table that equal
  ///     columns of the origin.
  package func relation(
    alias: (any TableAliasBase)? = nil,
    where condition:
      @escaping @Sendable (Database, [(left: String, right: String)]) throws -> SQLExpression
  ) -> Relation {
    let first = steps[0].condition
    var start = steps[0].reachedRelation
    if let alias { start.aliases.append(alias) }
    return relation(
      from: start.filtered(
        SQLExpression(
          .deferred { db in
            guard let key = first.foreignKey else { throw DatabaseError.joinedByExpression }
            return try condition(db, key.columns(db))
          })))
  }

  /// Returns the destination's rows that are associated with a row of the origin.
  ///
  /// They are those that a join finds.
  ///
  /// - Parameter value: Returns the value of a column of the origin's row.
  package func relation(
    ofRowWith value: @escaping @Sendable (String) throws -> DatabaseValue
  ) -> Relation {
    let first = steps[0].condition
    return relation { db, _ in
      let terms = try (first.foreignKey?.keyColumns(db) ?? []).map { column in
        let value = try value(column.parentName)
        // NULL refers to no row.
        if value.isNull { return false.sqlExpression }
        return column.condition(
          Column(column.name).sqlExpression, value.sqlExpression, column.comparison(with: value))
      }
      return terms.contains { $0.value != nil }
        ? false.sqlExpression : terms.joined(operator: .and)
    }
  }

  /// Returns the destination's rows, with others joined to the first step's table.
  func relation(joining child: RelationChild) -> Relation {
    var start = steps[0].reachedRelation
    start.children.append(child)
    return relation(from: start)
  }

  /// Returns the destination's rows that are associated with a row of an outer query.
  func relation(of origin: some TableAliasBase) -> Relation {
    switch steps[0].condition {
    case .foreignKey, .first:
      return relation { _, columns in
        columns.map { Column($0.right) == origin[$0.left] }.joined(operator: .and)
      }
    case .expression(let expression):
      let condition = expression.condition
      var start = steps[0].relation
      start.aliases.append(condition.right)
      return relation(
        from: start.filtered(
          SQLExpression(
            node: OriginCondition(
              expression: condition.expression, alias: condition.left, origin: origin))))
    case .none: return relation(from: steps[0].relation)
    }
  }

  /// Returns the destination's rows that are associated with rows of the first step's table.
  private func relation(from start: Relation) -> Relation {
    var current = start
    for index in 1..<max(steps.count, 1) {
      var next = steps[index].reachedRelation
      next.children.append(
        RelationChild(
          key: "", kind: .oneRequired, condition: steps[index].condition.reversed,
          relation: current.joinedOnly, isReached: true))
      current = next
    }
    return current
  }
}

/// The condition of an association, for the row of an outer query.
private struct OriginCondition<Origin: TableAliasBase>: SQLNode {
  let expression: SQLExpression
  let alias: any TableAliasBase
  let origin: Origin

  func render(into renderer: inout SQLRenderer) throws {
    renderer.tables[ObjectIdentifier(alias)] = try renderer.table(of: origin)
    try renderer.append(expression)
  }
}

extension SQLAssociation.Step {
  /// The step's rows, without those that the condition excludes for every left row.
  fileprivate var reachedRelation: Relation {
    guard case .first(let key, let base, _) = condition else { return relation }
    // Keeps each row that is the first of its group.
    let row = TableAlias()
    let table = relation.tableName
    var result = relation
    result.aliases.append(row)
    return result.filtered(
      SQLExpression(
        .deferred { db in
          let ids = try db.identityColumns(of: table)
          var query = base
          query.selection = [.value(ids.map { Column($0).sqlSelection })]
          query.limit = Relation.Limit(count: 1, offset: nil)
          for column in try key.columns(db) {
            query = query.filtered(comparison(.equal, Column(column.right), row[column.right]))
          }
          let id = ids.map { row[$0] }
          return comparison(
            .equal, id.count == 1 ? id[0] : SQLExpression(.tuple(id)),
            SQLExpression(node: ParenthesizedQuery(query: SQLSubquery(node: query))))
        }))
  }
}

extension DatabaseError {
  /// The error for an association whose condition isn't a foreign key.
  static var joinedByExpression: DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: "an association without a foreign key can be joined only",
      hint: "Use `including(required:)`, `including(optional:)` or `joining`.")
  }
}
