import CofferTestSupport
import Testing

@testable import Coffer
@testable import CofferCore

@Suite("Regions of requests") struct RequestRegionTests {
  private struct Foo: TableRecord, Identifiable { var id: Int64 }

  private func database() throws -> RequestDatabase {
    try RequestDatabase(
      """
      CREATE TABLE foo (id INTEGER PRIMARY KEY, a TEXT);
      CREATE TABLE bar (id INTEGER PRIMARY KEY, fooId INTEGER);
      CREATE TABLE hidden (a TEXT);
      CREATE TABLE code (code TEXT PRIMARY KEY, a TEXT);
      CREATE TABLE bare (id INTEGER PRIMARY KEY, a TEXT) WITHOUT ROWID;
      CREATE TABLE odd (id INTEGER PRIMARY KEY, rowid TEXT);
      CREATE TABLE downwards (id INTEGER PRIMARY KEY DESC, a TEXT);
      CREATE VIEW view AS SELECT * FROM foo;
      """)
  }

  private let id = Column("id"), a = Column("a")

  @Test func `conditions on the rowid tell the rows`() throws {
    try database().use { db throws in
      func region(_ request: QueryInterfaceRequest<Foo>) throws -> String {
        try request.databaseRegion(db).description
      }
      for request in [
        Foo.filter(id == 1), Foo.filter(1 == id), Foo.filter(id === 1), Foo.filter(1 === id),
        Foo.filter(Column.rowID == 1), Foo.filter(id == 1 && a == "foo"), Foo.filter(key: 1),
        Foo.filter(id: 1), Foo.filter(key: ["id": 1]), Foo.filter(key: 1).filter(key: 1),
        Foo.filter(key: 1).filter(a == "foo").order(a).limit(1), Foo.filter(key: 1).select(a, id),
        Foo.filter(Column("ID") == 1.0), Foo.filter([1, 2].contains(id)).filter(id == 1),
        Foo.filter(key: 1).filter(sql: "length(a) > 1"), Foo.filter(key: 1).order(sql: "a"),
        Foo.filter(key: 1).filter([1, 2].contains(a)),
      ] { #expect(try region(request) == "foo(a,id)[1]") }

      #expect(try region(Foo.filter(id == 1 || Column.rowID == 2)) == "foo(a,id)[1,2]")
      #expect(
        try region(Foo.filter((id == 1 && a == "foo") || Column("oid") == 2)) == "foo(a,id)[1,2]")
      for request in [
        Foo.filter([3, 1, 2].contains(id)), Foo.filter([1, 2, 3].contains(Column.rowID)),
        Foo.filter(keys: [1, 2, 3]), Foo.filter(ids: [1, 2, 3]),
        Foo.filter([1, nil, 2, 3].contains(id)),
      ] { #expect(try region(request) == "foo(a,id)[1,2,3]") }
      let many = try Foo.filter(keys: 1...20).databaseRegion(db)
      #expect(many.description.hasPrefix("foo(a,id)[1,2,3,"))

      for request in [
        Foo.filter(id == nil), Foo.filter(id === nil), Foo.filter(nil == id),
        Foo.filter(id == 1 && id == 2), Foo.filter(key: 1).filter(key: 2), Foo.filter(id == 1.5),
      ] { #expect(try region(request) == "empty") }

      for request in [
        Foo.all(), Foo.filter(a == "1"), Foo.filter(id >= 1), Foo.filter(id == 1 || a == "foo"),
        Foo.filter(id != 1), Foo.filter(!(id == 1)), Foo.filter(id == "1"), Foo.filter(id == a),
        Foo.filter(![1, 2].contains(id)), Foo.filter(sql: "id = 1"),
      ] { #expect(try region(request) == "foo(a,id)") }
    }
  }

  @Test func `a request that never gives a row reads nothing`() throws {
    try database().use { db throws in
      let bars = Table("bar").select(count(Column("id")))
      for request in [
        Foo.none(), Foo.filter([String]().contains(a)), Foo.filter(keys: [Int]()),
        Foo.filter(a == "x").none(), Foo.filter(sql: "a > 1").filter(false.sqlExpression),
        Foo.none().filter(bars.exists()),
      ] {
        #expect(try request.databaseRegion(db).description == "empty")
        let prepared = try request.makePreparedRequest(db, forSingleResult: true)
        #expect(prepared.statement.databaseRegion.description == "empty")
      }
      #expect(try Table("view").all().none().databaseRegion(db).isEmpty)
      #expect(try Table("code").all().filter(keys: [String]()).databaseRegion(db).isEmpty)
      // There is always a row of aggregates, with values of other tables.
      let one = Foo.select(count(id), bars.sqlExpression).none()
      #expect(try one.databaseRegion(db).isModified(byEventsOfKind: .insert(tableName: "bar")))
      #expect(try !Foo.filter(false.sqlExpression || a == "x").databaseRegion(db).isEmpty)
      #expect(try !Foo.filter(![String]().contains(a)).databaseRegion(db).isEmpty)
    }
  }

  @Test func `the statement of a request knows the request's region while it has its arguments`()
    throws
  {
    try database().use { db throws in
      let statement = try Foo.filter(key: 1).makePreparedRequest(db).statement
      #expect(statement.databaseRegion.description == "foo(a,id)[1]")
      try statement.setArguments([2])
      #expect(statement.databaseRegion.description == "foo(a,id)")
      let two = try AnyFetchRequest(Foo.filter(key: 2)).makePreparedRequest(db).statement
      #expect(two.databaseRegion.description == "foo(a,id)[2]")
      _ = try Row.fetchAll(two)
      two.clearBindings()
      #expect(two.databaseRegion.description == "foo(a,id)")
    }
  }

  @Test func `columns that are no rowid tell no rows`() throws {
    try database().use { db throws in
      func region(_ table: String, _ condition: SQLExpression) throws -> String {
        try Table(table).filter(condition).databaseRegion(db).description
      }
      #expect(try region("hidden", Column.rowID == 1).lowercased() == "hidden(a,rowid)[1]")
      #expect(try region("code", Column("code") == 1) == "code(a,code)")
      #expect(try region("bare", id == 1) == "bare(a,id)")
      #expect(try region("odd", Column("rowid") == 1) == "odd(id,rowid)")
      #expect(try region("odd", Column("oid") == 1) == "odd(id,rowid)[1]")
      #expect(try region("downwards", id == 1) == "downwards(a,id)")
      #expect(try region("view", id == 1) == "foo(a,id)")
    }
  }

  @Test func `a request that reads the table twice reads all of its rows`() throws {
    try database().use { db throws in
      let one = Foo.filter(key: 1)
      let foos = Foo.all(), bars = Table("bar").all()
      let best = Foo.select(max(a))
      let part = CommonTableExpression(named: "part", request: foos.select(id))
      let nested: SQL = "a = (\(best))"
      for request in [
        one.filter(foos.exists()), one.filter(a == best), one.filter(foos.select(a).contains(a)),
        one.filter(sql: "a IN (SELECT a FROM foo)"), one.filter(sql: "(id, a) IN foo"),
        one.filter(nested), one.select(a, id, best.sqlExpression), one.order(best.sqlExpression),
        one.with(part).filter(part.contains(id)),
        one.filter(Table("view").all().exists()),
        one.filter(sql: "1) OR (1"), one.filter(sql: "1 -- one\n"),
        one.filter(SQL("1) OR (\(a) = \("x")")),
        one.filter(bars.filter(foos.exists()).exists()),
      ] {
        #expect(
          try request.databaseRegion(db).isModified(
            by: DatabaseEvent(
              kind: .update, databaseName: "main", tableName: "foo", rowID: 2)))
      }
      let other = try one.filter(bars.select(Column("fooId")).contains(id)).databaseRegion(db)
      #expect(other.description == "bar(fooId),foo(a,id)[1]")
    }
  }

  @Test func `a recorded region has the rows, too`() throws {
    try database().use { db throws in
      func recorded(_ read: () throws -> Void) throws -> String {
        try db.recordingRegion(read).1.description
      }
      let one = Table("foo").filter(id == 1)
      #expect(try recorded { _ = try one.fetchAll(db) } == "foo(a,id)[1]")
      #expect(try recorded { _ = try one.fetchOne(db) } == "foo(a,id)[1]")
      #expect(try recorded { _ = try one.fetchCursor(db).next() } == "foo(a,id)[1]")
      #expect(try recorded { _ = try one.fetchCount(db) } == "foo(id)[1]")
      #expect(try recorded { _ = try one.isEmpty(db) }.hasSuffix("[1]"))
      #expect(try recorded { _ = try AnyFetchRequest(one).fetchAll(db) } == "foo(a,id)[1]")
      let two = Table("foo").filter(id == 2)
      #expect(
        try recorded {
          _ = try one.fetchAll(db)
          _ = try two.fetchAll(db)
        } == "foo(a,id)[1,2]")
      // The same text, with arguments that weren't recorded.
      let sql = try one.makePreparedRequest(db).statement.sql
      #expect(
        try recorded {
          _ = try one.fetchAll(db)
          _ = try Row.fetchAll(db, sql: sql, arguments: [2])
        } == "foo(a,id)")
      let statement = try db.makeStatement(sql: sql)
      statement.arguments = [1]
      #expect(try recorded { _ = try Row.fetchAll(statement) } == "foo(a,id)")
      #expect(statement.databaseRegion.description == "foo(a,id)")
    }
  }
}

