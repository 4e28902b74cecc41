import Coffer
import CofferTestSupport
import Foundation
import Testing

/// What associations fetch and compute is what SQL says for the same question.
@Suite struct AssociationSeamTests {
  private static let types = [
    "", "INTEGER", "REAL", "TEXT", "NUMERIC", "BLOB", "VARCHAR(9)", "TEXT COLLATE NOCASE",
    "TEXT COLLATE RTRIM", "COLLATE NOCASE",
  ]

  private static let values: [(any DatabaseValueConvertible & Sendable)?] =
    [1, 2, 3, 1.0, 2.5, "1", "01", "2.0", "a", "A", "a ", "b", "", Data([0x61]), Data(), nil]
    + (SQLiteFeatures.linked.version < 3_020_000 ? [] : roundedValues)

  /// An index of SQLite 3.15 finds an integer that a REAL column rounds; its join doesn't.
  private static let roundedValues: [(any DatabaseValueConvertible & Sendable)?] = [
    Int64(9_007_199_254_740_993), 9_007_199_254_740_992.0, "9007199254740993",
  ]

  /// Parents and children with random kinds of keys.
  private static func families(
    _ random: inout SeededGenerator
  ) throws -> (queue: EncryptedQueue, schema: String) {
    func type() -> String { types.randomElement(using: &random) ?? "" }
    let parents = "CREATE TABLE p (id INTEGER PRIMARY KEY, k \(type()), l \(type()))"
    let children = "CREATE TABLE c (id INTEGER PRIMARY KEY, pk \(type()), pl \(type()), v INTEGER)"
    let toys = "CREATE TABLE d (id INTEGER PRIMARY KEY, c INTEGER, w INTEGER)"
    var statements = [parents, children, toys]
    if Bool.random(using: &random) { statements.append("CREATE INDEX ci ON c (pk)") }
    if Bool.random(using: &random) { statements.append("CREATE INDEX pi ON p (k)") }
    let schema = statements.joined(separator: "; ")
    let queue = try EncryptedQueue(schema)
    let count = Int.random(in: 0...12, using: &random)
    func value() -> (any DatabaseValueConvertible)? { values.randomElement(using: &random) ?? nil }
    try queue.queue.write { db in
      for _ in 0..<count {
        try db.execute(
          sql: "INSERT INTO p (k, l) VALUES (?, ?)",
          arguments: StatementArguments([value(), value()]))
        try db.execute(
          sql: "INSERT INTO c (pk, pl, v) VALUES (?, ?, ?)",
          arguments: StatementArguments([value(), value(), Int.random(in: 0...3, using: &random)]))
        try db.execute(
          sql: "INSERT INTO d (c, w) VALUES (?, ?)",
          arguments: [
            Int.random(in: 1...12, using: &random), Int.random(in: 0...9, using: &random),
          ])
      }
    }
    return (queue, schema)
  }

  private struct Parent: Decodable, TableRecord, FetchableRecord, EncodableRecord {
    static let databaseTableName = "p"
    var id: Int
    var k: DatabaseValue
    var l: DatabaseValue

    init(row: Row) {
      (id, k, l) = (row["id"], row["k"], row["l"])
    }

    init(from decoder: any Decoder) throws { fatalError("only decoded from rows") }

    func encode(to container: inout PersistenceContainer) {
      container["id"] = id
      container["k"] = k
      container["l"] = l
    }
  }

  @Test(arguments: 0..<trialCount(60))
  func `prefetched rows are those that a join finds`(trial: Int) throws {
    var random = SeededGenerator(line: UInt(trial))
    let (queue, schema) = try Self.families(&random)
    let one = Parent.hasMany(Table("c"), key: "cs", using: ForeignKey(["pk"], to: ["k"]))
    let two = Parent.hasMany(
      Table("c"), key: "cs", using: ForeignKey(["pk", "pl"], to: ["k", "l"]))
    let toys = Parent.hasMany(
      Row.self, through: one,
      using: Table("c").hasMany(Table("d"), using: ForeignKey(["c"], to: ["id"])), key: "ds")
    try queue.queue.read { db throws in
      func expect(
        _ association: some AssociationToMany<Parent, Row>, _ key: String, _ join: String,
        _ id: String
      ) throws {
        let rows = try Row.fetchAll(db, Parent.including(all: association).orderByPrimaryKey())
        let counts = try Row.fetchAll(
          db, Parent.annotated(with: association.count.forKey("n")).orderByPrimaryKey())
        for (row, counted) in zip(rows, counts) {
          let sql = "SELECT \(id).id FROM p \(join) WHERE p.id = ? ORDER BY 1"
          let joined = try Int.fetchAll(db, sql: sql, arguments: [row["id"] as Int])
          let found = (row.prefetchedRows[key] ?? []).map { $0["id"] as Int }.sorted()
          #expect(found == joined, "\(schema); parent \(row), \(key)")
          #expect(counted["n"] as Int == Set(joined).count, "\(schema); parent \(row), \(key)")
          let asked = try Parent(row: row).request(for: association).fetchAll(db)
          #expect(asked.map { $0["id"] as Int }.sorted() == joined, "\(schema); \(row), \(key)")
        }
      }
      try expect(one, "cs", "JOIN c ON c.pk = p.k", "c")
      try expect(two, "cs", "JOIN c ON c.pk = p.k AND c.pl = p.l", "c")
      try expect(toys, "ds", "JOIN c ON c.pk = p.k JOIN d ON d.c = c.id", "d")
    }
  }

