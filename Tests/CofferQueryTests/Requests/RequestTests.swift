import Coffer
import CofferExpectations
import CofferTestSupport
import Testing

private struct Reader: TableRecord {
  enum Columns {
    static let id = Column("id")
    static let name = Column("name")
    static let age = Column("age")
  }

  static let databaseTableName = "readers"
}

@Suite struct RequestTests {
  private let all = Reader.all()
  private let name = Column("name")
  private let age = Column("age")

  private func sql(_ request: some FetchRequest) throws -> String {
    try RequestDatabase().sql(request)
  }

  private func countSQL(_ request: some FetchRequest) throws -> String {
    try RequestDatabase().sql { _ = try request.fetchCount($0) }
  }

  private func oneSQL(_ request: some FetchRequest) throws -> String {
    try RequestDatabase().sql { _ = try Row.fetchOne($0, request) }
  }

  // MARK: Parts

  @Test func `a request selects all columns, until it is told otherwise`() throws {
    #expect(try sql(all) == #"SELECT * FROM "readers""#)
    #expect(try sql(all.select(name, age + 1)) == #"SELECT "name", "age" + 1 FROM "readers""#)
    #expect(try sql(all.select { $0.name }) == #"SELECT "name" FROM "readers""#)
    #expect(try sql(all.select { [$0.name, $0.age] }) == #"SELECT "name", "age" FROM "readers""#)
    #expect(try sql(all.select(age).select(name)) == #"SELECT "name" FROM "readers""#)
    #expect(
      try sql(all.select(sql: "name, id - ?", arguments: [1]))
        == #"SELECT name, id - 1 FROM "readers""#)
    #expect(
      try sql(all.select(literal: "\("O'Brien"), id - \(1)"))
        == #"SELECT 'O''Brien', id - 1 FROM "readers""#)
    #expect(
      try sql(all.select(name.forKey("nom"), (age + 1).forKey("next")))
        == #"SELECT "name" AS "nom", "age" + 1 AS "next" FROM "readers""#)
    #expect(try sql(all.annotated(with: age + 1)) == #"SELECT *, "age" + 1 FROM "readers""#)
    #expect(
      try sql(all.select(name).annotated { [$0.age, $0.id] })
        == #"SELECT "name", "age", "id" FROM "readers""#)
    #expect(
      try sql(all.select(.allColumns(excluding: [String]()))) == #"SELECT * FROM "readers""#)
    #expect(
      try sql(all.select(.allColumns(excluding: ["missing"]))) == #"SELECT * FROM "readers""#)
    #expect(
      try sql(all.select(.allColumns(excluding: ["AGE"]))) == #"SELECT "id", "name" FROM "readers""#
    )
    #expect(try sql(all.select(.allColumns, .rowID)) == #"SELECT *, "rowid" FROM "readers""#)
    #expect(try sql(all.select(name).distinct()) == #"SELECT DISTINCT "name" FROM "readers""#)
  }

  @Test func `conditions are joined by AND`() throws {
    #expect(
      try sql(all.filter(sql: "id <> ?", arguments: [1]).filter(true.databaseValue))
        == #"SELECT * FROM "readers" WHERE (id <> 1) AND 1"#)
    #expect(
      try sql(all.filter(sql: "age > :age", arguments: ["age": 20]).filter { $0.name == "x" })
        == #"SELECT * FROM "readers" WHERE (age > 20) AND ("name" = 'x')"#)
    #expect(try sql(all.filter { _ in 10 > 10 }) == #"SELECT * FROM "readers" WHERE 0"#)
    #expect(try sql(all.none()) == #"SELECT * FROM "readers" WHERE 0"#)
    #expect(
      try sql(all.filterWhenConnected { _ in Column("id") == 1 }.filter(age > 2))
        == #"SELECT * FROM "readers" WHERE ("id" = 1) AND ("age" > 2)"#)
  }

  @Test func `columns that are a Swift enum are compared by SQL, not by Swift`() throws {
    enum Columns: String, ColumnExpression { case id, age }
    #expect(
      try sql(all.filter(Columns.id == Columns.age))
        == #"SELECT * FROM "readers" WHERE "id" = "age""#)
  }

  @Test func `groups come with conditions of their own`() throws {
    let groups = all.select(name, max(age)).group { $0.name }
    #expect(
      try sql(groups.having(min(age) > 18).having { max($0.age) < 50 }) == """
        SELECT "name", MAX("age") FROM "readers" GROUP BY "name" \
        HAVING (MIN("age") > 18) AND (MAX("age") < 50)
        """)
    #expect(
      try sql(all.group(sql: "age + ?, lower(name)", arguments: [1]))
        == #"SELECT * FROM "readers" GROUP BY age + 1, lower(name)"#)
    #expect(try sql(all.groupByPrimaryKey()) == #"SELECT * FROM "readers" GROUP BY "id""#)
  }

