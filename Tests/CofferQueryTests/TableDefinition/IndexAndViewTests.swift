import CofferExpectations
import CofferTestSupport
import Testing

@testable import CofferCore
@testable import CofferQuery

@Suite struct IndexAndViewTests {
  private static let table = "CREATE TABLE test (id INTEGER PRIMARY KEY, a TEXT, b TEXT)"

  @Test func `columns are indexed where they are defined`() throws {
    try EncryptedQueue.with { db throws in
      let statements = try db.statements {
        try db.create(table: "test", options: .ifNotExists) { t in
          t.column("a").indexed()
          t.column("b").indexed().unique()
          t.column("c").unique().indexed()
        }
      }
      #expect(
        statements == [
          #"CREATE TABLE IF NOT EXISTS "test" ("a", "b" UNIQUE, "c" UNIQUE)"#,
          #"CREATE INDEX IF NOT EXISTS "test_on_a" ON "test"("a")"#,
        ])
    }
  }

  @Test func `an index on columns has the given name, or that of its table and columns`() throws {
    try EncryptedQueue.with(Self.table) { db throws in
      let statements = try db.statements {
        try db.create(index: "i1", on: "test", columns: ["a"])
        try db.create(
          index: "i2", on: "test", columns: ["a", "b"], unique: true, ifNotExists: true)
        try db.create(
          index: "i2", on: "test", columns: ["a", "b"], options: [.unique, .ifNotExists])
        try db.create(indexOn: "test", columns: ["a"])
        try db.create(indexOn: "test", columns: ["a", "b"], options: .unique)
        try db.create(
          index: "i3", on: "test", columns: ["b"], options: .ifNotExists,
          condition: Column("a") == 1)
        try db.create(indexOn: "test", columns: ["b"], condition: Column("a") == "O'Brien")
      }
      #expect(
        statements == [
          #"CREATE INDEX "i1" ON "test"("a")"#,
          #"CREATE UNIQUE INDEX IF NOT EXISTS "i2" ON "test"("a", "b")"#,
          #"CREATE UNIQUE INDEX IF NOT EXISTS "i2" ON "test"("a", "b")"#,
          #"CREATE INDEX "index_test_on_a" ON "test"("a")"#,
          #"CREATE UNIQUE INDEX "index_test_on_a_b" ON "test"("a", "b")"#,
          #"CREATE INDEX IF NOT EXISTS "i3" ON "test"("b") WHERE "a" = 1"#,
          #"CREATE INDEX "index_test_on_b" ON "test"("b") WHERE "a" = 'O''Brien'"#,
        ])
      #expect(
        Set(try db.indexes(on: "test").map(\.name))
          == ["i1", "i2", "i3", "index_test_on_a", "index_test_on_a_b", "index_test_on_b"])
      #expect(try db.table("test", hasUniqueKey: ["a", "b"]))
    }
  }

  @Test func `an index on expressions has their SQL, and isn't listed`() throws {
    try EncryptedQueue.with(Self.table) { db throws in
      let statements = try db.statements {
        try db.create(
          index: "i1", on: "test", expressions: [Column("a") + Column("b")], options: .unique)
        try db.create(
          index: "i2", on: "test",
          expressions: [Column("a").collating(.nocase), length(Column("b"))],
          condition: Column("b") != nil)
      }
      #expect(
        statements == [
          #"CREATE UNIQUE INDEX "i1" ON "test"("a" + "b")"#,
          #"CREATE INDEX "i2" ON "test"("a" COLLATE NOCASE, LENGTH("b")) WHERE "b" IS NOT NULL"#,
        ])
      #expect(try db.indexes(on: "test").isEmpty)
    }
  }

  @Test func `indexes are dropped by name or by columns`() throws {
    try EncryptedQueue.with(
      "CREATE TABLE test (a, b, c UNIQUE, d); CREATE INDEX x ON test (a); CREATE INDEX y ON test (a, b)"
    ) { db throws in
      try db.create(indexOn: "test", columns: ["b"])
      try db.create(index: "z", on: "test", columns: ["b"])
      let statements = try db.statements {
        try db.drop(indexOn: "TEST", columns: ["A"])
        try db.drop(indexOn: "test", columns: ["a", "b"])
        // Of two, the one with the default name.
        try db.drop(indexOn: "test", columns: ["b"])
        try db.drop(index: "z")
        // There is no such index, and the index of a constraint can't be dropped.
        try db.drop(indexOn: "test", columns: ["d", "a"])
        try db.drop(indexOn: "test", columns: ["c"])
      }
      #expect(
        statements == [
          #"DROP INDEX "x""#, #"DROP INDEX "y""#, #"DROP INDEX "index_test_on_b""#,
          #"DROP INDEX "z""#,
        ])
      #expect(
        databaseError { try db.drop(indexOn: "missing", columns: ["a"]) }?.message
          == "no such table: missing")
      try db.execute(sql: "CREATE INDEX p ON test (d); CREATE INDEX q ON test (d)")
      #expect(
        databaseError { try db.drop(indexOn: "test", columns: ["d"]) }?.message?.contains("several")
          == true)
    }
  }

  @Test func `a view is created from a request or from SQL`() throws {
    try EncryptedQueue.with(
      Self.table + "; INSERT INTO test VALUES (1, 'O''Brien', 'x'), (2, 'y', 'z')"
    ) { db throws in
      let request: SQLRequest<Row> = "SELECT * FROM test WHERE a = \("O'Brien")"
      let statements = try db.statements {
        try db.create(view: "v1", as: request)
        try db.create(view: "v2", options: [.temporary, .ifNotExists], as: request)
        try db.create(view: "v3", columns: ["p", "q \"r\"", "s"], as: request)
        try db.create(
          view: "v4", options: .ifNotExists, asLiteral: "SELECT id FROM test WHERE id > \(1)")
        try db.create(view: "v5", as: Table("test").filter(Column("a") == "O'Brien"))
      }
      let query = "SELECT * FROM test WHERE a = 'O''Brien'"
      #expect(
        statements == [
          #"CREATE VIEW "v1" AS \#(query)"#,
          #"CREATE TEMPORARY VIEW IF NOT EXISTS "v2" AS \#(query)"#,
          #"CREATE VIEW "v3" ("p", "q ""r""", "s") AS \#(query)"#,
          #"CREATE VIEW IF NOT EXISTS "v4" AS SELECT id FROM test WHERE id > 1"#,
          #"CREATE VIEW "v5" AS SELECT * FROM "test" WHERE "a" = 'O''Brien'"#,
        ])
      for view in ["v1", "v2", "v3", "v4", "v5"] {
        #expect(try db.viewExists(view))
        #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM \(view)") == 1)
      }
      #expect(try db.viewExists("v2", in: "temp"))
      #expect(try db.columns(in: "v3").map(\.name) == ["p", "q \"r\"", "s"])
      #expect(try db.statements { try db.drop(view: "v3") } == [#"DROP VIEW "v3""#])
      #expect(try !db.viewExists("v3"))
    }
  }
}
