import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore
@testable import CofferQuery

/// Checks the SQL, which SQLite executes, and the table that results.
@Suite struct TableDefinitionTests {
  private func check(
    _ sql: String, options: TableOptions = [], before: String = "",
    sourceLocation: SourceLocation = #_sourceLocation, _ body: (TableDefinition) throws -> Void
  ) throws {
    try EncryptedQueue.with(before) { db throws in
      let statements = try db.statements {
        try db.create(table: "test", options: options, body: body)
      }
      #expect(statements == [sql], sourceLocation: sourceLocation)
    }
  }

  @Test func `a column has a type or none`() throws {
    try check(#"CREATE TABLE "test" ("id" INTEGER PRIMARY KEY, "name" TEXT, "x")"#) { t in
      t.primaryKey("id", .integer)
      t.column("name", .text)
      t.column("x")
    }
    try check(
      #"CREATE TABLE "test" ("a" TEXT, "b" INTEGER, "c" DOUBLE, "d" REAL, "e" NUMERIC, "#
        + #""f" BOOLEAN, "g" BLOB, "h" DATE, "i" DATETIME, "j" ANY, "k" TEXT, "l" BLOB, "m" MY TYPE)"#
    ) { t in
      let types: [Database.ColumnType] = [
        .text, .integer, .double, .real, .numeric, .boolean, .blob, .date, .datetime, .any,
        .jsonText,
        .jsonb, .init(rawValue: "MY TYPE"),
      ]
      for (name, type) in zip("abcdefghijklm", types) { t.column(String(name), type) }
    }
  }

  @Test func `a primary key has one column or several, and its conflict policy`() throws {
    try check(#"CREATE TABLE "test" ("id" INTEGER PRIMARY KEY AUTOINCREMENT)"#) {
      $0.autoIncrementedPrimaryKey("id")
    }
    try check(#"CREATE TABLE "test" ("id" INTEGER PRIMARY KEY ON CONFLICT FAIL AUTOINCREMENT)"#) {
      $0.autoIncrementedPrimaryKey("id", onConflict: .fail)
    }
    try check(#"CREATE TABLE "test" ("id" INTEGER PRIMARY KEY ON CONFLICT REPLACE)"#) {
      $0.primaryKey("id", .integer, onConflict: .replace)
    }
    try check(#"CREATE TABLE "test" ("code" TEXT PRIMARY KEY NOT NULL)"#) {
      $0.primaryKey("code", .text)
    }
    try check(#"CREATE TABLE "test" ("id" INTEGER PRIMARY KEY AUTOINCREMENT)"#) {
      $0.column("id", .integer).primaryKey(autoincrement: true)
    }
    try check(#"CREATE TABLE "test" ("a" TEXT, "b", PRIMARY KEY ("a", "b") ON CONFLICT IGNORE)"#) {
      t in
      t.primaryKey(["a", "b"], onConflict: .ignore)
      t.column("a", .text)
      t.column("b")
    }
    try check(
      #"CREATE TABLE "test" ("x", "a" TEXT NOT NULL, "b" NOT NULL DEFAULT 1, "y", "#
        + #"PRIMARY KEY ("a", "b") ON CONFLICT ROLLBACK)"#
    ) { t in
      t.column("x")
      t.primaryKey(onConflict: .rollback) {
        t.column("a", .text)
        t.column("b").defaults(to: 1)
      }
      t.column("y")
    }
  }