  @Test func `many parents with a collation are found in several queries`() throws {
    let queue = try EncryptedQueue(
      """
      CREATE TABLE p (id INTEGER PRIMARY KEY, k TEXT);
      CREATE TABLE c (id INTEGER PRIMARY KEY, pk TEXT COLLATE NOCASE);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
        INSERT INTO p SELECT i, 'k' || i FROM n;
      INSERT INTO c SELECT id, upper(k) FROM p; INSERT INTO c SELECT id + 2000, k FROM p
      """)
    let children = Table("p").hasMany(
      Table("c"), key: "cs", using: ForeignKey(["pk"], to: ["k"])
    ).order(Column("id"))
    try queue.use { db throws in
      let rows = try Row.fetchAll(db, Table("p").including(all: children).order(Column("id")))
      for row in rows {
        let id = row["id"] as Int
        #expect(row.prefetchedRows["cs"]?.map { $0["id"] as Int } == [id, id + 2000])
      }
    }
  }

  // MARK: Aggregates

  private struct Author: TableRecord {
    static let books = hasMany(Book.self)
    static let awards = hasMany(Award.self)
    static let country = belongsTo(Country.self)
    static let tags = hasMany(Tag.self, through: books, using: Book.tags)
  }

  private struct Book: TableRecord {
    static let tags = hasMany(Tag.self)
    static let author = belongsTo(Author.self)
  }

  private struct Award: TableRecord {}
  private struct Tag: TableRecord {}

  private struct Country: TableRecord {
    static let authors = hasMany(Author.self)
  }

  private static func library(_ random: inout SeededGenerator) throws -> EncryptedQueue {
    let queue = try EncryptedQueue(
      """
      CREATE TABLE country (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE author (id INTEGER PRIMARY KEY, countryId INTEGER REFERENCES country, age INTEGER);
      CREATE TABLE book (
        id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, price INTEGER, year INTEGER);
      CREATE TABLE award (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, money INTEGER);
      CREATE TABLE tag (id INTEGER PRIMARY KEY, bookId INTEGER REFERENCES book, weight INTEGER);
      INSERT INTO country VALUES (1, 'a'), (2, 'b'), (3, 'c');
      """)
    try queue.queue.write { db in
      func insert(_ table: String, _ columns: String, upTo id: Int) throws {
        for _ in 0..<Int.random(in: 0...10, using: &random) {
          let reference = Int.random(in: 0...id, using: &random)
          try db.execute(
            sql: "INSERT INTO \(table) (\(columns)) VALUES (?, ?)",
            arguments: [
              reference == 0 ? nil : reference,
              Bool.random(using: &random) ? Int.random(in: 0...9, using: &random) : nil,
            ])
        }
      }
      try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
      try insert("author", "countryId, age", upTo: 3)
      let authors = try Int.fetchOne(db, sql: "SELECT count(*) FROM author") ?? 0
      try insert("book", "authorId, price", upTo: authors)
      try db.execute(sql: "UPDATE book SET year = 1990 + id * 7 % 20")
      try insert("award", "authorId, money", upTo: authors)
      try insert(
        "tag", "bookId, weight", upTo: try Int.fetchOne(db, sql: "SELECT count(*) FROM book") ?? 0)
    }
    return queue
  }

  private static let books = "FROM book WHERE authorId = author.id"
  private static let tags =
    "FROM tag WHERE bookId IN (SELECT id FROM book WHERE authorId = author.id)"

