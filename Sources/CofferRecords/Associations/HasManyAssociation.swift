import CofferQuery

/// An association to the rows that refer to a row.
///
/// ```swift
/// extension Author {
///   static let books = hasMany(Book.self)
/// }
/// ```
public struct HasManyAssociation<Origin, Destination>: AssociationToMany {
  /// The type that the association starts from.
  public typealias OriginRowDecoder = Origin
  /// The type that the association leads to.
  public typealias RowDecoder = Destination

  /// The joined tables, for internal use.
  public var _association: SQLAssociation
}
