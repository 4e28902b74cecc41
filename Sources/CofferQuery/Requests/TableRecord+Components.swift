import CofferCore

// Requests from closures that receive the type's columns.

extension TableRecord {
  /// Returns a request for rows that satisfy a condition.
  public static func filter(
    _ predicate: (DatabaseComponents) throws -> any SQLExpressible
  ) rethrows -> QueryInterfaceRequest<Self> { try all().filter(predicate) }

  /// Returns a request with another selection.
  public static func select(
    _ selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) rethrows -> QueryInterfaceRequest<Self> { try all().select(selection) }

  /// Returns a request with another selection.
  @_disfavoredOverload
  public static func select(
    _ selection: (DatabaseComponents) throws -> any SQLSelectable
  ) rethrows -> QueryInterfaceRequest<Self> { try all().select(selection) }

  /// Returns a request with another selection, decoded to another type.
  public static func select<T>(
    _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: T.Type = T.self
  ) rethrows -> QueryInterfaceRequest<T> { try all().select(selection, as: type) }

  /// Returns a request with another selection, decoded to another type.
  @_disfavoredOverload
  public static func select<T>(
    _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: T.Type = T.self
  ) rethrows -> QueryInterfaceRequest<T> { try all().select(selection, as: type) }

  /// Returns a request with additional selections.
  public static func annotated(
    with selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) rethrows -> QueryInterfaceRequest<Self> { try all().annotated(with: selection) }

  /// Returns a request with an additional selection.
  public static func annotated(
    with selection: (DatabaseComponents) throws -> any SQLSelectable
  ) rethrows -> QueryInterfaceRequest<Self> { try all().annotated(with: selection) }

  /// Returns a request with an ordering.
  public static func order(
    _ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]
  ) rethrows -> QueryInterfaceRequest<Self> { try all().order(orderings) }

  /// Returns a request with an ordering.
  public static func order(
    _ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm
  ) rethrows -> QueryInterfaceRequest<Self> { try all().order(ordering) }
}