  @Test func `orders replace each other, and can be turned around`() throws {
    #expect(try sql(all.order(age).order(name)) == #"SELECT * FROM "readers" ORDER BY "name""#)
    #expect(
      try sql(all.order { [$0.age, $0.name.desc] })
        == #"SELECT * FROM "readers" ORDER BY "age", "name" DESC"#)
    #expect(try sql(all.order(\.age)) == #"SELECT * FROM "readers" ORDER BY "age""#)
    #expect(try sql(all.order(\.age.desc)) == #"SELECT * FROM "readers" ORDER BY "age" DESC"#)
    #expect(try sql(all.reversed()) == #"SELECT * FROM "readers""#)
    #expect(
      try sql(all.order(age, name.desc).reversed())
        == #"SELECT * FROM "readers" ORDER BY "age" DESC, "name" ASC"#)
    #expect(
      try sql(all.order(age, name).reversed().reversed())
        == #"SELECT * FROM "readers" ORDER BY "age", "name""#)
    #expect(
      try sql(all.order(name.collating(.nocase).asc).reversed())
        == #"SELECT * FROM "readers" ORDER BY "name" COLLATE NOCASE DESC"#)
    #expect(
      try sql(all.order(sql: "lower(name) desc"))
        == #"SELECT * FROM "readers" ORDER BY lower(name) desc"#)
    #expect(try sql(all.order(age).unordered()) == #"SELECT * FROM "readers""#)
    #expect(try sql(all.orderByPrimaryKey()) == #"SELECT * FROM "readers" ORDER BY "id""#)
    #expect(
      try sql(all.order(age).withStableOrder())
        == #"SELECT * FROM "readers" ORDER BY "age", "id""#)
  }

  @Test func `a table is the request for all of its rows`() throws {
    func byName<Request: OrderedRequest>(_ request: Request) -> Request { request.order(name) }
    #expect(try sql(Table("readers")) == #"SELECT * FROM "readers""#)
    #expect(
      try sql(byName(Table("readers").filter(age > 3)))
        == #"SELECT * FROM "readers" WHERE "age" > 3 ORDER BY "name""#)
    let request: QueryInterfaceRequest<Reader> = Table<Reader>("readers").group(name).distinct()
    #expect(try sql(request) == #"SELECT DISTINCT * FROM "readers" GROUP BY "name""#)
    let readers = Table<Reader>("readers")
    try RequestDatabase().use { db in
      let names = try Row.fetchAll(db, sql: "SELECT * FROM readers").map { $0["name"] as String? }
      let fetched = try AnyFetchRequest(Table("readers")).fetchAll(db)
      #expect(fetched.map { $0["name"] as String? } == names)
      #expect(try readers.select(name, as: String?.self).fetchAll(db) == names)
      #expect(try readers.fetchCount(db) == names.count)
    }
  }

  @Test func `NULLs go where the order says, or an error says what is needed`() throws {
    let request = all.order(age.ascNullsLast).select(age)
    guard SQLiteFeatures.linked.hasNullsOrdering else {
      let error = databaseError { try sql(request) }
      #expect(error?.message?.contains("3.30.0") == true)
      return
    }
    #expect(try sql(request) == #"SELECT "age" FROM "readers" ORDER BY "age" ASC NULLS LAST"#)
    #expect(
      try sql(request.reversed())
        == #"SELECT "age" FROM "readers" ORDER BY "age" DESC NULLS FIRST"#)
    let ages = try RequestDatabase().use { try request.select(age, as: Int?.self).fetchAll($0) }
    #expect(ages == [36, 42, nil])
  }

