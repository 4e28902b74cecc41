import CofferExpectations
import CofferTestSupport
import Testing

@testable import CofferCore
@testable import CofferQuery

@Suite struct AlterationTests {
  @Test func `columns are added, one statement for each`() throws {
    try EncryptedQueue.with(
      """
      CREATE TABLE test (a); CREATE TABLE other (code PRIMARY KEY); INSERT INTO test VALUES (1)
      """
    ) {
      db throws in
      #expect(try db.columns(in: "test").map(\.name) == ["a"])
      let statements = try db.statements {
        try db.alter(table: "test") { t in
          t.add(column: "b", .text)
          t.add(column: "c", .integer).notNull().defaults(to: 1).check { $0 > 0 }
          t.add(column: "d", .text).references("other")
          t.add(column: "e").references("test").indexed()
          t.addColumn(sql: "f TEXT")
          t.addColumn(literal: "g TEXT DEFAULT \("O'Brien")")
        }
      }
      #expect(
        statements.filter { !$0.hasPrefix("--") } == [
          #"ALTER TABLE "test" ADD COLUMN "b" TEXT"#,
          #"ALTER TABLE "test" ADD COLUMN "c" INTEGER NOT NULL CHECK ("c" > 0) DEFAULT 1"#,
          #"ALTER TABLE "test" ADD COLUMN "d" TEXT REFERENCES "other"("code")"#,
          #"ALTER TABLE "test" ADD COLUMN "e" REFERENCES "test"("rowid")"#,
          #"CREATE INDEX "test_on_e" ON "test"("e")"#,
          #"ALTER TABLE "test" ADD COLUMN f TEXT"#,
          #"ALTER TABLE "test" ADD COLUMN g TEXT DEFAULT 'O''Brien'"#,
        ])
      #expect(try db.columns(in: "test").map(\.name) == ["a", "b", "c", "d", "e", "f", "g"])
      #expect(try String.fetchOne(db, sql: "SELECT g FROM test") == "O'Brien")
    }
  }

  @Test func `columns are renamed, where SQLite can`() throws {
    try EncryptedQueue.with("CREATE TABLE test (a); INSERT INTO test VALUES (1)") { db throws in
      func rename() throws {
        try db.alter(table: "test") { t in
          t.rename(column: "a", to: "b \"c\"")
          t.add(column: "d")
          t.rename(column: "d", to: "e")
        }
      }
      guard SQLiteFeatures.linked.hasColumnRenaming else {
        #expect(
          databaseError { try rename() }?.message == "renaming a column needs SQLite 3.25 or later")
        #expect(try db.columns(in: "test").map(\.name) == ["a"])
        return
      }
      #expect(try db.columns(in: "test").map(\.name) == ["a"])
      #expect(
        try db.statements { try rename() } == [
          #"ALTER TABLE "test" RENAME COLUMN "a" TO "b ""c""""#,
          #"ALTER TABLE "test" ADD COLUMN "d""#,
          #"ALTER TABLE "test" RENAME COLUMN "d" TO "e""#,
        ])
      #expect(try db.columns(in: "test").map(\.name) == ["b \"c\"", "e"])
    }
  }

  @Test func `columns are dropped, where SQLite can`() throws {
    try EncryptedQueue.with("CREATE TABLE test (a, b)") { db throws in
      func drop() throws { try db.alter(table: "test") { $0.drop(column: "b") } }
      guard SQLiteFeatures.linked.hasColumnDropping else {
        #expect(
          databaseError { try drop() }?.message == "dropping a column needs SQLite 3.35 or later")
        return
      }
      #expect(try db.columns(in: "test").map(\.name) == ["a", "b"])
      #expect(try db.statements { try drop() } == [#"ALTER TABLE "test" DROP COLUMN "b""#])
      #expect(try db.columns(in: "test").map(\.name) == ["a"])
    }
  }

  @Test func `generated columns are added, where SQLite has them`() throws {
    try EncryptedQueue.with("CREATE TABLE test (a); INSERT INTO test VALUES (2)") { db throws in
      func add() throws {
        try db.alter(table: "test") { $0.add(column: "b").generatedAs(Column("a") * 2) }
      }
      guard SQLiteFeatures.linked.hasGeneratedColumns else {
        #expect(databaseError { try add() }?.message?.hasPrefix("a generated column") == true)
        return
      }
      try add()
      #expect(try Int.fetchOne(db, sql: "SELECT b FROM test") == 4)
    }
  }

  @Test func `tables are renamed and dropped`() throws {
    try EncryptedQueue.with("CREATE TABLE test (a)") { db throws in
      #expect(try db.tableExists("test"))
      let statements = try db.statements {
        try db.rename(table: "test", to: "f\"oo")
        #expect(try !db.tableExists("test") && db.tableExists("F\"oo"))
        #expect(try db.columns(in: "f\"oo").count == 1)
        try db.drop(table: "f\"oo")
      }
      #expect(
        statements == [#"ALTER TABLE "test" RENAME TO "f""oo""#, #"DROP TABLE "f""oo""#])
      #expect(try !db.tableExists("f\"oo"))
      #expect(databaseError { try db.drop(table: "missing") }?.resultCode == .SQLITE_ERROR)
    }
  }

  @Test func `a change that fails names the problem, and leaves those before it`() throws {
    try EncryptedQueue.with("CREATE TABLE test (a)") { db throws in
      let error = databaseError {
        try db.alter(table: "test") { t in
          t.add(column: "b")
          t.add(column: "b")
          t.add(column: "c")
        }
      }
      #expect(error?.message == "duplicate column name: b")
      #expect(try db.columns(in: "test").map(\.name) == ["a", "b"])
    }
  }
}
