import CofferQuery

/// An association to the single row that refers to a row.
///
/// ```swift
/// extension Country {
///   static let profile = hasOne(CountryProfile.self)
/// }
/// ```
public struct HasOneAssociation<Origin, Destination>: AssociationToOne {
  /// The type that the association starts from.
  public typealias OriginRowDecoder = Origin
  /// The type that the association leads to.
  public typealias RowDecoder = Destination

  /// The joined tables, for internal use.
  public var _association: SQLAssociation
}
