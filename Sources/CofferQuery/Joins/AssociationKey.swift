/// The name of an association's destination in rows and requests.
package enum AssociationKey: Hashable, Sendable {
  /// A table's name, made singular or plural as needed.
  case inflected(String)
  /// A custom name for one row; its plural names several rows.
  case fixedSingular(String)
  /// A custom name for several rows; its singular names one row.
  case fixedPlural(String)

  /// The name for one row.
  package var singular: String {
    switch self {
    case .inflected(let name), .fixedPlural(let name): Inflections.default.singularize(name)
    case .fixedSingular(let name): name
    }
  }

  /// The name for several rows.
  var plural: String {
    switch self {
    case .inflected(let name):
      Inflections.default.pluralize(Inflections.default.singularize(name))
    case .fixedSingular(let name): Inflections.default.pluralize(name)
    case .fixedPlural(let name): name
    }
  }

  package func name(isSingular: Bool) -> String { isSingular ? singular : plural }
}