  @Test func `options are part of the table's SQL`() throws {
    try check(
      #"CREATE TEMPORARY TABLE IF NOT EXISTS "test" ("id" INTEGER PRIMARY KEY) WITHOUT ROWID"#,
      options: [.temporary, .ifNotExists, .withoutRowID]
    ) { $0.primaryKey("id", .integer) }
    try EncryptedQueue.with { db throws in
      let statements = try db.statements {
        try db.create(table: "t", temporary: true, ifNotExists: true, withoutRowID: true) {
          $0.primaryKey("id", .integer)
        }
        try db.create(table: "u", withoutRowID: true) { $0.primaryKey("id", .text) }
        try db.create(table: "u", ifNotExists: true) { $0.column("other") }
      }
      #expect(
        statements == [
          #"CREATE TEMPORARY TABLE IF NOT EXISTS "t" ("id" INTEGER PRIMARY KEY) WITHOUT ROWID"#,
          #"CREATE TABLE "u" ("id" TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID"#,
          #"CREATE TABLE IF NOT EXISTS "u" ("other")"#,
        ])
      #expect(try db.tableExists("t", in: "temp"))
      #expect(try db.columns(in: "u").map(\.name) == ["id"])
      #expect(try !db.primaryKey("u").tableHasRowID)
    }
  }

  @Test func `a table can be strict where SQLite has strict tables`() throws {
    try EncryptedQueue.with { db throws in
      func create(_ options: TableOptions) throws {
        try db.create(table: "test", options: options) { t in
          t.primaryKey("id", .integer)
          t.column("a", .any)
          t.column("b", .text)
        }
      }
      guard SQLiteFeatures.linked.hasStrictTables else {
        let error = databaseError { try create(.strict) }
        #expect(error?.message == "a STRICT table needs SQLite 3.37 or later")
        #expect(try !db.tableExists("test"))
        return
      }
      #expect(
        try db.statements { try create([.strict, .withoutRowID]) } == [
          #"CREATE TABLE "test" ("id" INTEGER PRIMARY KEY, "a" ANY, "b" TEXT) STRICT, WITHOUT ROWID"#
        ])
      let error = databaseError { try db.execute(sql: "INSERT INTO test VALUES (1, 2, x'00')") }
      #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_DATATYPE)
    }
  }

  @Test func `constraints of a column have one order, whatever that of the calls`() throws {
    try check(
      #"CREATE TABLE "test" ("a" INTEGER NOT NULL, "b" NOT NULL, "c" NOT NULL ON CONFLICT ROLLBACK, "#
        + #""d" UNIQUE, "e" UNIQUE, "f" UNIQUE ON CONFLICT REPLACE)"#
    ) { t in
      t.column("a", .integer).notNull()
      t.column("b").notNull(onConflict: .abort)
      t.column("c").notNull(onConflict: .rollback)
      t.column("d").unique()
      t.column("e").unique(onConflict: .abort)
      t.column("f").unique(onConflict: .replace)
    }
    try check(
      #"CREATE TABLE "test" ("p" PRIMARY KEY, "a" TEXT NOT NULL UNIQUE CHECK (LENGTH("a") > 1) "#
        + #"CHECK (a <> 'x') DEFAULT 'yy' COLLATE NOCASE REFERENCES "test"("p"))"#
    ) { t in
      t.column("p").primaryKey()
      t.column("a", .text).references("test").collate(.nocase).defaults(to: "yy")
        .check { length($0) > 1 }.check(sql: "a <> 'x'").unique().notNull()
    }
  }

  @Test func `checks refuse rows`() throws {
    try EncryptedQueue.with { db throws in
      let statements = try db.statements {
        try db.create(table: "test") { t in
          t.check(Column("a") + Column("b") < 10)
          t.check(sql: "a <> b")
          t.column("a", .integer).check { $0 > 0 }.check { $0 < 9 }
          t.column("b", .integer).check { $0 != Column("c") }
          t.column("c")
        }
      }
      #expect(
        statements == [
          #"CREATE TABLE "test" ("a" INTEGER CHECK ("a" > 0) CHECK ("a" < 9), "#
            + #""b" INTEGER CHECK ("b" <> "c"), "c", CHECK (("a" + "b") < 10), CHECK (a <> b))"#
        ])
      try db.execute(sql: "INSERT INTO test VALUES (1, 2, 3)")
      for values in ["0, 2, 3", "9, 0, 3", "1, 3, 3", "5, 6, 3", "2, 2, 3"] {
        let error = databaseError { try db.execute(sql: "INSERT INTO test VALUES (\(values))") }
        #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_CHECK)
      }
    }
  }

  @Test func `defaults are the values that they were`() throws {
    try EncryptedQueue.with { db throws in
      let text = "'foo\"é👨‍👩‍👧; --"
      try db.create(table: "test") { t in
        t.column("id").primaryKey()
        t.column("a").defaults(to: 1)
        t.column("b").defaults(to: -1.5)
        t.column("c").defaults(to: text)
        t.column("d").defaults(to: Data([0, 255] as [UInt8]))
        t.column("e").defaults(to: true)
        t.column("f").defaults(sql: "(1 + 2)")
        t.column("g").defaults(to: Int64.min)
        t.column("h").defaults(to: 1.0)
      }
      try db.execute(sql: "INSERT INTO test (id) VALUES (1)")
      let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM test"))
      #expect(
        row.values.dropFirst()
          == values(1, -1.5, text, Data([0, 255] as [UInt8]), 1, 3, Int64.min, 1.0)[...])
    }
  }

  @Test func `a column has a collation of SQLite or of Swift`() throws {
    try EncryptedQueue.with { db throws in
      let plain = DatabaseCollation("foo") { (_: String, _: String) in .orderedSame }
      let odd = DatabaseCollation("fo\"o 1") { (_: String, _: String) in .orderedSame }
      db.add(collation: plain)
      db.add(collation: odd)
      let statements = try db.statements {
        try db.create(table: "test") { t in
          t.column("a", .text).collate(.nocase)
          t.column("b", .text).collate(plain)
          t.column("c", .text).collate(odd)
        }
      }
      #expect(
        statements == [
          #"CREATE TABLE "test" ("a" TEXT COLLATE NOCASE, "b" TEXT COLLATE foo, "#
            + #""c" TEXT COLLATE "fo""o 1")"#
        ])
      try db.execute(sql: "INSERT INTO test VALUES ('A', 'x', 'y')")
      #expect(
        try Int.fetchOne(db, sql: "SELECT count(*) FROM test WHERE a = 'a' AND b = '' AND c = ''")
          == 1)
    }
  }

  @Test func `a column can be generated where SQLite has generated columns`() throws {
    try EncryptedQueue.with { db throws in
      func create() throws {
        try db.create(table: "test") { t in
          t.column("a", .integer)
          t.column("b", .integer).generatedAs(sql: "a * 2", .stored)
          t.column("c").generatedAs(sql: "a")
          t.column("d").generatedAs(Column("a") * 3)
          t.column("e").generatedAs("O'Brien".databaseValue)
        }
      }
      guard SQLiteFeatures.linked.hasGeneratedColumns else {
        #expect(
          databaseError { try create() }?.message
            == "a generated column needs SQLite 3.31 or later")
        return
      }
      #expect(
        try db.statements { try create() } == [
          #"CREATE TABLE "test" ("a" INTEGER, "b" INTEGER GENERATED ALWAYS AS (a * 2) STORED, "#
            + #""c" GENERATED ALWAYS AS (a) VIRTUAL, "d" GENERATED ALWAYS AS ("a" * 3) VIRTUAL, "#
            + #""e" GENERATED ALWAYS AS ('O''Brien') VIRTUAL)"#
        ])
      try db.execute(sql: "INSERT INTO test (a) VALUES (5)")
      #expect(
        try Row.fetchOne(db, sql: "SELECT * FROM test")?.values == values(5, 10, 5, 15, "O'Brien"))
    }
  }

  @Test func `a table has unique keys, and constraints and columns as SQL`() throws {
    try check(
      #"CREATE TABLE "test" (a TEXT DEFAULT 'O''Brien', b INTEGER, "c", PRIMARY KEY ("c"), "#
        + #"UNIQUE ("a"), UNIQUE ("b", "c") ON CONFLICT FAIL, CHECK (b < 20), CHECK (b > 1))"#
    ) { t in
      t.constraint(sql: "CHECK (b < 20)")
      t.constraint(literal: "CHECK (b > \(1))")
      t.uniqueKey(["a"])
      t.uniqueKey(["b", "c"], onConflict: .fail)
      t.primaryKey(["c"])
      t.column(literal: "a TEXT DEFAULT \("O'Brien")")
      t.column(sql: "b INTEGER")
      t.column("c")
    }
  }

  @Test func `a second primary key is refused, with nothing created`() throws {
    try EncryptedQueue.with { db throws in
      let error = databaseError {
        try db.create(table: "test") { t in
          t.primaryKey { t.column("a") }
          t.primaryKey(["b"])
        }
      }
      #expect(error?.message == #"table "test" has more than one primary key"#)
      #expect(throws: TestError.self) { try db.create(table: "test") { _ in throw TestError() } }
      #expect(throws: TestError.self) {
        try db.create(table: "test") { t in try t.primaryKey { throw TestError() } }
      }
      #expect(try !db.tableExists("test"))
    }
  }

  @Test func `tables and columns can have odd names`() throws {
    try EncryptedQueue.with { db throws in
      for name in ["a \"b\" 'c'; DROP TABLE x", "select", "é", "数据", "", "a.b", "[x]"] {
        try db.create(table: name) { t in
          t.primaryKey(name.isEmpty ? "id" : name, .integer)
          t.column("order").indexed().unique()
          t.column("group by").indexed()
          t.column("self").references(name)
        }
        try db.execute(sql: "INSERT INTO \(name.quotedDatabaseIdentifier) DEFAULT VALUES")
        #expect(try db.primaryKey(name).rowIDColumn == (name.isEmpty ? "id" : name))
        #expect(try db.foreignKeys(on: name).map(\.destinationTable) == [name])
        #expect(try db.indexes(on: name).contains { $0.columns == ["group by"] })
        try db.drop(table: name)
        #expect(try !db.tableExists(name))
      }
    }
  }

  @Test func `a table can be defined with hundreds of columns`() throws {
    try EncryptedQueue.with { db throws in
      try db.create(table: "wide") { t in
        for index in 0..<500 { t.column("c\(index)", .integer).defaults(to: index) }
      }
      try db.execute(sql: "INSERT INTO wide DEFAULT VALUES")
      #expect(try db.columns(in: "wide").count == 500)
      #expect(try Int.fetchOne(db, sql: "SELECT c499 FROM wide") == 499)
    }
  }
}
