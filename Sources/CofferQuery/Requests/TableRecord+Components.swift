import CofferCore

// Requests from closures that get the type's columns.

extension TableRecord {
  /// A request for rows that fulfil a condition.
  public static func filter(
    _ predicate: (DatabaseComponents) throws -> any SQLExpressible
  ) rethrows -> QueryInterfaceRequest<Self> { try all().filter(predicate) }

  /// A request that selects something else.
  public static func select(
    _ selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) rethrows -> QueryInterfaceRequest<Self> { try all().select(selection) }

  /// A request that selects something else.
  @_disfavoredOverload
  public static func select(
    _ selection: (DatabaseComponents) throws -> any SQLSelectable
  ) rethrows -> QueryInterfaceRequest<Self> { try all().select(selection) }

  /// A request that selects something else, its rows decoded to a type.
  public static func select<T>(
    _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: T.Type = T.self
  ) rethrows -> QueryInterfaceRequest<T> { try all().select(selection, as: type) }

  /// A request that selects something else, its rows decoded to a type.
  public static func select<T>(
    _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: T.Type = T.self
  ) rethrows -> QueryInterfaceRequest<T> { try all().select(selection, as: type) }

  /// A request that selects more.
  public static func annotated(
    with selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) rethrows -> QueryInterfaceRequest<Self> { try all().annotated(with: selection) }

  /// A request that selects more.
  public static func annotated(
    with selection: (DatabaseComponents) throws -> any SQLSelectable
  ) rethrows -> QueryInterfaceRequest<Self> { try all().annotated(with: selection) }

  /// A request in an order.
  public static func order(
    _ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]
  ) rethrows -> QueryInterfaceRequest<Self> { try all().order(orderings) }

  /// A request in an order.
  public static func order(
    _ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm
  ) rethrows -> QueryInterfaceRequest<Self> { try all().order(ordering) }
}
