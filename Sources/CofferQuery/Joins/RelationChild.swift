import CofferCore

/// A relation that is joined to another one, or fetched along with it.
package struct RelationChild: Sendable {
  package enum Kind: Sendable {
    /// Joined with `JOIN`.
    case oneRequired
    /// Joined with `LEFT JOIN`.
    case oneOptional
    /// Fetched by a separate query.
    case all
    /// Only leads to relations that are fetched by separate queries.
    case bridge

    /// Whether the table is joined in the parent's query.
    var isJoined: Bool { self == .oneRequired || self == .oneOptional }
  }

  package let key: String
  package var kind: Kind
  package var condition: JoinCondition
  package var relation: Relation
  /// Whether the child leads back to an association's origin; it is never merged.
  var isReached = false

  /// Returns whether two children of a relation can be merged.
  ///
  /// Prefetched rows and a bridge to others stay separate, even with the same key.
  fileprivate func isSame(as other: RelationChild) -> Bool {
    key == other.key && !isReached && !other.isReached
      && (kind == other.kind || (kind != .all && other.kind != .all)
        || (kind.isJoined || other.kind.isJoined))
  }

  /// Merges another child with the same key.
  fileprivate mutating func merge(_ other: RelationChild) {
    if case .expression = condition, case .expression = other.condition {
      // Closures can't be compared: the last one wins.
      condition = other.condition
    }
    let isAmbiguous =
      (kind == .all) != (other.kind == .all)
      || !condition.isSame(as: other.condition) || !relation.canMerge(other.relation)
    if other.kind == .oneRequired || kind == .bridge { kind = other.kind }
    relation.merge(other.relation)
    if isAmbiguous { relation.conflict = key }
  }
}

extension Relation {
  // MARK: Adding associations

  /// How a request uses an association.
  package enum AssociationUse: Sendable {
    case includingAll, includingOptional, includingRequired, joiningOptional, joiningRequired

    fileprivate var kind: RelationChild.Kind {
      switch self {
      case .includingAll: .all
      case .includingOptional, .joiningOptional: .oneOptional
      case .includingRequired, .joiningRequired: .oneRequired
      }
    }

    fileprivate var isSelected: Bool {
      self != .joiningOptional && self != .joiningRequired
    }
  }

  /// Adds an association.
  package mutating func add(_ association: SQLAssociation, as use: AssociationUse) {
    let isPrefetched = use == .includingAll
    let destination = association.destination
    var child = RelationChild(
      key: destination.key.name(isSingular: !isPrefetched), kind: use.kind,
      condition: destination.condition, relation: destination.relation)
    if !use.isSelected { child.relation.selection = [] }
    for step in association.steps.dropLast().reversed() {
      var relation = step.relation
      relation.selection = []
      relation.add(child)
      child = RelationChild(
        key: step.key.name(isSingular: !isPrefetched || !step.isToMany),
        kind: isPrefetched ? .bridge : use.kind, condition: step.condition, relation: relation)
    }
    add(child)
  }

  /// Joins an association and adds its selection to the relation's selection.
  package mutating func annotate(with association: SQLAssociation, as use: AssociationUse) {
    var association = association
    let alias = TableAlias()
    association.destination.relation.aliases.append(alias)
    for part in association.destination.relation.selection {
      switch part {
      case .value(let selection): self.selection.append(.value(selection.map { alias[$0] }))
      case .made(let make):
        self.selection.append(.made { try make($0).map { alias[$0] } })
      }
    }
    add(association, as: use)
  }

  private mutating func add(_ child: RelationChild) {
    if let index = children.firstIndex(where: { $0.isSame(as: child) }) {
      children[index].merge(child)
    } else {
      children.append(child)
    }
  }

  /// Merges another relation of the same table.
  fileprivate mutating func merge(_ other: Relation) {
    conflict = conflict ?? other.conflict
    aliases += other.aliases.filter { alias in !aliases.contains { $0 === alias } }
    if !other.selection.isEmpty { selection = other.selection }
    isDistinct = isDistinct || other.isDistinct
    if let condition = other.filter { addFilter(condition) }
    if !other.ordering.isEmpty { ordering = other.ordering }
    if !other.grouping.isEmpty { grouping = other.grouping }
    aggregated += other.aggregated
    isGroupedByRow = isGroupedByRow || other.isGroupedByRow
    if let condition = other.having { addHaving(condition) }
    limit = limit ?? other.limit
    for expression in other.tableExpressions { add(expression) }
    for child in other.children { add(child) }
  }

  fileprivate func canMerge(_ other: Relation) -> Bool {
    guard limit == nil || other.limit == nil, case .table(let name) = source,
      case .table(let otherName) = other.source
    else {
      return false
    }
    return name.isSameName(as: otherName)
  }

  // MARK: Parts

  /// The relation for a join: without its selection and its prefetched associations.
  package var joinedOnly: Relation {
    var result = self
    result.selection = []
    result.children = children.compactMap { child in
      guard child.kind.isJoined else { return nil }
      var child = child
      child.relation = child.relation.joinedOnly
      return child
    }
    return result
  }

  /// Whether other tables are joined in the relation's query.
  var hasJoins: Bool { children.contains { $0.kind.isJoined } }

  /// Whether associations are fetched by other queries.
  var hasPrefetches: Bool {
    children.contains { $0.kind == .all || $0.relation.hasPrefetches }
      || shownParts.contains { $0.hasPrefetches }
  }
}
