import CofferCore
import CofferQuery

extension AssociationToMany {
  /// Returns the association to the first row in an order.
  ///
  /// For example, the latest message of each conversation, or the best player of each team:
  ///
  /// ```swift
  /// extension Conversation {
  ///   static let messages = hasMany(Message.self)
  ///   static let latest = messages.first(orderedBy: Column("date").desc).forKey("latest")
  /// }
  /// // One query: SELECT "conversation".*, "message".* FROM "conversation"
  /// // LEFT JOIN "message" ON "message"."id" = (SELECT "id" FROM "message" WHERE … LIMIT 1)
  /// Conversation.including(optional: Conversation.latest)
  /// ```
  ///
  /// Of rows with equal ordering values, the first is the row with the smallest primary key. The
  /// association's filter limits the rows.
  ///
  /// - Precondition: The association has one step: it isn't `hasMany(through:)`.
  /// - Complexity: One lookup for each row of the request, for which an index on the foreign key
  ///   and the ordering helps.
  public func first(
    orderedBy orderings: any SQLOrderingTerm...
  ) -> HasOneAssociation<OriginRowDecoder, RowDecoder> {
    first(order(orderings)._association)
  }

  /// Returns the association to the first row in the order of this association.
  public func first() -> HasOneAssociation<OriginRowDecoder, RowDecoder> { first(_association) }

  private func first(
    _ association: SQLAssociation
  ) -> HasOneAssociation<OriginRowDecoder, RowDecoder> {
    guard association.steps.count == 1, case .foreignKey(let key) = association.steps[0].condition
    else { preconditionFailure("only an association of one step can have a first row") }
    var step = association.steps[0]
    step.condition = .first(key, of: step.relation.ordered, id: JoinIdentity())
    step.relation.filter = nil
    step.relation.ordering = RelationOrdering()
    step.isToMany = false
    return HasOneAssociation(_association: SQLAssociation(steps: [step]))
  }
}

extension AssociationToMany where _Record: TableRecord {
  /// Returns the association to the first row in an order.
  ///
  /// ```swift
  /// static let latest = messages.first { $0.date.desc }
  /// ```
  public func first(
    orderedBy ordering: (DatabaseComponents) throws -> any SQLOrderingTerm
  ) rethrows -> HasOneAssociation<OriginRowDecoder, RowDecoder> {
    try first(orderedBy: ordering(_Record.databaseComponents))
  }
}

extension Relation {
  /// The relation with an order in which no two rows are equal, as a subquery.
  fileprivate var ordered: Relation {
    var result = joinedOnly
    result.ordering.isStable = true
    return result
  }
}
