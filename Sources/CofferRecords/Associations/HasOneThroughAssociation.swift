import CofferQuery

/// An association to the single row through another table.
///
/// ```swift
/// extension Book {
///   static let library = belongsTo(Library.self)
///   static let address = hasOne(Address.self, through: library, using: Library.address)
/// }
/// ```
public struct HasOneThroughAssociation<Origin, Destination>: AssociationToOne {
  /// The type that the association starts from.
  public typealias OriginRowDecoder = Origin
  /// The type that the association leads to.
  public typealias RowDecoder = Destination

  /// The joined tables, for internal use.
  public var _association: SQLAssociation
}
