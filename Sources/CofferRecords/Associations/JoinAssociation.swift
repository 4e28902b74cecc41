import CofferQuery

/// An association by a condition, to a common table expression or a table.
///
/// It can be joined, and included as one row; there is no foreign key by which rows could be
/// fetched along.
public struct JoinAssociation<Origin, Destination>: AssociationToOne {
  /// The type that the association starts from.
  public typealias OriginRowDecoder = Origin
  /// The type that the association leads to.
  public typealias RowDecoder = Destination

  /// The tables on the way, for the library's own use.
  public var _association: SQLAssociation
}
