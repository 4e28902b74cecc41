import Coffer
@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import Testing

@Suite struct PrefetchTests {
  private struct A: TableRecord {
    static let bs = hasMany(B.self)
    static let cs = hasMany(C.self)
    static let ds = hasMany(D.self, through: cs, using: C.ds)
  }

  private struct B: TableRecord {
    static let a = belongsTo(A.self)
    static let cs = hasMany(C.self, through: a, using: A.cs)
  }

  private struct C: TableRecord {
    static let ds = hasMany(D.self)
    static let a = belongsTo(A.self)
  }

  private struct D: TableRecord {
    static let c = belongsTo(C.self)
  }

  private static let schema = """
    CREATE TABLE a (cola1 INTEGER PRIMARY KEY, cola2 TEXT);
    CREATE TABLE b (colb1 INTEGER PRIMARY KEY, colb2 INTEGER REFERENCES a, colb3 TEXT);
    CREATE TABLE c (colc1 INTEGER PRIMARY KEY, colc2 INTEGER REFERENCES a);
    CREATE TABLE d (cold1 INTEGER PRIMARY KEY, cold2 INTEGER REFERENCES c, cold3 TEXT);
    INSERT INTO a VALUES (1, 'a1'), (2, 'a2'), (3, 'a3');
    INSERT INTO b VALUES (4, 1, 'b1'), (5, 1, 'b2'), (6, 2, 'b3'), (14, NULL, 'b4');
    INSERT INTO c VALUES (7, 1), (8, 2), (9, 2);
    INSERT INTO d VALUES (10, 7, 'd1'), (11, 8, 'd2'), (12, 8, 'd3'), (13, 9, 'd4');
    """

  private let database: RequestDatabase

  init() throws { database = try RequestDatabase(Self.schema) }

