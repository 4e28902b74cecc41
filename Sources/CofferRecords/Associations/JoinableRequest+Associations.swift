import CofferCore
import CofferQuery

extension RequestSource {
  // MARK: Prefetching

  /// Returns the request with all associated rows.
  ///
  /// They are prefetched by one additional query for each level of nested associations.
  ///
  /// ```swift
  /// struct AuthorInfo: Decodable, FetchableRecord {
  ///   var author: Author
  ///   var books: [Book]
  /// }
  /// let request = Author.including(all: Author.books)
  /// let infos = try AuthorInfo.fetchAll(db, request)
  /// ```
  public func including<A: AssociationToMany>(all association: A) -> _Request
  where A.OriginRowDecoder == RowDecoder { adding(association, .includingAll) }

  // MARK: Joining

  /// Returns the request with the associated row, or NULLs if there is none.
  ///
  /// ```swift
  /// // SELECT "book".*, "author".* FROM "book" LEFT JOIN "author" ON …
  /// Book.including(optional: Book.author)
  /// ```
  public func including<A: Association>(optional association: A) -> _Request
  where A.OriginRowDecoder == RowDecoder { adding(association, .includingOptional) }

  /// Returns the request with the associated row, limited to rows that have one.
  ///
  /// ```swift
  /// // SELECT "book".*, "author".* FROM "book" JOIN "author" ON …
  /// Book.including(required: Book.author)
  /// ```
  public func including<A: Association>(required association: A) -> _Request
  where A.OriginRowDecoder == RowDecoder { adding(association, .includingRequired) }

  /// Returns the request joined with an association, without selecting its columns.
  ///
  /// ```swift
  /// let author = TableAlias()
  /// Book.joining(optional: Book.author.aliased(author)).order(author["name"])
  /// ```
  public func joining<A: Association>(optional association: A) -> _Request
  where A.OriginRowDecoder == RowDecoder { adding(association, .joiningOptional) }

  /// Returns the request limited to rows that have an associated row.
  ///
  /// ```swift
  /// // Books by French authors
  /// Book.joining(required: Book.author.filter { $0.country == "France" })
  /// ```
  public func joining<A: Association>(required association: A) -> _Request
  where A.OriginRowDecoder == RowDecoder { adding(association, .joiningRequired) }

  // MARK: Annotating

  /// Returns the request with the columns of the associated row appended to its selection.
  ///
  /// The columns are NULL if there is no associated row.
  ///
  /// ```swift
  /// // SELECT "book".*, "author"."name" AS "authorName" FROM "book" LEFT JOIN "author" ON …
  /// Book.annotated(withOptional: Book.author.select(Column("name").forKey("authorName")))
  /// ```
  public func annotated<A: Association>(withOptional association: A) -> _Request
  where A.OriginRowDecoder == RowDecoder { annotating(association, .joiningOptional) }

  /// Returns the request with the columns of the associated row appended to its selection.
  ///
  /// The request is limited to rows that have an associated row.
  public func annotated<A: Association>(withRequired association: A) -> _Request
  where A.OriginRowDecoder == RowDecoder { annotating(association, .joiningRequired) }

  private func adding<A: Association>(_ association: A, _ use: Relation.AssociationUse) -> _Request
  {
    _with { $0.relation.add(association._association, as: use) }
  }

  private func annotating<A: Association>(
    _ association: A, _ use: Relation.AssociationUse
  ) -> _Request {
    _with { $0.relation.annotate(with: association._association, as: use) }
  }
}

extension TypedSelectionRequest {
  /// Returns the request joined with an association of the record type.
  public func joining<A: Association>(optional association: A) -> Self
  where A.OriginRowDecoder == Record { map { $0.joining(optional: association) } }

  /// Returns the request limited to values of rows that have an associated row.
  ///
  /// ```swift
  /// let titles = Book.select { $0.title }.joining(required: Book.author.filter { $0.isFrench })
  /// ```
  public func joining<A: Association>(required association: A) -> Self
  where A.OriginRowDecoder == Record { map { $0.joining(required: association) } }
}