  @Test func `a limit replaces another`() throws {
    #expect(try sql(all.limit(1, offset: 2)) == #"SELECT * FROM "readers" LIMIT 1 OFFSET 2"#)
    #expect(try sql(all.limit(1, offset: 2).limit(3)) == #"SELECT * FROM "readers" LIMIT 3"#)
  }

  @Test func `the type of the rows is what the context says`() throws {
    let names: QueryInterfaceRequest<String> = Reader.select(name)
    let others = Reader.select { $0.name } as QueryInterfaceRequest<String>
    let same = Reader.select(name)
    _ = same as QueryInterfaceRequest<Reader>
    try RequestDatabase().use { db throws in
      #expect(try names.fetchSet(db) == ["Arthur", "Barbara", "Craig"])
      #expect(try others.order(name).fetchOne(db) == "Arthur")
      #expect(try Reader.select(max(age), as: Int.self).fetchOne(db) == 42)
      #expect(try Reader.select({ $0.age }, as: Int?.self).fetchAll(db) == [42, 36, nil])
      #expect(try Reader.select(sql: "name", as: String.self).fetchAll(db).count == 3)
      #expect(try Reader.selectPrimaryKey(as: Int64.self).fetchAll(db) == [1, 2, 3])
      let row = try Reader.select(name, age, as: Row.self).fetchOne(db)
      #expect(row == ["name": "Arthur", "age": 42])
    }
  }

  // MARK: Counting

  @Test func `a count asks only for what it needs`() throws {
    #expect(try countSQL(all) == #"SELECT COUNT(*) FROM "readers""#)
    #expect(try countSQL(all.order(name).reversed()) == #"SELECT COUNT(*) FROM "readers""#)
    #expect(
      try countSQL(all.limit(10)) == #"SELECT COUNT(*) FROM (SELECT * FROM "readers" LIMIT 10)"#)
    #expect(
      try countSQL(all.filter { $0.age == 42 })
        == #"SELECT COUNT(*) FROM "readers" WHERE "age" = 42"#)
    #expect(
      try countSQL(all.distinct()) == #"SELECT COUNT(*) FROM (SELECT DISTINCT * FROM "readers")"#)
    #expect(try countSQL(all.select(name, age)) == #"SELECT COUNT(*) FROM "readers""#)
    #expect(
      try countSQL(all.select(name).distinct()) == #"SELECT COUNT(DISTINCT "name") FROM "readers""#)
    #expect(
      try countSQL(all.select((age * 2).forKey("x")).distinct())
        == #"SELECT COUNT(*) FROM (SELECT DISTINCT "age" * 2 AS "x" FROM "readers")"#)
    // The function wouldn't count NULL.
    #expect(
      try countSQL(all.select(age).distinct())
        == #"SELECT COUNT(*) FROM (SELECT DISTINCT "age" FROM "readers")"#)
    #expect(
      try countSQL(all.select(name, age).distinct())
        == #"SELECT COUNT(*) FROM (SELECT DISTINCT "name", "age" FROM "readers")"#)
    #expect(
      try countSQL(all.select(max(age)).group(name))
        == #"SELECT COUNT(*) FROM (SELECT MAX("age") FROM "readers" GROUP BY "name")"#)
    #expect(
      try countSQL(all.annotated(with: name.forKey("alt")).filter(Column("alt").detached))
        == #"SELECT COUNT(*) FROM (SELECT *, "name" AS "alt" FROM "readers" WHERE "alt")"#)
  }

  @Test func `the count is that of the rows that a fetch gives`() throws {
    try RequestDatabase().use { db throws in
      let requests: [QueryInterfaceRequest<Row>] = [
        Table("readers").all(), Table("readers").select(max(age)),
        Table("readers").select(sql: "MAX(age)"), Table("readers").limit(2, offset: 2),
        Table("readers").limit(0), Table("readers").select(max(age)).limit(0),
        Table("readers").select(name).group(age), Table("readers").filter(age > 100),
        Table("readers").select(age).filter(age != nil).distinct(),
        Table("readers").select(name).union(Table("readers").select(name)),
        Table("readers").select(name).unionAll(Table("readers").select(name)).limit(4),
      ]
      for request in requests {
        #expect(try request.fetchCount(db) == request.fetchAll(db).count)
        #expect(try request.isEmpty(db) == request.fetchAll(db).isEmpty)
      }
    }
  }

