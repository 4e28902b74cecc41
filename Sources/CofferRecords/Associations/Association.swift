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
    with { association in
      var parts = _RequestParts(relation: association.destination.relation)
      change(&parts)
      association.destination.relation = parts.relation
    }
  }

  /// The name of the table that the association leads to.
  public var databaseTableName: String { _association.destination.relation.tableName }
}