@Suite("Regions with rows") struct RowRegionAlgebraTests {
  private func region(_ columns: [String]?, _ rows: Set<Int64>?) -> DatabaseRegion {
    var region =
      columns.map { DatabaseRegion(table: "foo", columns: $0) } ?? DatabaseRegion(table: "foo")
    if let rows { region.formIntersection(rows: rows, ofTable: "FOO") }
    return region
  }

  @Test func `a union has the columns and the rows of both`() {
    let regions = [
      .fullDatabase, DatabaseRegion(), region(nil, nil), region(["a", "b"], nil),
      region(nil, [1, 2]), region(nil, [2, 3]), DatabaseRegion(table: "bar"),
    ]
    let all = "full database"
    let expected = [
      [all, all, all, all, all, all, all],
      [all, "empty", "foo(*)", "foo(a,b)", "foo(*)[1,2]", "foo(*)[2,3]", "bar(*)"],
      [all, "foo(*)", "foo(*)", "foo(*)", "foo(*)", "foo(*)", "bar(*),foo(*)"],
      [all, "foo(a,b)", "foo(*)", "foo(a,b)", "foo(*)", "foo(*)", "bar(*),foo(a,b)"],
      [
        all, "foo(*)[1,2]", "foo(*)", "foo(*)", "foo(*)[1,2]", "foo(*)[1,2,3]",
        "bar(*),foo(*)[1,2]",
      ],
      [
        all, "foo(*)[2,3]", "foo(*)", "foo(*)", "foo(*)[1,2,3]", "foo(*)[2,3]",
        "bar(*),foo(*)[2,3]",
      ],
      [
        all, "bar(*)", "bar(*),foo(*)", "bar(*),foo(a,b)", "bar(*),foo(*)[1,2]",
        "bar(*),foo(*)[2,3]", "bar(*)",
      ],
    ]
    for (lhs, row) in zip(regions, expected) {
      for (rhs, union) in zip(regions, row) { #expect(lhs.union(rhs).description == union) }
    }
    #expect(region(["a"], [1]).union(region(["b"], [2])).description == "foo(a,b)[1,2]")
  }

  @Test func `regions are equal where columns and rows are`() {
    #expect(region(["a"], [1]) == region(["A"], [1]))
    #expect(region(["a"], [1]) != region(["a"], [2]))
    #expect(region(["a"], [1]) != region(["a"], nil))
    #expect(region(nil, []) == DatabaseRegion())
    #expect(region(nil, [1]).isEmpty == false)
  }

  @Test func `an event matters where its row does`() {
    let region = region(["a"], [1])
    func event(_ row: Int64, schema: String = "main") -> DatabaseEvent {
      DatabaseEvent(kind: .delete, databaseName: schema, tableName: "foo", rowID: row)
    }
    #expect(region.isModified(by: event(1)))
    #expect(!region.isModified(by: event(2)))
    #expect(!region.isModified(by: event(1, schema: "temp")))
    #expect(region.isModified(byEventsOfKind: .insert(tableName: "foo")))
    #expect(region.isModified(byEventsOfKind: .update(tableName: "foo", columnNames: ["a"])))
    #expect(!region.isModified(byEventsOfKind: .update(tableName: "foo", columnNames: ["b"])))
  }
}
