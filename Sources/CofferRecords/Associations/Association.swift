import CofferCore
import CofferQuery

/// A way from the rows of a type to those of another one.
///
/// ```swift
/// extension Author {
///   static let books = hasMany(Book.self)
/// }
/// let request = Author.including(all: Author.books.order(Column("year")))
/// ```
///
/// An association is a request of what it leads to: it can be filtered, ordered, joined with
/// others. Its filter goes into the `ON` of a join, its order after that of the request.
public protocol Association<OriginRowDecoder, RowDecoder>: DerivableRequest, Sendable {
  /// The type that the association starts from.
  associatedtype OriginRowDecoder

  /// The tables on the way, for the library's own use.
  var _association: SQLAssociation { get set }

  /// The association with another key: the name under which what it leads to is decoded, and
  /// under which two uses of it are the same in a request.
  func forKey(_ key: String) -> Self
}

/// An association that leads to one row at most.
public protocol AssociationToOne<OriginRowDecoder, RowDecoder>: Association {}

/// An association that leads to any number of rows.
public protocol AssociationToMany<OriginRowDecoder, RowDecoder>: Association {}

extension Association {
  /// The association with another key, a coding key.
  public func forKey(_ key: some CodingKey) -> Self { forKey(key.stringValue) }

  func with(_ change: (inout SQLAssociation) -> Void) -> Self {
    var result = self
    change(&result._association)
    return result
  }

  func request(_ change: (QueryInterfaceRequest<RowDecoder>) -> QueryInterfaceRequest<RowDecoder>)
    -> Self
  {
    with { association in
      let relation = association.destination.relation
      association.destination.relation = change(QueryInterfaceRequest(relation: relation)).relation
    }
  }
}

extension AssociationToOne {
  /// The association with another key: the name under which the row is decoded.
  public func forKey(_ key: String) -> Self {
    with { $0.destination.key = .fixedSingular(key) }
  }
}

extension AssociationToMany {
  /// The association with another key: the name under which the rows are decoded, a plural.
  ///
  /// One row, where the association is joined, has its singular: `books` is `book`.
  public func forKey(_ key: String) -> Self {
    with { $0.destination.key = .fixedPlural(key) }
  }
}

// MARK: - What a request is

extension Association {
  /// The association with its destination changed.
  public func _with(_ change: (inout _RequestParts) -> Void) -> Self {
    request { $0._with(change) }
  }

  /// The name of the table that the association leads to.
  public var databaseTableName: String { _association.destination.relation.tableName }

  /// The association with the table that it leads to under an alias.
  public func aliased(_ alias: TableAlias<RowDecoder>) -> Self { request { $0.aliased(alias) } }

  /// The association with the table that it leads to under an alias.
  public func aliased(_ alias: TableAlias<Void>) -> Self { request { $0.aliased(alias) } }

  /// The association with another selection, made when there is a database.
  public func selectWhenConnected(
    _ selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
  ) -> Self { request { $0.selectWhenConnected(selection) } }

  /// The association with more selected, made when there is a database.
  public func annotatedWhenConnected(
    with selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
  ) -> Self { request { $0.annotatedWhenConnected(with: selection) } }

  /// The association to rows that fulfil a condition, made when there is a database.
  public func filterWhenConnected(
    _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
  ) -> Self { request { $0.filterWhenConnected(predicate) } }

  /// The association to rows that fulfil a condition.
  @_disfavoredOverload
  public func filter(_ predicate: any SQLExpressible & SQLSelectable) -> Self {
    request { $0.filter(predicate) }
  }

  /// The association with its rows in another order, made when there is a database.
  public func orderWhenConnected(
    _ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]
  ) -> Self { request { $0.orderWhenConnected(orderings) } }

  /// The association with its rows in the opposite order.
  public func reversed() -> Self { request { $0.reversed() } }

  /// The association with its rows in no order.
  public func unordered() -> Self { request { $0.unordered() } }

  /// The association with its rows in their order, and by the primary key where that leaves
  /// rows equal.
  public func withStableOrder() -> Self { request { $0.withStableOrder() } }

  /// The association with its rows in groups, made when there is a database.
  public func groupWhenConnected(
    _ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]
  ) -> Self { request { $0.groupWhenConnected(expressions) } }

  /// The association with a condition for groups, made when there is a database.
  public func havingWhenConnected(
    _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
  ) -> Self { request { $0.havingWhenConnected(predicate) } }

  /// The association without rows that are equal in all that is selected.
  public func distinct() -> Self { request { $0.distinct() } }

  /// The association with a common table expression that it can use.
  public func with<T>(_ cte: CommonTableExpression<T>) -> Self { request { $0.with(cte) } }
}