  /// Aggregates, and subqueries that compute the same.
  private static let aggregates: [(AssociationAggregate<Author>, String)] = [
    (Author.books.count, "SELECT count(*) \(books)"),
    (Author.books.sum(Column("price")), "SELECT sum(price) \(books)"),
    (Author.books.average(Column("price")), "SELECT avg(price) \(books)"),
    (Author.books.total(Column("price")), "SELECT total(price) \(books)"),
    (Author.books.max(Column("price")), "SELECT max(price) \(books)"),
    (Author.books.isEmpty, "SELECT NOT EXISTS (SELECT 1 \(books))"),
    (
      Author.books.filter(Column("year") < 2000).count,
      "SELECT count(*) \(books) AND year < 2000"
    ),
    (
      Author.books.filter(Column("year") >= 2000).sum(Column("price")),
      "SELECT sum(price) \(books) AND year >= 2000"
    ),
    (Author.awards.count, "SELECT count(*) FROM award WHERE authorId = author.id"),
    (
      Author.awards.sum(Column("money")),
      "SELECT sum(money) FROM award WHERE authorId = author.id"
    ),
    (Author.awards.min(Column("money")), "SELECT min(money) FROM award WHERE authorId = author.id"),
    (Author.tags.count, "SELECT count(*) \(tags)"),
    (Author.tags.sum(Column("weight")), "SELECT sum(weight) \(tags)"),
    (
      Author.books.select(Column("price")).distinct().count,
      "SELECT count(*) FROM (SELECT DISTINCT price \(books))"
    ),
    (
      Author.books.sum(Column("price")) - Author.awards.sum(Column("money")),
      """
      SELECT (SELECT sum(price) \(books)) - (SELECT sum(money) FROM award WHERE authorId = author.id)
      """
    ),
  ]

  @Test(arguments: 0..<trialCount(80))
  func `aggregates are those of subqueries, beside any others`(trial: Int) throws {
    var random = SeededGenerator(line: UInt(trial))
    let queue = try Self.library(&random)
    var request = Author.select(Column("id"))
    var (columns, conditions, joins) = (["author.id"], [String](), "")
    var text: [String] = []
    switch Int.random(in: 0..<7, using: &random) {
    case 0:
      request = request.joining(required: Author.awards)
      joins = "JOIN award ON award.authorId = author.id"
    case 1:
      request = request.joining(optional: Author.awards)
      joins = "LEFT JOIN award ON award.authorId = author.id"
    case 2:
      request = request.joining(required: Author.country)
      joins = "JOIN country ON country.id = author.countryId"
    case 3:
      request = request.joining(required: Author.books)
      joins = "JOIN book ON book.authorId = author.id"
    case 4:
      request = request.joining(required: Author.books.filter(Column("year") < 2000))
      joins = "JOIN book ON book.authorId = author.id AND book.year < 2000"
    default: break
    }
    for index in 0..<Int.random(in: 1...4, using: &random) {
      guard let (aggregate, sql) = Self.aggregates.randomElement(using: &random) else { continue }
      text.append(sql)
      if index > 0, Int.random(in: 0..<3, using: &random) == 0 {
        request = request.having(aggregate >= 2)
        conditions.append("(\(sql)) >= 2")
      } else {
        request = request.annotated(with: aggregate.forKey("a\(index)"))
        columns.append("(\(sql)) AS a\(index)")
      }
    }
    let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    // Rows that a join repeats are one, as with groups.
    let sql =
      "SELECT DISTINCT \(columns.joined(separator: ", ")) FROM author \(joins)\(filter) ORDER BY 1"
    try queue.use { db throws in
      let asked = try Row.fetchAll(db, request.orderByPrimaryKey())
      let expected = try Row.fetchAll(db, sql: sql)
      #expect(asked == expected, "\(sql)")
      #expect(try request.fetchCount(db) == expected.count, "\(sql)")
      #expect(try request.isEmpty(db) == expected.isEmpty, "\(sql)")
    }
  }

