import Coffer
import CofferTestSupport
import Testing

/// Requests with closures, key paths and custom functions.
@Suite struct RequestProgramTests {
  private typealias Author = Library.Author
  private typealias Book = Library.Book

  private let database: RequestDatabase

  init() throws { database = try RequestDatabase(Library.schema) }

  private func sql(_ request: some FetchRequest) throws -> String { try database.sql(request) }

  @Test func `associations are filtered, ordered and selected with closures`() throws {
    try #expect(
      sql(Author.including(required: Author.modernBooks)) == """
        SELECT "author".*, "book".* FROM "author" JOIN "book" ON \
        ("book"."authorId" = "author"."id") AND ("book"."year" > 1950) ORDER BY "book"."year" DESC
        """)
    try #expect(
      sql(Book.including(required: Book.author.select { [$0.id, $0.name] }.order(\.name))) == """
        SELECT "book".*, "author"."id", "author"."name" FROM "book" \
        JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY "author"."name"
        """)
    try #expect(
      sql(Book.annotated(withOptional: Book.author.select { $0.name.forKey("writer") })) == """
        SELECT "book".*, "author"."name" AS "writer" FROM "book" \
        LEFT JOIN "author" ON "author"."id" = "book"."authorId"
        """)
    try #expect(
      sql(Book.annotated(withRequired: Book.author.select(\.name)).filter { $0.year > 3 }) == """
        SELECT "book".*, "author"."name" FROM "book" \
        JOIN "author" ON "author"."id" = "book"."authorId" WHERE "book"."year" > 3
        """)
  }

  @Test func `custom requests work on associations, too`() throws {
    try database.use { db throws in
      let books = Book.all().written(in: "FR").since(1950).orderedByTitle()
      #expect(try books.fetchAll(db).map(\.title) == ["La Chute"])
      let authors = Author.joining(required: Author.books.since(1970).orderedByTitle())
      #expect(try authors.fetchAll(db).map(\.name) == ["Lessing"])
    }
    try #expect(
      sql(Author.joining(required: Author.books.written(in: "FR")).order { $0.name }) == """
        SELECT "author1".* FROM "author" "author1" \
        JOIN "book" ON "book"."authorId" = "author1"."id" \
        JOIN "author" "author2" ON ("author2"."id" = "book"."authorId") \
        AND ("author2"."country" = 'FR') ORDER BY "author1"."name"
        """)
    try #expect(
      sql(Book.all().written(in: "FR").orderedByTitle().reversed()).hasSuffix(
        #"ORDER BY "book"."title" COLLATE NOCASE DESC"#))
  }

  @Test func `generic functions take associations`() throws {
    func withSeveral<A: AssociationToMany>(_ association: A) -> QueryInterfaceRequest<Author>
    where A.OriginRowDecoder == Author { Author.having(association.count > 1) }
    func since<A: Association>(_ year: Int, _ association: A) -> QueryInterfaceRequest<Author>
    where A.OriginRowDecoder == Author, A.RowDecoder == Book {
      Author.joining(required: association.filter { $0.year >= year })
    }
    func all<R: FetchableRecord>(_ request: some FetchRequest<R>, _ db: Database) throws -> [R] {
      try request.fetchAll(db)
    }
    try database.use { db throws in
      #expect(try all(withSeveral(Author.books), db).map(\.id) == [1, 2])
      #expect(try all(withSeveral(Author.publishers), db).isEmpty)
      #expect(try all(since(1970, Author.books), db).map(\.id) == [1])
      #expect(try all(since(1970, Author.modernBooks), db).map(\.id) == [1])
    }
  }

  @Test func `aliases know the columns of their type`() throws {
    let book = TableAlias<Book>()
    try #expect(
      sql(
        Author.joining(required: Author.books.aliased(book))
          .filter(book.year > 1900).order(book.title, book[Column("year")].desc)
          .annotated(with: book.title.forKey("bookTitle"))) == """
          SELECT "author".*, "book"."title" AS "bookTitle" FROM "author" \
          JOIN "book" ON "book"."authorId" = "author"."id" WHERE "book"."year" > 1900 \
          ORDER BY "book"."title", "book"."year" DESC
          """)
    let writer = TableAlias<Author>(name: "writer")
    try #expect(
      sql(Book.joining(required: Book.author.aliased(writer)).filter { $0.title == writer.name })
        == """
        SELECT "book".* FROM "book" JOIN "author" "writer" ON "writer"."id" = "book"."authorId" \
        WHERE "book"."title" = "writer"."name"
        """)
  }

  @Test func `common table expressions are joined with closures`() throws {
    let average = CommonTableExpression<Row>(
      named: "averages",
      request: Book.select(Column("authorId"), Coffer.average(Column("year")).forKey("mean"))
        .group(Column("authorId")))
    let association = Book.association(to: average) { book, average in
      book.authorId == average["authorId"] && book.year > average["mean"]
    }
    try database.use { db throws in
      let late = Book.with(average).joining(required: association).order(\.year)
      #expect(try late.fetchAll(db).map(\.title) == ["La Chute", "Shikasta"])
      let all = Book.with(average).including(optional: association).orderByPrimaryKey()
      let row = try #require(try Row.fetchOne(db, all.filter { $0.id == 4 }))
      #expect(row.scopes["average"]?["mean"] == 1951.5)
    }
  }

  @Test func `aggregates of associations are conditions, annotations and orders`() throws {
    let publishers = """
      (SELECT COUNT(DISTINCT "publisher"."id") FROM "publisher" JOIN "book" ON \
      ("book"."publisherId" = "publisher"."id") AND ("book"."authorId" = "author"."id"))
      """
    try #expect(
      sql(Author.having(!Author.books.isEmpty && Author.publishers.count >= 1)) == """
        SELECT * FROM "author" WHERE \
        ((SELECT COUNT(*) FROM "book" WHERE "authorId" = "author"."id") > 0) AND (\(publishers) >= 1)
        """)
    try #expect(
      sql(Author.having(2 <= Author.books.count)).hasSuffix(
        #"HAVING 2 <= COUNT(DISTINCT "book"."id")"#))
    try #expect(
      sql(Author.annotated(with: Author.books.max(\.year), Author.books.total { $0.year }))
        .hasPrefix(
          #"SELECT "author".*, MAX("book"."year") AS "maxBookYear", "#
            + #"TOTAL("book"."year") AS "bookYearSum" FROM "author""#))
    try #expect(
      sql(Author.annotated(with: Author.books.count).joining(required: Author.books.since(1960)))
        == """
        SELECT "author".*, (SELECT COUNT(*) FROM "book" WHERE "authorId" = "author"."id") \
        AS "bookCount" FROM "author" JOIN "book" ON \
        ("book"."authorId" = "author"."id") AND ("book"."year" >= 1960) GROUP BY "author"."id"
        """)
    try #expect(
      sql(Author.select(\.country).annotated(with: Author.books.count).group(\.country)) == """
        SELECT "author"."country", COUNT(DISTINCT "book"."id") AS "bookCount" FROM "author" \
        LEFT JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY "author"."country"
        """)
    try #expect(
      sql(Author.annotated(with: Author.books.count * 2, -Author.books.count)) == """
        SELECT "author".*, COUNT(DISTINCT "book"."id") * 2, -COUNT(DISTINCT "book"."id") \
        FROM "author" LEFT JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY "author"."id"
        """)
    try #expect(
      sql(
        Author.having(
          !(Author.books.count > 3) || Author.modernBooks.isEmpty)
      ).hasPrefix(
        #"""
        SELECT * FROM "author" WHERE (NOT ((SELECT COUNT(*) FROM "book" WHERE "authorId" = \#
        "author"."id") > 3)) OR ((SELECT COUNT(*) FROM "book" WHERE
        """#))
  }

  @Test func `rows are prefetched beside a join of the same association`() throws {
    struct Info: Decodable, FetchableRecord {
      var author: Author
      var books: [Book]
      var bookCount: Int
    }
    try database.use { db throws in
      let request = Author.including(all: Author.books.order(\.year))
        .joining(required: Author.books.since(1960)).annotated(with: Author.books.count)
      let infos = try request.asRequest(of: Info.self).fetchAll(db)
      #expect(infos.map(\.author.name) == ["Lessing"])
      #expect(infos.map { $0.books.map(\.id) } == [[1, 2]])
      #expect(infos.map(\.bookCount) == [2])
    }
  }

  @Test func `records of prefetched and joined rows are fetched as arrays, sets and cursors`()
    throws
  {
    struct Info: Decodable, FetchableRecord, Hashable {
      var author: Author
      var prize: Library.Prize?
      var modernBooks: Set<Book>
    }
    try database.use { db throws in
      let request = Author.including(optional: Author.prize)
        .including(all: Author.modernBooks).asRequest(of: Info.self)
      let cursor = try request.fetchCursor(db)
      var names: [String?] = []
      while let info = try cursor.next() { names.append(info.prize?.name) }
      #expect(names == ["Nobel 2007", "Nobel 1957", nil])
      #expect(try request.fetchSet(db).map(\.modernBooks.count).sorted() == [0, 1, 2])
      let byName = try Dictionary(
        uniqueKeysWithValues: request.fetchCursor(db).map { ($0.author.name, $0.modernBooks.count) }
      )
      #expect(byName == ["Lessing": 2, "Camus": 1, "Sapho": 0])
    }
  }

  @Test func `extensions of requests select and annotate with closures`() throws {
    #expect(try sql(Author.all().names()) == #"SELECT "name" FROM "author""#)
    #expect(try sql(Author.all().namesAndCountries()) == #"SELECT "name", "country" FROM "author""#)
    #expect(
      try sql(Author.all().names().withCountry())
        == #"SELECT "name", "country" AS "home" FROM "author""#)
    #expect(
      try sql(Author.select { $0.id }.asRequest(of: Author.self).withCountries())
        == #"SELECT "id", "country" AS "home", "id" AS "number" FROM "author""#)
    #expect(
      try sql(Book.including(required: Book.author.names()))
        == #"SELECT "book".*, "author"."name" FROM "book" "#
        + #"JOIN "author" ON "author"."id" = "book"."authorId""#)
  }
}