  @Test func `the count is that of the rows, whatever is selected`() throws {
    struct Longest: DatabaseAggregate {
      var longest = 0
      mutating func step(_ values: [DatabaseValue]) {
        longest = Swift.max(longest, String.fromDatabaseValue(values[0])?.count ?? 0)
      }
      func finalize() -> (any DatabaseValueConvertible)? { longest }
    }
    let longest = DatabaseFunction("longest", argumentCount: 1, aggregate: Longest.self)
    let selections: [any SQLSelectable] = [
      age, name, Column("id"), age * 2, longest(name), SQL("max(age)").sqlExpression,
      SQL("max(age)").sqlExpression.forKey("m"), SQL("count(*)"), max(age), -longest(name),
      age.forKey("a"), length(name), name.uppercased, longest(name).forKey("l"), 1.databaseValue,
      case_(age), coalesce([age, Column("id")]), age.collating(.nocase), age == nil,
    ]
    let orders: [SQLOrdering] = [
      age.asc, name.desc, longest(name).sqlOrdering, SQL("max(age)").sqlOrdering,
      SQL("name").sqlOrdering, max(age).asc,
    ]
    var generator = SeededGenerator()
    try RequestDatabase().use { db throws in
      db.add(function: longest)
      try db.execute(sql: "INSERT INTO readers SELECT id + 3, name, NULL FROM readers")
      for _ in 0..<300 {
        let count = Int.random(in: 1...2, using: &generator)
        var request = Table("readers").select(
          (0..<count).map { _ in selections.randomElement(using: &generator)! })
        if Bool.random(using: &generator) { request = request.distinct() }
        if Bool.random(using: &generator) { request = request.filter(Column("id") > 2) }
        if Int.random(in: 0...3, using: &generator) == 0 { request = request.limit(2) }
        if Int.random(in: 0...3, using: &generator) == 0 { request = request.group(name) }
        if Int.random(in: 0...3, using: &generator) == 0 {
          request = request.order(orders.randomElement(using: &generator)!)
        }
        // SQLite refuses some orders by aggregates.
        guard let rows = try? Row.fetchAll(db, request) else { continue }
        #expect(try request.fetchCount(db) == rows.count, "\(request)")
      }
    }
  }

  private func case_(_ column: Column) -> SQLExpression {
    SQL("CASE WHEN \(column) IS NULL THEN 1 END").sqlExpression
  }

  @Test func `emptiness is EXISTS`() throws {
    let sql = try RequestDatabase().sql { db throws in
      #expect(try all.filter(name == "Arthur").isEmpty(db) == false)
    }
    #expect(sql == #"SELECT EXISTS (SELECT * FROM "readers" WHERE "name" = 'Arthur')"#)
  }

  // MARK: One row

  @Test func `one row is a limit, unless a key or an aggregate sees to it`() throws {
    let id = Column("id")
    let where_ = #"SELECT * FROM "readers" WHERE "#
    #expect(try oneSQL(all) == #"SELECT * FROM "readers" LIMIT 1"#)
    #expect(try oneSQL(all.filter(key: 1)) == where_ + #""id" = 1"#)
    #expect(try oneSQL(all.filter(id == 1)) == where_ + #""id" = 1"#)
    #expect(try oneSQL(all.filter(id == nil)) == where_ + #""id" IS NULL"#)
    #expect(try oneSQL(all.filter(name == "x")) == where_ + #""name" = 'x' LIMIT 1"#)
    #expect(
      try oneSQL(all.filter(id == 1).filter(name == "x")) == where_
        + #"("id" = 1) AND ("name" = 'x')"#)
    #expect(try oneSQL(all.filter(id)) == where_ + #""id" LIMIT 1"#)
    #expect(try oneSQL(all.filter(id != 1)) == where_ + #""id" <> 1 LIMIT 1"#)
    #expect(
      try oneSQL(all.filter(id == 1 || id == 2)) == where_ + #"("id" = 1) OR ("id" = 2) LIMIT 1"#)
    #expect(try oneSQL(all.filter(id == age)) == where_ + #""id" = "age" LIMIT 1"#)
    #expect(try oneSQL(all.select(max(age) + 1)) == #"SELECT MAX("age") + 1 FROM "readers""#)
    #expect(
      try oneSQL(all.select(max(age)).group(name))
        == #"SELECT MAX("age") FROM "readers" GROUP BY "name" LIMIT 1"#)
    #expect(try oneSQL(all.limit(5, offset: 1)) == #"SELECT * FROM "readers" LIMIT 1 OFFSET 1"#)
    #expect(try oneSQL(all.limit(0)) == #"SELECT * FROM "readers" LIMIT 0"#)
  }

