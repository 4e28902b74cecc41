import CofferCore
import CofferQuery

extension SQLAssociation {
  static func belongsTo(
    from origin: String, relation: Relation, key: String?, using foreignKey: ForeignKey?
  ) -> SQLAssociation {
    one(from: origin, relation, key: key, foreignKey, leftIsOrigin: true)
  }

  static func hasOne(
    from origin: String, relation: Relation, key: String?, using foreignKey: ForeignKey?
  ) -> SQLAssociation {
    one(from: origin, relation, key: key, foreignKey, leftIsOrigin: false)
  }

  static func hasMany(
    from origin: String, relation: Relation, key: String?, using foreignKey: ForeignKey?
  ) -> SQLAssociation {
    let join = JoinForeignKey(
      from: relation.tableName, to: origin, key: foreignKey, leftIsOrigin: false)
    return SQLAssociation(
      key: key.map { .fixedPlural($0) } ?? .inflected(relation.tableName),
      condition: .foreignKey(join), relation: relation, isToMany: true)
  }

  private static func one(
    from origin: String, _ relation: Relation, key: String?, _ foreignKey: ForeignKey?,
    leftIsOrigin: Bool
  ) -> SQLAssociation {
    let join =
      leftIsOrigin
      ? JoinForeignKey(
        from: origin, to: relation.tableName, key: foreignKey, leftIsOrigin: true)
      : JoinForeignKey(
        from: relation.tableName, to: origin, key: foreignKey, leftIsOrigin: false)
    return SQLAssociation(
      key: key.map { .fixedSingular($0) } ?? .inflected(relation.tableName),
      condition: .foreignKey(join), relation: relation, isToMany: false)
  }

  /// The association to a common table expression.
  static func expression<Destination>(
    _ cte: CommonTableExpression<Destination>
  ) -> SQLAssociation {
    expression(cte.all().relation)
  }

  /// The association to all rows of a relation.
  static func expression(_ relation: Relation) -> SQLAssociation {
    SQLAssociation(
      key: .inflected(relation.tableName), condition: .none, relation: relation, isToMany: false)
  }

  /// The association to a common table expression, by a condition.
  static func expression<Origin, Destination>(
    _ cte: CommonTableExpression<Destination>,
    on condition:
      @escaping @Sendable (TableAlias<Origin>, TableAlias<Destination>) -> any SQLExpressible
  ) -> SQLAssociation {
    expression(cte.all().relation, on: condition)
  }

  /// The association to a relation, by a condition.
  static func expression<Origin, Destination>(
    _ relation: Relation,
    on condition:
      @escaping @Sendable (TableAlias<Origin>, TableAlias<Destination>) -> any SQLExpressible
  ) -> SQLAssociation {
    let join = JoinExpression {
      let (left, right) = (TableAlias<Origin>(), TableAlias<Destination>())
      return (left: left, right: right, expression: condition(left, right).sqlExpression)
    }
    return SQLAssociation(
      key: .inflected(relation.tableName), condition: .expression(join), relation: relation,
      isToMany: false)
  }
}
