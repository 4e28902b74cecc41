import CofferCore
import CofferQuery

extension RequestSource {
  // MARK: Fetching along

  /// The request with all rows that an association leads to, fetched by a query of their own: one
  /// for all rows of the request, on each level of nested associations.
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

  /// The request with the row that an association leads to, or with NULLs where there is none.
  ///
  /// ```swift
  /// // SELECT "book".*, "author".* FROM "book" LEFT JOIN "author" ON …
  /// Book.including(optional: Book.author)
  /// ```
  public func including<A: Association>(optional association: A) -> _Request
  where A.OriginRowDecoder == RowDecoder { adding(association, .includingOptional) }

  /// The request with the row that an association leads to, without rows that have none.
  ///
  /// ```swift
  /// // SELECT "book".*, "author".* FROM "book" JOIN "author" ON …
  /// Book.including(required: Book.author)
  /// ```
  public func including<A: Association>(required association: A) -> _Request
  where A.OriginRowDecoder == RowDecoder { adding(association, .includingRequired) }

  /// The request joined with what an association leads to, of which nothing is selected.
  ///
  /// ```swift
  /// let author = TableAlias()
  /// Book.joining(optional: Book.author.aliased(author)).order(author["name"])
  /// ```
  public func joining<A: Association>(optional association: A) -> _Request
  where A.OriginRowDecoder == RowDecoder { adding(association, .joiningOptional) }

  /// The request without rows that the association leads nowhere from.
  ///
  /// ```swift
  /// // Books by French authors
  /// Book.joining(required: Book.author.filter { $0.country == "France" })
  /// ```
  public func joining<A: Association>(required association: A) -> _Request
  where A.OriginRowDecoder == RowDecoder { adding(association, .joiningRequired) }

  // MARK: Annotating

  /// The request with the columns of an association's row beside its own, or with NULLs where
  /// there is none.
  ///
  /// ```swift
  /// // SELECT "book".*, "author"."name" AS "authorName" FROM "book" LEFT JOIN "author" ON …
  /// Book.annotated(withOptional: Book.author.select(Column("name").forKey("authorName")))
  /// ```
  public func annotated<A: Association>(withOptional association: A) -> _Request
  where A.OriginRowDecoder == RowDecoder { annotating(association, .joiningOptional) }

  /// The request with the columns of an association's row beside its own, without rows that have
  /// none.
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
  /// The request joined with what an association of the record type leads to.
  public func joining<A: Association>(optional association: A) -> Self
  where A.OriginRowDecoder == Record { map { $0.joining(optional: association) } }

  /// The request without the values of rows that an association of the record type leads nowhere
  /// from.
  ///
  /// ```swift
  /// let titles = Book.select { $0.title }.joining(required: Book.author.filter { $0.isFrench })
  /// ```
  public func joining<A: Association>(required association: A) -> Self
  where A.OriginRowDecoder == Record { map { $0.joining(required: association) } }
}
