import CofferQuery

/// An association by a condition, to a common table expression or a table.
///
/// It can be joined, or included as one row. Rows can't be prefetched, since there is no foreign
/// key.
public struct JoinAssociation<Origin, Destination>: AssociationToOne {
  /// The type that the association starts from.
  public typealias OriginRowDecoder = Origin
  /// The type that the association leads to.
  public typealias RowDecoder = Destination

  /// The joined tables, for internal use.
  public var _association: SQLAssociation
}
