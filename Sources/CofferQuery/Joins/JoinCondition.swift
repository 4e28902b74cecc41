import CofferCore

/// The condition for joining rows of two tables.
///
/// The right table is joined to the left one.
package enum JoinCondition: Sendable {
  case foreignKey(JoinForeignKey)
  /// A foreign key, limited to the first right row of a relation.
  case first(JoinForeignKey, of: Relation, id: JoinIdentity)
  case expression(JoinExpression)
  /// No condition: all rows are joined.
  case none

  /// The foreign key; nil for other conditions.
  package var foreignKey: JoinForeignKey? {
    switch self {
    case .foreignKey(let key), .first(let key, _, _): key
    case .expression, .none: nil
    }
  }

  /// The condition with left and right exchanged.
  package var reversed: JoinCondition {
    switch self {
    case .foreignKey(let key), .first(let key, _, _): .foreignKey(key.reversed)
    case .expression(let expression): .expression(expression.reversed)
    case .none: .none
    }
  }

  /// Returns whether both conditions are known to be the same.
  func isSame(as other: JoinCondition) -> Bool {
    switch (self, other) {
    case (.foreignKey(let lhs), .foreignKey(let rhs)): lhs == rhs
    case (.first(_, _, let lhs), .first(_, _, let rhs)): lhs === rhs
    case (.expression(let lhs), .expression(let rhs)): lhs.id === rhs.id
    case (.none, .none): true
    default: false
    }
  }
}

/// The identity of conditions that can't be compared.
package final class JoinIdentity: Sendable {
  package init() {}
}

/// A condition written as a Swift closure.
package struct JoinExpression: Sendable {
  /// Two aliases and an expression with columns of both.
  package typealias Condition = (
    left: any TableAliasBase, right: any TableAliasBase, expression: SQLExpression
  )

  fileprivate let id = JoinIdentity()
  private let make: @Sendable () -> Condition
  private var isReversed = false

  package init(_ make: @escaping @Sendable () -> Condition) { self.make = make }

  var reversed: JoinExpression {
    var result = self
    result.isReversed.toggle()
    return result
  }

  var condition: Condition {
    let condition = make()
    guard isReversed else { return condition }
    return (left: condition.right, right: condition.left, expression: condition.expression)
  }
}

extension JoinCondition {
  /// Returns the terms of the condition for two tables of a query.
  func terms(
    left: SQLRenderer.NamedTable, right: SQLRenderer.NamedTable, in renderer: inout SQLRenderer
  ) throws -> [SQLExpression] {
    switch self {
    case .foreignKey(let key):
      return try key.columns(renderer.database).map { columns in
        comparison(.equal, right.column(columns.right), left.column(columns.left))
      }
    case .first(let key, let relation, _):
      let ids = try renderer.database.identityColumns(of: relation.tableName)
      let columns = try key.columns(renderer.database)
      let query = relation.selecting(ids).filtered(
        SQLExpression.AssociativeBinaryOperator.and.joining(
          columns.map { comparison(.equal, Column($0.right), left.column($0.left)) }))
      let id = ids.map { right.column($0) }
      return [
        comparison(
          .equal, id.count == 1 ? id[0] : SQLExpression(.tuple(id)),
          SQLExpression(node: ParenthesizedQuery(query: SQLSubquery(node: query))))
      ]
    case .expression(let expression):
      let condition = expression.condition
      renderer.tables[ObjectIdentifier(condition.left)] = left
      renderer.tables[ObjectIdentifier(condition.right)] = right
      return [condition.expression]
    case .none: return []
    }
  }
}

extension Relation {
  /// Returns a relation of the first row with only these columns.
  fileprivate func selecting(_ columns: [String]) -> Relation {
    var result = self
    result.selection = [.value(columns.map { Column($0).sqlSelection })]
    result.limit = Limit(count: 1, offset: nil)
    return result
  }
}

extension SQLRenderer.NamedTable {
  /// Returns a column qualified by the table's name.
  func column(_ name: String) -> SQLExpression {
    SQLExpression(node: QualifiedColumn(table: self.name, column: name))
  }
}

private struct QualifiedColumn: SQLNode {
  let table: String
  let column: String

  func render(into renderer: inout SQLRenderer) throws {
    renderer.append(identifier: table)
    renderer.append(".")
    renderer.append(identifier: column)
  }
}
