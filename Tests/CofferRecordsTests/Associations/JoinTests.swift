import Coffer
import CofferExpectations
import CofferTestSupport
import Testing

/// The SQL of associations, and its results.
@Suite struct JoinTests {
  private struct Author: TableRecord {
    static let books = hasMany(Book.self)
    static let country = belongsTo(Country.self)
    static let profile = hasOne(Profile.self)
    static let publishers = hasMany(Publisher.self, through: books, using: Book.publisher)
  }

  private struct Book: TableRecord {
    static let author = belongsTo(Author.self)
    static let publisher = belongsTo(Publisher.self)
    static let country = hasOne(Country.self, through: author, using: Author.country)
  }

  private struct Publisher: TableRecord {
    static let books = hasMany(Book.self)
  }
  private struct Country: TableRecord {
    static let authors = hasMany(Author.self)
  }
  private struct Profile: TableRecord {}

  static let schema = """
    CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT);
    CREATE TABLE author (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL, countryCode TEXT REFERENCES country);
    CREATE TABLE profile (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, text TEXT);
    CREATE TABLE publisher (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE book (
      id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author,
      publisherId INTEGER REFERENCES publisher, title TEXT, year INTEGER);
    INSERT INTO country VALUES ('FR', 'France'), ('US', 'United States');
    INSERT INTO author VALUES (1, 'Melville', 'US'), (2, 'Verne', 'FR'), (3, 'Anonymous', NULL);
    INSERT INTO profile VALUES (1, 2, 'from Nantes');
    INSERT INTO publisher VALUES (1, 'Harper'), (2, 'Hetzel');
    INSERT INTO book VALUES (1, 1, 1, 'Moby-Dick', 1851), (2, 2, 2, 'Le Tour du monde', 1872),
      (3, 2, 2, 'L''Ile', 1875), (4, NULL, NULL, 'Beowulf', 1000), (5, 1, NULL, 'Pierre', 1852);
    """

  private let database: RequestDatabase

  init() throws { database = try RequestDatabase(Self.schema) }

  private func sql(_ request: some FetchRequest) throws -> String { try database.sql(request) }