  // MARK: Aliases

  @Test func `a named alias is written, one without a name where it is needed`() throws {
    let p = TableAlias(name: "p")
    #expect(
      try sql(Table("readers").aliased(p).filter(age > 1).order(name))
        == #"SELECT "p".* FROM "readers" "p" WHERE "p"."age" > 1 ORDER BY "p"."name""#)
    let silent = TableAlias()
    #expect(
      try sql(Table("readers").aliased(silent).filter(silent[age] > 1))
        == #"SELECT * FROM "readers" WHERE "age" > 1"#)
    let typed = TableAlias<Reader>(name: "r")
    #expect(
      try sql(Reader.all().aliased(typed).filter(typed.age > 1).order(typed[name.desc]))
        == #"SELECT "r".* FROM "readers" "r" WHERE "r"."age" > 1 ORDER BY "r"."name" DESC"#)
  }

  // MARK: As other requests

  @Test func `a request is a region: what it reads, in subqueries too`() throws {
    try RequestDatabase("\(RequestDatabase.readers); CREATE TABLE other (x INT)").use { db throws in
      let names = Table("readers").select(name).filter(age > 1)
      #expect(try names.databaseRegion(db).description == "readers(age,name)")
      let others = Table("readers").select(name).filter(
        Table("other").select(Column("x")).contains(age))
      #expect(try others.databaseRegion(db).description == "other(x),readers(age,name)")
      #expect(try Table("other").databaseRegion(db).description == "other(*)")
      #expect(try AnyFetchRequest(names).databaseRegion(db) == names.databaseRegion(db))
      #expect(try all.none().databaseRegion(db).isEmpty)
    }
  }

  @Test func `a request can be adapted and erased`() throws {
    try RequestDatabase().use { db throws in
      let names = Table("readers").select(Column("id"), name).order(name.desc)
      let adapted = names.adapted { _ in SuffixRowAdapter(fromIndex: 1) }
      #expect(try adapted.fetchAll(db).map { $0.count } == [1, 1, 1])
      #expect(try adapted.fetchCount(db) == 3)
      let any = AnyFetchRequest(names).asRequest(of: Int.self)
      #expect(try any.fetchOne(db) == 3)
      #expect(
        try Table("readers").filter(AnyFetchRequest(names.select(age)).contains(age)).fetchCount(db)
          == 2)
    }
  }

  @Test func `a column of a view or a subquery keeps its name`() throws {
    try RequestDatabase().use { db throws in
      func names(_ request: some FetchRequest) throws -> [String]? {
        try Row.fetchOne(db, request).map { Array($0.columnNames) }
      }
      try db.execute(sql: "CREATE VIEW old AS SELECT * FROM readers")
      let alias = TableAlias(name: "o")
      let view = Table("old").aliased(alias)
      #expect(try names(view.select(age, alias[name])) == ["age", "name"])
      #expect(try names(view.select(name).order(age).distinct().limit(1)) == ["name"])
      let part = CommonTableExpression(named: "part", request: all)
      #expect(try names(part.all().with(part).aliased(alias).select(age)) == ["age"])
      let same = part.association(to: Table("old")) { $0["id"] == $1["id"] }
      #expect(
        try names(part.all().with(part).select(age).annotated(withRequired: same.select(name)))
          == ["age", "name"])
    }
  }

  @Test func `arguments are forgotten after the fetch`() throws {
    try RequestDatabase().use { db throws in
      let request = Table("readers").filter(name == "secret-marker")
      #expect(try request.fetchAll(db).isEmpty)
      let statement = try db.cachedStatement(sql: #"SELECT * FROM "readers" WHERE "name" = ?"#)
      #expect(statement.arguments.isEmpty)
    }
  }
}