  @Test(arguments: 0..<trialCount(40))
  func `prefetched rows with aggregates are those of each parent alone`(trial: Int) throws {
    var random = SeededGenerator(line: UInt(trial))
    let queue = try Self.library(&random)
    try queue.use { db throws in
      try db.execute(
        sql: """
          CREATE TABLE shelf (id INTEGER PRIMARY KEY);
          CREATE TABLE place (id INTEGER PRIMARY KEY, shelfId REFERENCES shelf, authorId INTEGER);
          INSERT INTO shelf VALUES (1), (2), (3);
          INSERT INTO place (shelfId, authorId) SELECT 1 + id % 3, id FROM author;
          INSERT INTO place (shelfId, authorId) SELECT 1 + id * 5 % 3, id FROM author
          """)
      let places = Table("shelf").hasMany(Table("place"), using: ForeignKey(["shelfId"]))
      let placed = Table("place").belongsTo(Author.self, using: ForeignKey(["authorId"]))
      let authors = Table("shelf").hasMany(Author.self, through: places, using: placed, key: "as")
      let all = [
        authors.annotated(with: Author.books.count.forKey("n")),
        authors.annotated(with: Author.books.count.forKey("n"), Author.awards.count.forKey("m")),
        authors.select(count(Column("id")).forKey("n")),
        authors.select(Column("countryId"), sum(Column("age")).forKey("n"))
          .group(Column("countryId")),
        authors.having(Author.books.count > 0),
        authors.select(Column("countryId")).distinct(),
      ]
      for (index, association) in all.enumerated() {
        let shelves = try Row.fetchAll(
          db, Table("shelf").including(all: association).orderByPrimaryKey())
        for shelf in shelves {
          let alone = try Row.fetchAll(
            db, Table("shelf").filter(key: shelf["id"] as Int).including(all: association))
          func lists(_ rows: [Row]?) -> [String] {
            (rows ?? []).map { row in
              // The parents' numbers differ.
              row.filter { $0.0 != "grdb_parent" }.map { "\($0.0):\($0.1)" }.joined(separator: " ")
            }.sorted()
          }
          #expect(
            lists(shelf.prefetchedRows["as"]) == lists(alone[0].prefetchedRows["as"]),
            "association \(index)")
        }
      }
    }
  }

  // MARK: Compound queries

  @Test func `compound rows have the scopes and lists of their parts`() throws {
    var random = SeededGenerator()
    let queue = try Self.library(&random)
    try queue.use { db throws in
      let parts = [
        Author.including(optional: Author.country).including(all: Author.books).filter(
          Column("age") > 3),
        Author.including(optional: Author.country).including(all: Author.books).filter(
          Column("age") <= 7),
      ]
      func texts(_ rows: [Row]) -> Set<String> {
        Set(
          rows.map { row in
            let scopes = row.scopes.names.sorted().map {
              "\($0): \(row.scopes[$0]?.unscoped ?? [:])"
            }
            return "\(row.unscoped) \(scopes) \(row.prefetchedRows["books"] ?? [])"
          })
      }
      let sets = try parts.map { texts(try Row.fetchAll(db, $0)) }
      try #expect(
        texts(Row.fetchAll(db, parts[0].union(parts[1]))) == sets[0].union(sets[1]))
      try #expect(
        texts(Row.fetchAll(db, parts[0].intersect(parts[1]))) == sets[0].intersection(sets[1]))
      try #expect(
        texts(Row.fetchAll(db, parts[0].except(parts[1]))) == sets[0].subtracting(sets[1]))
      let old = try texts(Row.fetchAll(db, parts[0].union(parts[1]).filter(Column("age") > 5)))
      let plain = try texts(Row.fetchAll(db, parts[0].filter(Column("age") > 5)))
      #expect(old == plain, "\(old.symmetricDifference(plain))")
      #expect(throws: DatabaseError.self) {
        try Row.fetchAll(db, parts[0].union(Author.including(all: Author.books)))
      }
    }
  }

  @Test func `distinct rows of a joined association are distinct by their selection`() throws {
    let queue = try EncryptedQueue(
      """
      CREATE TABLE author (id INTEGER PRIMARY KEY);
      CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, price INTEGER);
      INSERT INTO author VALUES (1), (2);
      INSERT INTO book VALUES (1, 1, 5), (2, 1, 5), (3, 2, 5), (4, 2, 6);
      """)
    try queue.use { db throws in
      let request = Author.including(
        required: Author.books.forKey("book").select(Column("price")).distinct())
      let rows = try Row.fetchAll(db, request)
      #expect(
        rows.map { [$0["id"] as Int, $0.scopes["book"]?["price"] ?? 0] }.sorted {
          $0.lexicographicallyPrecedes($1)
        } == [[1, 5], [2, 5], [2, 6]])
    }
  }

  @Test func `rows of a view without a key are counted and told from missing ones`() throws {
    let queue = try EncryptedQueue(
      """
      CREATE TABLE author (id INTEGER PRIMARY KEY);
      CREATE TABLE b (authorId INTEGER, price INTEGER);
      CREATE VIEW book AS SELECT * FROM b;
      INSERT INTO author VALUES (1), (2); INSERT INTO b VALUES (1, NULL), (1, 3);
      """)
    try queue.use { db throws in
      let books = Author.hasMany(Book.self, using: ForeignKey(["authorId"], to: ["id"]))
      let request = Author.annotated(with: books.count.forKey("n")).orderByPrimaryKey()
      #expect(try Row.fetchAll(db, request).map { $0["n"] as Int } == [2, 0])
      let book = TableAlias()
      let present = Author.joining(optional: books.aliased(book))
        .select(Column("id"), book.exists.forKey("isThere")).orderByPrimaryKey()
      #expect(
        try Row.fetchAll(db, present).map { [$0["id"] as Int, $0["isThere"]] }
          == [[1, 1], [1, 1], [2, 0]])
    }
  }
}