  @Test func `one query prefetches the rows of all parents`() throws {
    let request = A.including(all: A.bs.orderByPrimaryKey()).orderByPrimaryKey()
    let (rows, queries) = try database.run { db in try Row.fetchAll(db, request) }
    #expect(
      queries == [
        #"SELECT * FROM "a" ORDER BY "cola1""#,
        """
        SELECT *, "colb2" AS "grdb_colb2" FROM "b" WHERE "colb2" IN (1, 2, 3) ORDER BY "colb1"
        """,
      ])
    #expect(rows.map { $0.prefetchedRows["bs"]?.map { $0["colb1"] as Int } } == [[4, 5], [6], []])
    #expect(
      rows[0].prefetchedRows["bs"]?[0]
        == ["colb1": 4, "colb2": 1, "colb3": "b1", "grdb_colb2": 1])
  }

  @Test func `nothing is fetched for no parents`() throws {
    let (_, queries) = try database.run { db in
      try Row.fetchAll(db, A.none().including(all: A.bs))
    }
    #expect(queries == [#"SELECT * FROM "a" WHERE 0"#])
    let (rows, some) = try database.run { db in
      try Row.fetchAll(db, B.filter(key: 14).including(all: B.cs))
    }
    #expect(some.count == 1)
    #expect(rows[0].prefetchedRows["cs"] == [])
  }

  @Test func `nested associations take one query a level`() throws {
    let request = A.including(
      all: A.cs.filter(Column("colc1") > 7).including(all: C.ds.orderByPrimaryKey())
        .orderByPrimaryKey()
    ).including(all: A.bs).orderByPrimaryKey()
    let (rows, queries) = try database.run { db in try Row.fetchAll(db, request) }
    #expect(queries.count == 4)
    #expect(
      queries[1] == """
        SELECT *, "colc2" AS "grdb_colc2" FROM "c" \
        WHERE ("colc1" > 7) AND ("colc2" IN (1, 2, 3)) ORDER BY "colc1"
        """)
    #expect(
      queries[2] == """
        SELECT *, "cold2" AS "grdb_cold2" FROM "d" WHERE "cold2" IN (8, 9) ORDER BY "cold1"
        """)
    let ds = rows.map { row in
      row.prefetchedRows["cs"]?.map { c in
        c.prefetchedRows["ds"]?.map { $0["cold1"] as Int }
      }
    }
    #expect(ds == [[], [[11, 12], [13]], []])
    #expect(rows.map { $0.prefetchedRows["bs"]?.count } == [2, 1, 0])
  }

  @Test func `rows come through other tables`() throws {
    let request = A.including(all: A.ds.orderByPrimaryKey()).orderByPrimaryKey()
    let (rows, queries) = try database.run { db in try Row.fetchAll(db, request) }
    #expect(
      queries[1] == """
        SELECT "d".*, "c"."colc2" AS "grdb_colc2" FROM "d" \
        JOIN "c" ON ("c"."colc1" = "d"."cold2") AND ("c"."colc2" IN (1, 2, 3)) \
        ORDER BY "d"."cold1"
        """)
    #expect(
      rows.map { $0.prefetchedRows["ds"]?.map { $0["cold1"] as Int } } == [[10], [11, 12, 13], []])
    let (bs, through) = try database.run { db in
      try Row.fetchAll(db, B.including(all: B.cs.orderByPrimaryKey()).orderByPrimaryKey())
    }
    #expect(
      through[1] == """
        SELECT "c".*, "a"."cola1" AS "grdb_cola1" FROM "c" \
        JOIN "a" ON ("a"."cola1" = "c"."colc2") AND ("a"."cola1" IN (1, 2)) ORDER BY "c"."colc1"
        """)
    #expect(
      bs.map { $0.prefetchedRows["cs"]?.map { $0["colc1"] as Int } } == [[7], [7], [8, 9], []])
  }

  @Test func `rows are prefetched with joined rows`() throws {
    let request = B.including(
      optional: B.a.including(all: A.cs.orderByPrimaryKey())
    ).orderByPrimaryKey()
    let (rows, queries) = try database.run { db in try Row.fetchAll(db, request) }
    #expect(
      queries == [
        """
        SELECT "b".*, "a".* FROM "b" LEFT JOIN "a" ON "a"."cola1" = "b"."colb2" \
        ORDER BY "b"."colb1"
        """,
        """
        SELECT "c".*, "a"."cola1" AS "grdb_cola1" FROM "c" \
        JOIN "a" ON ("a"."cola1" = "c"."colc2") AND ("a"."cola1" IN (1, 2)) ORDER BY "c"."colc1"
        """,
      ])
    #expect(
      rows.map { $0.scopes["a"]?.prefetchedRows["cs"]?.map { $0["colc1"] as Int } }
        == [[7], [7], [8, 9], []])
    let deep = D.including(
      optional: D.c.including(optional: C.a.including(all: A.bs.orderByPrimaryKey()))
    ).filter(Column("cold2") != 8).orderByPrimaryKey()
    let (_, deepQueries) = try database.run { db in try Row.fetchAll(db, deep) }
    #expect(
      deepQueries[1] == """
        SELECT "b".*, "c"."colc1" AS "grdb_colc1" FROM "b" \
        JOIN "a" ON "a"."cola1" = "b"."colb2" \
        JOIN "c" ON ("c"."colc2" = "a"."cola1") AND ("c"."colc1" IN (7, 9)) ORDER BY "b"."colb1"
        """)
  }

  @Test func `one row and the rows of a cursor have their prefetched rows, too`() throws {
    try database.use { db throws in
      let request = A.including(all: A.bs).orderByPrimaryKey()
      #expect(try Row.fetchOne(db, request)?.prefetchedRows["bs"]?.count == 2)
      var counts: [Int?] = []
      let cursor = try Row.fetchCursor(db, request)
      while let row = try cursor.next() { counts.append(row.prefetchedRows["bs"]?.count) }
      #expect(counts == [2, 1, 0])
    }
  }

  @Test(arguments: [2, 300]) func `keys of several columns find their rows`(count: Int) throws {
    struct Parent: TableRecord {
      static let children = hasMany(Child.self)
    }
    struct Child: TableRecord {}
    try database.use { db throws in
      try db.execute(
        sql: """
          CREATE TABLE parent (x TEXT, y INTEGER, PRIMARY KEY (x, y));
          CREATE TABLE child (
            id INTEGER PRIMARY KEY, px TEXT, py INTEGER, FOREIGN KEY (px, py) REFERENCES parent);
          """)
      for number in 0..<count {
        try db.execute(
          sql: "INSERT INTO parent VALUES (?, ?)", arguments: ["x\(number % 7)", number])
        try db.execute(
          sql: "INSERT INTO child (px, py) VALUES (?, ?), (?, ?)",
          arguments: ["x\(number % 7)", number, "x\(number % 7)", number])
      }
      let rows = try Row.fetchAll(db, Parent.including(all: Parent.children))
      #expect(rows.count == count)
      for row in rows {
        let children = try #require(row.prefetchedRows["children"])
        #expect(children.count == 2)
        #expect(children.allSatisfy { $0["px"] == row["x"] as String })
        #expect(children.allSatisfy { $0["py"] == row["y"] as Int })
      }
    }
  }

  @Test func `prefetched rows belong to the region of a request`() throws {
    try database.use { db throws in
      let request = A.including(all: A.cs.including(all: C.ds)).including(all: A.bs)
      let region = try request.databaseRegion(db)
      for table in ["a", "b", "c", "d"] {
        #expect(region.isModified(byEventsOfKind: .insert(tableName: table)))
      }
      // Where there turns out to be no row, too.
      let none = A.filter(Column("cola2") == "x").including(all: A.bs)
      let (_, read) = try db.recordingRegion { try Row.fetchAll(db, none) }
      #expect(read.isModified(byEventsOfKind: .insert(tableName: "a")))
      #expect(read.isModified(byEventsOfKind: .insert(tableName: "b")))
    }
  }

  @Test func `the region of a request is that of its statement, and what is recorded`() throws {
    func expect(_ request: QueryInterfaceRequest<A>, _ expected: String) throws {
      try database.use { db throws in
        #expect(try request.databaseRegion(db).description == expected)
        let statement = try request.makePreparedRequest(db, forSingleResult: false).statement
        #expect(statement.databaseRegion.description == expected)
        let (_, read) = try db.recordingRegion { try Row.fetchAll(db, request) }
        #expect(read.description == expected)
      }
    }
    let a = "a(cola1,cola2)", b = "b(colb1,colb2,colb3)", c = "c(colc1,colc2)"
    try expect(A.including(all: A.bs), "\(a),\(b)")
    try expect(A.filter(key: 1).including(all: A.bs), "\(a)[1],\(b)")
    try expect(A.including(all: A.bs.select(Column("colb1"))), "\(a),b(colb1,colb2)")
    try expect(A.including(all: A.bs.filter(Column("colb1") == 4)), "\(a),\(b)[4]")
    try expect(A.including(all: A.cs.including(all: C.ds)), "\(a),\(c),d(cold1,cold2,cold3)")
    try expect(A.none().including(all: A.bs), "empty")
    try expect(A.including(all: A.bs.none()), a)
    try expect(A.including(all: A.cs.none().including(all: C.ds)), a)
    try expect(A.including(all: A.cs.including(all: C.ds.none())), "\(a),\(c)")
  }

  @Test func `thousands of parents take the same two queries`() throws {
    let (_, _) = try database.run { db in
      try db.execute(
        sql: """
          WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 5099)
          INSERT INTO a SELECT i, 'x' FROM n;
          INSERT INTO b (colb2) SELECT cola1 FROM a WHERE cola1 >= 100;
          """)
    }
    let (rows, queries) = try database.run { db in
      try Row.fetchAll(db, A.filter(Column("cola1") >= 100).including(all: A.bs))
    }
    #expect(queries.count == 2)
    #expect(rows.count == 5000 && rows.allSatisfy { $0.prefetchedRows["bs"]?.count == 1 })
  }

  @Test func `a selection without the key is an error that says so`() throws {
    try database.use { db throws in
      let request = A.select(Column("cola2")).including(all: A.bs)
      let error = databaseError { try Row.fetchAll(db, request) }
      #expect(
        error?.message == #"associated rows can't be fetched: column "cola1" isn't selected"#)
    }
  }

  @Test func `the first rows of groups come in one query`() throws {
    let last = A.bs.first(orderedBy: Column("colb1").desc).forKey("last")
    let request = A.including(optional: last).orderByPrimaryKey()
    let (rows, queries) = try database.run { db in try Row.fetchAll(db, request) }
    #expect(
      queries == [
        """
        SELECT "a".*, "b".* FROM "a" LEFT JOIN "b" ON "b"."colb1" = (SELECT "colb1" FROM "b" \
        WHERE "colb2" = "a"."cola1" ORDER BY "colb1" DESC, "colb1" LIMIT 1) ORDER BY "a"."cola1"
        """
      ])
    #expect(rows.map { $0.scopes["last"]?["colb3"] as String? } == ["b2", "b3", nil])
    try database.use { db throws in
      let filtered = A.bs.filter(Column("colb3") != "b2").first(orderedBy: Column("colb1").desc)
      let rows = try Row.fetchAll(
        db, A.including(optional: filtered.forKey("last")).orderByPrimaryKey())
      #expect(rows.map { $0.scopes["last"]?["colb3"] as String? } == ["b1", "b3", nil])
      let required = A.joining(required: last.filter(Column("colb3") == "b1"))
      #expect(try required.fetchCount(db) == 0)
    }
  }

  @Test func `rows are prefetched through the first row of a group`() throws {
    let latest = A.cs.first(orderedBy: Column("colc1").desc).forKey("latest")
    let request = A.including(optional: latest.including(all: C.ds)).orderByPrimaryKey()
    let (rows, queries) = try database.run { db in try Row.fetchAll(db, request) }
    #expect(queries.count == 2)
    #expect(
      rows.map { $0.scopes["latest"]?.prefetchedRows["ds"]?.map { $0["cold3"] as String } }
        == [["d1"], ["d4"], []])
  }
}