  @Test func `a row is joined by the foreign key of the schema`() throws {
    try #expect(
      sql(Book.including(required: Book.author)) == """
        SELECT "book".*, "author".* FROM "book" \
        JOIN "author" ON "author"."id" = "book"."authorId"
        """)
    try #expect(
      sql(Book.including(optional: Book.author)) == """
        SELECT "book".*, "author".* FROM "book" \
        LEFT JOIN "author" ON "author"."id" = "book"."authorId"
        """)
    try #expect(
      sql(Book.joining(required: Book.author)) == """
        SELECT "book".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId"
        """)
    try #expect(
      sql(Author.joining(optional: Author.profile)) == """
        SELECT "author".* FROM "author" \
        LEFT JOIN "profile" ON "profile"."authorId" = "author"."id"
        """)
    try #expect(
      sql(Author.including(required: Author.country)) == """
        SELECT "author".*, "country".* FROM "author" \
        JOIN "country" ON "country"."code" = "author"."countryCode"
        """)
  }

  @Test func `filters go into ON, orders behind that of the request`() throws {
    let name = Column("name")
    let authors = Book.author.filter(name != nil && name != "x").order(name)
    let request = Book.including(required: authors).filter(Column("year") > 1800)
      .order(Column("year"))
    let text = try sql(request)
    #expect(
      text == """
        SELECT "book".*, "author".* FROM "book" JOIN "author" ON \
        ("author"."id" = "book"."authorId") AND ("author"."name" IS NOT NULL) \
        AND ("author"."name" <> 'x') WHERE "book"."year" > 1800 \
        ORDER BY "book"."year", "author"."name"
        """)
    try #expect(
      sql(request.reversed()).hasSuffix(
        #" ORDER BY "book"."year" DESC, "author"."name" DESC"#))
    try #expect(
      sql(Book.including(required: authors.reversed()).reversed()).hasSuffix(
        #" ORDER BY "author"."name""#))
  }

  @Test func `columns of joined tables are scopes of the row`() throws {
    try database.use { db throws in
      let request = Book.including(
        required: Book.author.including(optional: Author.profile.select(Column("text")))
      ).filter(key: 2)
      let row = try #require(try Row.fetchOne(db, request))
      #expect(row.unscoped["title"] == "Le Tour du monde")
      #expect(row.count == 5)
      #expect(row.scopes["author"]?["name"] == "Verne")
      #expect(row.scopes["author"]?.scopes["profile"] == ["text": "from Nantes"])
      #expect(row.scopesTree["profile"]?["text"] == "from Nantes")
      let plain = try Book.joining(required: Book.author).makePreparedRequest(db)
      #expect(plain.adapter == nil)
    }
  }

  @Test func `tables in between are joined, and scopes without columns`() throws {
    try #expect(
      sql(Book.including(optional: Book.country)) == """
        SELECT "book".*, "country".* FROM "book" \
        LEFT JOIN "author" ON "author"."id" = "book"."authorId" \
        LEFT JOIN "country" ON "country"."code" = "author"."countryCode"
        """)
    try #expect(
      sql(Book.including(optional: Book.country).including(required: Book.author)) == """
        SELECT "book".*, "author".*, "country".* FROM "book" \
        JOIN "author" ON "author"."id" = "book"."authorId" \
        LEFT JOIN "country" ON "country"."code" = "author"."countryCode"
        """)
    try database.use { db throws in
      let row = try #require(
        try Row.fetchOne(db, Book.including(required: Book.country).filter(key: 1)))
      #expect(row.scopes["author"]?.unscoped == [:])
      #expect(row.scopes["author"]?.scopes["country"]?["code"] == "US")
    }
  }

  @Test func `the same association is joined once`() throws {
    let joined = #"FROM "book" JOIN "author" ON "author"."id" = "book"."authorId""#
    try #expect(
      sql(Book.including(optional: Book.author).joining(required: Book.author))
        == #"SELECT "book".*, "author".* "# + joined)
    try #expect(
      sql(Book.joining(required: Book.author).including(required: Book.author))
        == #"SELECT "book".*, "author".* "# + joined)
    try #expect(
      sql(Book.including(required: Book.author).including(required: Book.author.forKey("other")))
        == """
        SELECT "book".*, "author1".*, "author2".* FROM "book" \
        JOIN "author" "author1" ON "author1"."id" = "book"."authorId" \
        JOIN "author" "author2" ON "author2"."id" = "book"."authorId"
        """)
  }

  @Test func `a required association behind an optional one takes no rows away`() throws {
    let request = Book.including(
      optional: Book.author.including(required: Author.profile)
    ).orderByPrimaryKey()
    try #expect(
      sql(request) == """
        SELECT "book".*, "author".*, "profile".* FROM "book" LEFT JOIN \
        ("author" JOIN "profile" ON "profile"."authorId" = "author"."id") \
        ON "author"."id" = "book"."authorId" ORDER BY "book"."id"
        """)
    try database.use { db throws in
      let rows = try Row.fetchAll(db, request)
      #expect(rows.map { $0.unscoped["id"] as Int } == [1, 2, 3, 4, 5])
      #expect(
        rows.map { $0.scopes["author"]?["name"] as String? } == [nil, "Verne", "Verne", nil, nil])
    }
  }

  @Test func `aliases reach over tables, and names don't collide`() throws {
    let (author, profile) = (TableAlias(), TableAlias(name: "author"))
    let request = Book.joining(
      required: Book.author.aliased(author).joining(optional: Author.profile.aliased(profile))
    ).filter(author["name"] == "Verne" && profile["text"] != nil).select(Column("id"))
    try #expect(
      sql(request) == """
        SELECT "book"."id" FROM "book" JOIN "author" "author1" ON "author1"."id" = \
        "book"."authorId" LEFT JOIN "profile" "author" ON "author"."authorId" = "author1"."id" \
        WHERE ("author1"."name" = 'Verne') AND ("author"."text" IS NOT NULL)
        """)
    try #expect(database.use { db in try request.fetchCount(db) } == 2)
  }

  @Test func `columns of an associated row stand beside the own ones`() throws {
    try #expect(
      sql(Book.annotated(withRequired: Book.author.select(Column("name").forKey("author")))) == """
        SELECT "book".*, "author"."name" AS "author" FROM "book" \
        JOIN "author" ON "author"."id" = "book"."authorId"
        """)
    try database.use { db throws in
      let request = Book.annotated(withOptional: Book.author.select(Column("name")))
        .filter(key: 4)
      let row = try #require(try Row.fetchOne(db, request))
      #expect(row.hasColumn("name") && row["name"] == nil as String?)
      #expect(row.scopes.isEmpty)
    }
  }

  @Test func `joined requests are counted, updated and deleted`() throws {
    let french = Book.joining(
      required: Book.author.joining(required: Author.country.filter(Column("name") == "France")))
    try database.use { db throws in
      #expect(try french.fetchCount(db) == 2)
      #expect(try french.distinct().fetchCount(db) == 2)
      #expect(try french.updateAll(db, Column("year") += 1) == 2)
      #expect(
        try Int.fetchAll(db, sql: "SELECT year FROM book ORDER BY id") == [
          1851, 1873, 1876, 1000, 1852,
        ])
      #expect(try french.deleteAll(db) == 2)
      #expect(try Book.all().fetchCount(db) == 3)
      #expect(try french.isEmpty(db))
    }
  }

  @Test func `a joined request is a query inside of another one`() throws {
    try database.use { db throws in
      let frenchIDs = Book.joining(required: Book.author.filter(Column("countryCode") == "FR"))
        .select(Column("id"))
      let others = Book.filter(!frenchIDs.contains(Column("id"))).orderByPrimaryKey()
        .select(Column("id"), as: Int.self)
      #expect(try Int.fetchAll(db, others) == [1, 4, 5])
    }
  }

  @Test func `groups, limits and distinct rows are joined as queries`() throws {
    let latest = Author.books.select(Column("authorId")).distinct().forKey("some")
    try database.use { db throws in
      let request = Author.including(required: latest).orderByPrimaryKey()
      let rows = try Row.fetchAll(db, request)
      #expect(rows.map { $0.unscoped["id"] as Int } == [1, 2])
    }
  }

  @Test func `mistakes in associations are errors at the first use`() throws {
    struct Review: TableRecord {
      static let author = belongsTo(Author.self)
    }
    let alias = TableAlias()
    try database.use { db throws in
      try db.execute(sql: "CREATE TABLE review (authorId INTEGER, translatorId REFERENCES author)")
      var error = databaseError {
        try Row.fetchAll(db, Publisher.including(required: Publisher.hasOne(Country.self)))
      }
      #expect(error?.message == "no foreign key from table country to table publisher")
      try db.execute(
        sql: """
          DROP TABLE review;
          CREATE TABLE review (authorId REFERENCES author, translatorId REFERENCES author)
          """)
      error = databaseError { try Row.fetchAll(db, Review.including(required: Review.author)) }
      #expect(error?.message == "several foreign keys from table review to table author")
      let using = Review.belongsTo(Author.self, using: ForeignKey(["TRANSLATORID"]))
      #expect(try Row.fetchAll(db, Review.including(required: using)).isEmpty)
      error = databaseError {
        try Row.fetchAll(
          db,
          Review.including(required: using).including(
            required: Review.belongsTo(Author.self, using: ForeignKey(["authorId"]))))
      }
      #expect(error?.message == #"two different associations have the key "author""#)
      error = databaseError {
        try Row.fetchAll(
          db, Book.aliased(alias).joining(required: Book.author.aliased(alias)))
      }
      #expect(error?.message == "one TableAlias is that of several tables of a request")
      error = databaseError {
        try Row.fetchAll(
          db,
          Review.including(
            required: Review.belongsTo(
              Author.self, using: ForeignKey(["authorId"], to: ["id", "name"]))))
      }
      #expect(
        error?.message?.hasPrefix("the foreign key from table review has 1 column(s)") == true)
    }
  }

  @Test func `common table expressions are joined by conditions`() throws {
    let counts = CommonTableExpression(
      named: "counts",
      request: Book.select(Column("authorId"), count(Column("id")).forKey("number"))
        .group(Column("authorId")))
    let association = Author.association(to: counts) { author, counts in
      author["id"] == counts["authorId"]
    }
    let request = Author.with(counts).including(optional: association).orderByPrimaryKey()
    try #expect(
      sql(request) == """
        WITH "counts" AS (SELECT "authorId", COUNT("id") AS "number" FROM "book" \
        GROUP BY "authorId") SELECT "author".*, "counts".* FROM "author" \
        LEFT JOIN "counts" ON "author"."id" = "counts"."authorId" ORDER BY "author"."id"
        """)
    try database.use { db throws in
      let rows = try Row.fetchAll(db, request)
      #expect(rows.map { $0.scopes["count"]?["number"] as Int? } == [2, 2, nil])
      let error = databaseError {
        try Row.fetchAll(
          db, Author.with(counts).including(optional: association.including(all: hasMany())))
      }
      #expect(error?.message == "an association without a foreign key can be joined only")
    }
  }

  @Test func `the last of two conditions for one common table expression counts`() throws {
    let counts = CommonTableExpression(
      named: "counts", sql: "SELECT 1 AS authorId, 2 AS number UNION SELECT 2, 3")
    let first = Author.association(to: counts) { $0["name"] == $1["number"] }
    let last = Author.association(to: counts) { $0["id"] == $1["authorId"] }
    let request = Author.with(counts).including(optional: first).including(required: last)
    try #expect(
      sql(request).hasSuffix(
        #" FROM "author" JOIN "counts" ON "author"."id" = "counts"."authorId""#))
  }

  @Test func `the alias of a changed table is that of the query for its rows`() throws {
    let book = TableAlias(name: "b")
    let request = Book.aliased(book).joining(
      required: Book.author.filter(Column("name") == "Melville"))
    let rows = """
      "id" IN (SELECT "b"."id" FROM "book" "b" JOIN "author" \
      ON ("author"."id" = "b"."authorId") AND ("author"."name" = 'Melville'))
      """
    var count = 0
    let update = try database.sql { db in
      let year = book[Column("year")]
      count = try request.updateAll(db, Column("year").set(to: year + 1))
    }
    #expect(count == 2)
    #expect(update == #"UPDATE "book" SET "year" = "year" + 1 WHERE "# + rows)
    let deletion = try database.sql { db in
      count = try request.filter(book[Column("year")] > 0).deleteAll(db)
    }
    #expect(count == 2)
    let beginning = #"DELETE FROM "book" WHERE "id" IN (SELECT "b"."id" FROM "book" "b" JOIN "#
    #expect(deletion.hasPrefix(beginning))
    try database.use { db throws in #expect(try Book.fetchCount(db) == 3) }
  }

  private func hasMany() -> HasManyAssociation<Row, Row> {
    Table("counts").hasMany(Table("book"), using: ForeignKey(["authorId"], to: ["authorId"]))
  }

  @Test func `tables without record types have associations, too`() throws {
    let books = Table("book"), authors = Table("author")
    try #expect(
      sql(books.including(required: books.belongsTo(authors))) == """
        SELECT "book".*, "author".* FROM "book" \
        JOIN "author" ON "author"."id" = "book"."authorId"
        """)
    try database.use { db throws in
      let rows = try Row.fetchAll(db, authors.including(all: authors.hasMany(books)))
      #expect(rows.map { $0.prefetchedRows["books"]?.count } == [2, 2, 0])
    }
  }

  // MARK: Common table expressions of SQL text

  private static func text(_ name: String, _ sql: SQL) -> CommonTableExpression<Row> {
    CommonTableExpression(named: name, literal: sql)
  }

  @Test func `several common table expressions of SQL text are joined`() throws {
    let years = Self.text(
      "years", "SELECT authorId AS a, min(year) AS first, 1 FROM book GROUP BY 1")
    let names = Self.text("names", "SELECT id AS a, upper(name) AS name FROM author")
    let toYears = Author.association(to: years) { $0["id"] == $1["a"] }
    let toNames = Author.association(to: names) { $0["id"] == $1["a"] }
    try database.use { db throws in
      let both = Author.with(years).with(names)
        .including(optional: toYears).including(required: toNames).orderByPrimaryKey()
      let rows = try Row.fetchAll(db, both)
      for row in rows {
        #expect(row.count == 3)
        #expect(row.scopes["year"]?.count == 3)
        #expect(row.scopes["name"]?.count == 2)
        #expect(row.scopes["name"]?["name"] == (row["name"] as String).uppercased())
      }

      // The same one twice.
      let twice = Author.with(names)
        .including(required: toNames.forKey("first"))
        .including(required: Author.association(to: names) { $0["id"] != $1["a"] }.forKey("other"))
      for row in try Row.fetchAll(db, twice) {
        #expect(row.scopes["first"]?["a"] == row["id"] as Int)
        #expect(row.scopes["other"]?["a"] as Int? != row["id"] as Int)
        #expect(row.scopes["other"]?.count == 2)
      }

      // One that includes another.
      let nested = toNames.including(
        optional: names.association(to: years) { $0["a"] == $1["a"] })
      for row in try Row.fetchAll(db, Author.with(names).with(years).including(required: nested)) {
        #expect(row.scopes["name"]?.count == 2)
        #expect(row.scopes["name"]?.scopes["year"]?.count == 3)
      }

      // One that has the name of a table.
      let hidden = Self.text("book", "SELECT 1 AS x UNION SELECT 2")
      let row = try Row.fetchOne(
        db,
        Author.with(hidden).including(required: Author.association(to: hidden))
          .including(required: toNames).with(names))
      #expect(row?.scopes["book"]?.count == 1)
      #expect(row?.scopes["name"]?.count == 2)
    }
  }

  @Test func `SQL text can be selected from several tables of a joined request`() throws {
    let request = Book.select(literal: "book.id AS id, year + 1 AS next")
      .including(required: Book.author.select(literal: "name, 1, 2"))
    try database.use { db throws in
      for row in try Row.fetchAll(db, request) {
        #expect(Array(row.columnNames) == ["id", "next"])
        #expect(row.scopes["author"]?.count == 3)
      }
    }
  }

  @Test func `a common table expression refers to itself`() throws {
    struct Category: TableRecord, FetchableRecord, Equatable {
      static let databaseTableName = "category"
      var id: Int
      init(row: Row) throws { id = try row.decode(forColumn: "id") }
    }
    let tree = CommonTableExpression<Category>(
      recursiveNamed: "tree", startingWith: Category.filter(key: 2)
    ) { tree in
      Category.joining(
        required: Category.association(to: tree) { $0["parentId"] == $1["id"] })
    }
    let numbers = CommonTableExpression<Row>(
      recursiveNamed: "numbers", columns: ["n"],
      startingWith: SQLRequest<Int>(literal: "SELECT \(1)"), distinct: false
    ) { numbers in
      numbers.all().select(Column("n") + 1).filter(Column("n") < 5)
    }
    try EncryptedQueue.with(
      """
      CREATE TABLE category (id INTEGER PRIMARY KEY, parentId INTEGER);
      INSERT INTO category VALUES (1, 6), (2, 1), (3, 2), (4, 3), (5, 1), (6, 4), (7, 2);
      """
    ) { db throws in
      // There is a cycle: 2, 3, 4, 6, 1, 2.
      let request = tree.all().with(tree).order(Column("id"))
      #expect(try request.fetchAll(db).map(\.id) == [1, 2, 3, 4, 5, 6, 7])
      #expect(try request.limit(2).fetchAll(db).map(\.id) == [1, 2])
      let outside = Category.with(tree).filter(
        !tree.all().select(Column("id")).contains(Column("id")))
      #expect(try outside.fetchCount(db) == 0)
      let joined = Category.with(tree).joining(
        required: Category.association(to: tree) { $0["id"] == $1["id"] })
      #expect(try joined.fetchCount(db) == 7)
      #expect(
        try numbers.all().with(numbers).select(Column("n"), as: Int.self).fetchAll(db)
          == [1, 2, 3, 4, 5])
      #expect(
        try request.makePreparedRequest(db, forSingleResult: false).statement.sql == """
          WITH RECURSIVE "tree" AS (SELECT * FROM "category" WHERE "id" = ? UNION \
          SELECT "category".* FROM "category" JOIN "tree" ON "category"."parentId" = "tree"."id") \
          SELECT * FROM "tree" ORDER BY "id"
          """)
    }
  }
}
