import CofferQuery

/// An association to rows through another table.
///
/// ```swift
/// extension Country {
///   static let passports = hasMany(Passport.self)
///   static let citizens = hasMany(Citizen.self, through: passports, using: Passport.citizen)
/// }
/// ```
public struct HasManyThroughAssociation<Origin, Destination>: AssociationToMany {
  /// The type that the association starts from.
  public typealias OriginRowDecoder = Origin
  /// The type that the association leads to.
  public typealias RowDecoder = Destination

  /// The joined tables, for internal use.
  public var _association: SQLAssociation
}
