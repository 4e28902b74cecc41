import CofferQuery

/// An association to the single row that a row refers to.
///
/// ```swift
/// extension Book {
///   static let author = belongsTo(Author.self)
/// }
/// ```
public struct BelongsToAssociation<Origin, Destination>: AssociationToOne {
  /// The type that the association starts from.
  public typealias OriginRowDecoder = Origin
  /// The type that the association leads to.
  public typealias RowDecoder = Destination

  /// The joined tables, for internal use.
  public var _association: SQLAssociation
}
