import CofferCore
import CofferQuery

/// A relation between the rows of a type and those of another type.
///
/// ```swift
/// extension Author {
///   static let books = hasMany(Book.self)
/// }
/// let request = Author.including(all: Author.books.order(Column("year")))
/// ```
///
/// An association is a request for its destination: it can be filtered, ordered, and joined with
/// other associations. Its filter becomes part of the `ON` clause of a join, and its order follows
/// that of the request.
public protocol Association<OriginRowDecoder, RowDecoder>: DerivableRequest, Sendable {
  /// The type that the association starts from.
  associatedtype OriginRowDecoder

  /// The joined tables, for internal use.
  var _association: SQLAssociation { get set }

  /// Returns the association with another key: the name under which its destination is decoded.
  ///
  /// Associations with equal keys are joined once in a request.
  func forKey(_ key: String) -> Self
}

/// An association that leads to at most one row.
public protocol AssociationToOne<OriginRowDecoder, RowDecoder>: Association {}

/// An association that leads to any number of rows.
public protocol AssociationToMany<OriginRowDecoder, RowDecoder>: Association {}

extension Association {
  /// Returns the association with a coding key as its key.
  public func forKey(_ key: some CodingKey) -> Self { forKey(key.stringValue) }

  func with(_ change: (inout SQLAssociation) -> Void) -> Self {
    var result = self
    change(&result._association)
    return result
  }
}

extension AssociationToOne {
  /// Returns the association with another key: the name under which the row is decoded.
  public func forKey(_ key: String) -> Self {
    with { $0.destination.key = .fixedSingular(key) }
  }
}

extension AssociationToMany {
  /// Returns the association with another key: the plural name under which the rows are decoded.
  ///
  /// If the association is joined, its row is decoded under the singular: `book` for `books`.
  public func forKey(_ key: String) -> Self {
    with { $0.destination.key = .fixedPlural(key) }
  }
}

// MARK: - Request requirements

extension Association {
  /// Returns the association with a changed destination.
  public func _with(_ change: (inout _RequestParts) -> Void) -> Self {
    with { association in
      var parts = _RequestParts(relation: association.destination.relation)
      change(&parts)
      association.destination.relation = parts.relation
    }
  }

  /// The name of the table that the association leads to.
  public var databaseTableName: String { _association.destination.relation.tableName }
}
