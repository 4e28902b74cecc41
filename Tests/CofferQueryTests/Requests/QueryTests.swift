import Coffer
import CofferTestSupport
import Testing

@Suite struct CompoundTests {
  private let readers = Table("readers")
  private let id = Column("id")

  private func ids(_ request: QueryInterfaceRequest<Row>) throws -> [Int] {
    try RequestDatabase().use { db in try Int.fetchAll(db, request) }
  }

  @Test func `queries are combined as sets, and as lists`() throws {
    let low = readers.select(id).filter(id <= 2), high = readers.select(id).filter(id >= 2)
    #expect(try ids(low.union(high)).sorted() == [1, 2, 3])
    #expect(try ids(low.unionAll(high)).sorted() == [1, 2, 2, 3])
    #expect(try ids(low.intersect(high)) == [2])
    #expect(try ids(low.except(high)) == [1])
    #expect(try ids(low.union(high).except(readers.select(id).filter(id == 1))).sorted() == [2, 3])
    #expect(
      try RequestDatabase().sql(low.union(high)) == """
        SELECT "id" FROM "readers" WHERE "id" <= 2 UNION SELECT "id" FROM "readers" WHERE "id" >= 2
        """)
  }

  @Test func `filters and orders of a compound request apply to all of it`() throws {
    let low = readers.select(id).filter(id <= 2), high = readers.select(id).filter(id >= 2)
    let both = low.union(high)
    #expect(try ids(both.order(id.desc)) == [3, 2, 1])
    #expect(try ids(both.filter(id != 2).order(id)) == [1, 3])
    #expect(try ids(both.order(id).limit(2, offset: 1)) == [2, 3])
    #expect(try ids(both.select(max(id))) == [3])
    #expect(try ids(low.limit(1).union(high.order(id.desc).limit(1))).sorted() == [1, 3])
    #expect(try ids(low.limit(1).union(high).limit(1)).count == 1)
    try RequestDatabase().use { db throws in
      #expect(try both.fetchCount(db) == 3)
      #expect(try both.limit(2).fetchCount(db) == 2)
      #expect(try !both.isEmpty(db))
      #expect(try readers.filter(both.contains(id)).fetchCount(db) == 3)
      #expect(try Int.fetchOne(db, both.order(id.desc)) == 3)
      let values = low.union(SQLRequest<Int>(sql: "SELECT ? + 4", arguments: [5]))
      #expect(try ids(values).sorted() == [1, 2, 9])
    }
  }
}

@Suite struct CommonTableExpressionTests {
  private let readers = Table("readers")
  private let id = Column("id")
  private let age = Column("age")

  @Test func `a request knows its expressions by name`() throws {
    let old = CommonTableExpression(named: "old", request: readers.filter(age > 40))
    let request = readers.with(old).filter(old.all().select(id).contains(id))
    #expect(
      try RequestDatabase().sql(request) == """
        WITH "old" AS (SELECT * FROM "readers" WHERE "age" > 40) SELECT * FROM "readers" \
        WHERE "id" IN (SELECT "id" FROM "old")
        """)
    try RequestDatabase().use { db throws in
      #expect(try request.fetchCount(db) == 1)
      #expect(try Int.fetchAll(db, old.all().with(old).select(id)) == [1])
      #expect(try readers.with(old).filter(id == 1).deleteAll(db) == 1)
    }
  }

  @Test func `expressions of one column are lists`() throws {
    let ages = CommonTableExpression<Int>(
      named: "ages", columns: ["age"], sql: "SELECT ? UNION SELECT ?", arguments: [36, 1])
    let request = readers.with(ages).filter(ages.contains(age))
    #expect(
      try RequestDatabase().sql(request) == """
        WITH "ages"("age") AS (SELECT 36 UNION SELECT 1) SELECT * FROM "readers" WHERE "age" IN "ages"
        """)
    try RequestDatabase().use { db throws in
      #expect(try request.select(id, as: Int.self).fetchAll(db) == [2])
      #expect(try ages.all().with(ages).order(age).fetchAll(db) == [1, 36])
    }
  }

  @Test func `a recursive expression counts`() throws {
    let counter = CommonTableExpression<Int>(
      recursive: true, named: "counter", columns: ["n"],
      literal: "SELECT \(1) UNION ALL SELECT n + 1 FROM counter WHERE n < \(100)")
    try RequestDatabase().use { db throws in
      let request = counter.all().with(counter)
      #expect(try request.fetchCount(db) == 100)
      #expect(try request.select(sum(Column("n")), as: Int.self).fetchOne(db) == 5050)
    }
  }

  @Test func `a later expression of the same name counts`() throws {
    let one = CommonTableExpression<Int>(named: "x", sql: "SELECT 1")
    let two = CommonTableExpression<Int>(named: "x", sql: "SELECT 2")
    try RequestDatabase().use { db throws in
      #expect(try two.all().with(one).with(two).fetchAll(db) == [2])
    }
  }
}

@Suite struct LiteralTests {
  private struct Reader: TableRecord {
    static let databaseTableName = "readers"
    enum CodingKeys: String, CodingKey { case id, name }
  }

  @Test func `literals know tables, columns, expressions and requests by name`() throws {
    let id = Column("id")
    let cases: [(SQLRequest<Int>, String)] = [
      ("SELECT \(id) FROM \(Reader.self)", #"SELECT "id" FROM "readers""#),
      ("SELECT id FROM \(tableOf: Reader())", #"SELECT id FROM "readers""#),
      (
        "SELECT \(columnsOf: Reader.self) FROM \(Reader.self)",
        #"SELECT "readers".* FROM "readers""#
      ),
      (
        "SELECT \(columnsOf: Reader.self, tableAlias: "r") FROM readers r",
        #"SELECT "r".* FROM readers r"#
      ),
      (
        "SELECT \(Reader.CodingKeys.id) FROM readers WHERE \(id == 1 || id == 2)",
        #"SELECT "id" FROM readers WHERE ("id" = 1) OR ("id" = 2)"#
      ),
      (
        "SELECT id FROM readers WHERE id IN \(Reader.select(id).filter(id > 1)) ORDER BY \(id.desc)",
        """
        SELECT id FROM readers WHERE id IN (SELECT "id" FROM "readers" WHERE "id" > 1) \
        ORDER BY "id" DESC
        """
      ),
    ]
    for (request, expected) in cases {
      #expect(try RequestDatabase().sql(request) == expected)
    }
  }

  @Test func `literals define common table expressions`() throws {
    let cte = CommonTableExpression<Int>(
      named: "two", columns: ["n"], request: Reader.select(Column("id")).limit(2))
    let request: SQLRequest<Int> = "WITH \(definitionFor: cte) SELECT sum(n) FROM \(cte)"
    try RequestDatabase().use { db throws in #expect(try request.fetchOne(db) == 3) }
  }

  @Test func `a literal in a request has its columns qualified as the request has`() throws {
    let r = TableAlias(name: "r")
    let request = Table("readers").aliased(r)
      .filter(literal: "\(Column("id")) + \(1) > \(r[Column("age")])")
    #expect(
      try RequestDatabase().sql(request)
        == #"SELECT "r".* FROM "readers" "r" WHERE "r"."id" + 1 > "r"."age""#)
  }
}
