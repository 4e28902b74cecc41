/// The name of what an association leads to, in rows and in requests.
package enum AssociationKey: Hashable, Sendable {
  /// A table's name, singular or plural as it is needed.
  case inflected(String)
  /// What a user calls one row; many are its plural.
  case fixedSingular(String)
  /// What a user calls many rows; one is its singular.
  case fixedPlural(String)

  /// The name of one row.
  package var singular: String {
    switch self {
    case .inflected(let name), .fixedPlural(let name): Inflections.default.singularize(name)
    case .fixedSingular(let name): name
    }
  }

  /// The name of many rows.
  package var plural: String {
    switch self {
    case .inflected(let name):
      Inflections.default.pluralize(Inflections.default.singularize(name))
    case .fixedSingular(let name): Inflections.default.pluralize(name)
    case .fixedPlural(let name): name
    }
  }

  package func name(isSingular: Bool) -> String { isSingular ? singular : plural }
}
