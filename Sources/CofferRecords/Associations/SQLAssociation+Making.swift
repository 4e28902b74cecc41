import CofferCore
import CofferQuery

/// An association that is created from tables.
protocol AssociationMaking: Association {
  /// Whether the origin has the foreign key; otherwise, the destination has it.
  static var leftIsOrigin: Bool { get }

  init(_association: SQLAssociation)
}

extension AssociationMaking {
  static var leftIsOrigin: Bool { false }

  /// Creates an association by a foreign key.
  init(
    from origin: String, to destination: QueryInterfaceRequest<RowDecoder>, key: String?,
    using foreignKey: ForeignKey?
  ) {
    let relation = destination.relation
    let (left, right) =
      Self.leftIsOrigin ? (origin, relation.tableName) : (relation.tableName, origin)
    let join = JoinForeignKey(
      from: left, to: right, key: foreignKey, leftIsOrigin: Self.leftIsOrigin)
    let isToMany = Self.self is any AssociationToMany.Type
    let fixed: AssociationKey? = key.map { isToMany ? .fixedPlural($0) : .fixedSingular($0) }
    self.init(
      _association: SQLAssociation(
        key: fixed ?? .inflected(relation.tableName), condition: .foreignKey(join),
        relation: relation, isToMany: isToMany))
  }

  /// Creates an association through another association.
  init(through pivot: some Association, using target: some Association, key: String?) {
    self.init(_association: target._association.through(pivot._association))
    if let key { self = forKey(key) }
  }
}

extension BelongsToAssociation: AssociationMaking {
  static var leftIsOrigin: Bool { true }
}

extension HasOneAssociation: AssociationMaking {}
extension HasManyAssociation: AssociationMaking {}
extension HasManyThroughAssociation: AssociationMaking {}
extension HasOneThroughAssociation: AssociationMaking {}

extension JoinAssociation {
  /// Creates an association to all rows of a request.
  init(to destination: QueryInterfaceRequest<Destination>) {
    self.init(to: destination.relation, .none)
  }

  /// Creates an association to the rows of a request that fulfill a condition.
  init(
    to destination: QueryInterfaceRequest<Destination>,
    on condition:
      @escaping @Sendable (TableAlias<Origin>, TableAlias<Destination>) -> any SQLExpressible
  ) {
    let join = JoinExpression {
      let (left, right) = (TableAlias<Origin>(), TableAlias<Destination>())
      return (left: left, right: right, expression: condition(left, right).sqlExpression)
    }
    self.init(to: destination.relation, .expression(join))
  }

  private init(to relation: Relation, _ condition: JoinCondition) {
    self.init(
      _association: SQLAssociation(
        key: .inflected(relation.tableName), condition: condition, relation: relation,
        isToMany: false))
  }
}
