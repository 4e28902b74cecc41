import CofferExpectations
import CofferTestSupport
import Testing

@testable import CofferCore
@testable import CofferQuery

@Suite struct ReferenceDefinitionTests {
  private func expect(
    _ expected: [String], _ db: Database, table: String = "child", options: TableOptions = [],
    sourceLocation: SourceLocation = #_sourceLocation, _ body: (TableDefinition) throws -> Void
  ) throws {
    let statements = try db.statements { try db.create(table: table, options: options, body: body) }
    #expect(statements == expected, sourceLocation: sourceLocation)
    try db.drop(table: table)
  }

  private static let parents = """
    CREATE TABLE parent (a);
    CREATE TABLE country (code CUSTOM TYPE PRIMARY KEY);
    CREATE TABLE teams (primaryKey INTEGER PRIMARY KEY);
    CREATE TABLE people (id TEXT PRIMARY KEY, email TEXT UNIQUE);
    CREATE TABLE pair ("left" TEXT, "right", PRIMARY KEY ("left", "right"));
    """

  @Test func `a column refers to a column, or to the primary key`() throws {
    try EncryptedQueue.with(Self.parents) { db throws in
      try expect(
        [
          #"CREATE TABLE "child" ("a" REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE SET NULL, "#
            + #""b" TEXT REFERENCES "people"("email") ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED, "#
            + #""c" REFERENCES "people"("id") REFERENCES "people"("email"), "#
            + #""d" REFERENCES "parent"("rowid") ON UPDATE SET DEFAULT, "#
            + #""e" REFERENCES "later"("id"))"#
        ], db
      ) { t in
        t.column("a").references("people", onDelete: .cascade, onUpdate: .setNull)
        t.column("b", .text)
          .references("people", column: "email", onDelete: .restrict, deferred: true)
        t.column("c").references("people").references("people", column: "email")
        t.column("d").references("parent", onUpdate: .setDefault)
        t.column("e").references("later", column: "id")
      }
      let error = databaseError {
        try db.create(table: "child") { $0.column("a").references("later") }
      }
      #expect(error?.message == "no such table: later")
    }
  }

  @Test func `a foreign key of the table refers to the primary key or to columns`() throws {
    try EncryptedQueue.with(Self.parents) { db throws in
      try expect(
        [
          #"CREATE TABLE "child" ("c", "d", "#
            + #"FOREIGN KEY ("c", "d") REFERENCES "pair"("left", "right") ON DELETE CASCADE, "#
            + #"FOREIGN KEY ("d", "c") REFERENCES "pair"("right", "left") DEFERRABLE INITIALLY DEFERRED)"#
        ], db
      ) { t in
        t.foreignKey(["c", "d"], references: "pair", onDelete: .cascade)
        t.foreignKey(["d", "c"], references: "pair", columns: ["right", "left"], deferred: true)
        t.column("c")
        t.column("d")
      }
    }
  }

  @Test func `a table refers to itself`() throws {
    try EncryptedQueue.with { db throws in
      try expect(
        [#"CREATE TABLE "child" ("id" INTEGER PRIMARY KEY, "x" REFERENCES "CHILD"("id"))"#], db
      ) { t in
        t.primaryKey("id", .integer)
        t.column("x").references("CHILD")
      }
      try expect([#"CREATE TABLE "child" ("x" REFERENCES "child"("rowid"))"#], db) {
        $0.column("x").references("child")
      }
      try expect(
        [
          #"CREATE TABLE "child" ("x", "y", "a" NOT NULL, "b" NOT NULL, PRIMARY KEY ("a", "b"), "#
            + #"FOREIGN KEY ("x", "y") REFERENCES "child"("a", "b"))"#
        ], db
      ) { t in
        t.column("x")
        t.column("y")
        t.foreignKey(["x", "y"], references: "child")
        t.primaryKey {
          t.column("a")
          t.column("b")
        }
      }
    }
  }

  @Test func `belongsTo names and types columns after the primary key, and indexes them`() throws {
    try EncryptedQueue.with(Self.parents) { db throws in
      try expect(
        [
          #"CREATE TABLE "child" ("parentId" INTEGER REFERENCES "parent"("rowid"), "#
            + #""COUNTRYCode" CUSTOM TYPE REFERENCES "COUNTRY"("code"), "#
            + #""teamPrimaryKey" INTEGER REFERENCES "teams"("primaryKey"), "#
            + #""personId" TEXT REFERENCES "people"("id"), "#
            + #""peopleId" TEXT REFERENCES "people"("id"), "#
            + #""bossId" TEXT REFERENCES "people"("id"), "#
            + #""pairLeft" TEXT, "pairRight", "#
            + #"FOREIGN KEY ("pairLeft", "pairRight") REFERENCES "pair"("left", "right"))"#,
          #"CREATE INDEX "child_on_parentId" ON "child"("parentId")"#,
          #"CREATE INDEX "child_on_COUNTRYCode" ON "child"("COUNTRYCode")"#,
          #"CREATE INDEX "child_on_teamPrimaryKey" ON "child"("teamPrimaryKey")"#,
          #"CREATE INDEX "child_on_personId" ON "child"("personId")"#,
          #"CREATE INDEX "child_on_peopleId" ON "child"("peopleId")"#,
          #"CREATE INDEX "child_on_bossId" ON "child"("bossId")"#,
          #"CREATE INDEX "index_child_on_pairLeft_pairRight" ON "child"("pairLeft", "pairRight")"#,
        ], db
      ) { t in
        t.belongsTo("parent")
        t.belongsTo("COUNTRY")
        t.belongsTo("team")
        t.belongsTo("person")
        t.belongsTo("people")
        t.belongsTo("boss", inTable: "people")
        t.belongsTo("pair")
      }
    }
  }

  @Test func `belongsTo with constraints, actions and without an index`() throws {
    try EncryptedQueue.with(Self.parents) { db throws in
      try expect(
        [
          #"CREATE TABLE IF NOT EXISTS "child" ("#
            + #""teamPrimaryKey" INTEGER NOT NULL ON CONFLICT IGNORE UNIQUE "#
            + #"REFERENCES "teams"("primaryKey") ON DELETE CASCADE ON UPDATE RESTRICT "#
            + #"DEFERRABLE INITIALLY DEFERRED, "personId" TEXT REFERENCES "people"("id"), "#
            + #""pairLeft" TEXT NOT NULL, "pairRight" NOT NULL, "bLeft" TEXT, "bRight", "#
            + #"FOREIGN KEY ("pairLeft", "pairRight") REFERENCES "pair"("left", "right") ON DELETE SET NULL, "#
            + #"FOREIGN KEY ("bLeft", "bRight") REFERENCES "pair"("left", "right"))"#,
          #"CREATE UNIQUE INDEX IF NOT EXISTS "index_child_on_pairLeft_pairRight" "#
            + #"ON "child"("pairLeft", "pairRight")"#,
        ], db, options: .ifNotExists
      ) { t in
        t.belongsTo("team", onDelete: .cascade, onUpdate: .restrict, deferred: true)
          .notNull(onConflict: .ignore).unique()
        t.belongsTo("person", indexed: false)
        t.belongsTo("pair", onDelete: .setNull).unique().notNull()
        t.belongsTo("b", inTable: "pair", indexed: false)
      }
    }
  }

  @Test func `belongsTo refers to the table itself, in the singular or the plural`() throws {
    try EncryptedQueue.with { db throws in
      try expect(
        [
          #"CREATE TABLE "employees" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "#
            + #""employeeId" INTEGER REFERENCES "employees"("id"), "#
            + #""bossId" INTEGER REFERENCES "employees"("id"))"#,
          #"CREATE INDEX "employees_on_employeeId" ON "employees"("employeeId")"#,
          #"CREATE INDEX "employees_on_bossId" ON "employees"("bossId")"#,
        ], db, table: "employees"
      ) { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("employee")
        t.belongsTo("boss", inTable: "employees")
      }
      try expect(
        [
          #"CREATE TABLE "node" ("code" NOT NULL, "nodeCode" REFERENCES "node"("code"), "#
            + #"PRIMARY KEY ("code"))"#,
          #"CREATE INDEX "node_on_nodeCode" ON "node"("nodeCode")"#,
        ], db, table: "node"
      ) { t in
        t.primaryKey { t.column("code") }
        t.belongsTo("node")
      }
    }
  }

  @Test func `belongsTo in a primary key has no index of its own`() throws {
    try EncryptedQueue.with(Self.parents) { db throws in
      try expect(
        [
          #"CREATE TABLE "child" ("a" NOT NULL, "pairLeft" TEXT NOT NULL, "pairRight" NOT NULL, "#
            + #""teamPrimaryKey" INTEGER NOT NULL REFERENCES "teams"("primaryKey"), "#
            + #""childA", "childPairLeft" TEXT, "childPairRight", "childTeamPrimaryKey" INTEGER, "#
            + #"PRIMARY KEY ("a", "pairLeft", "pairRight", "teamPrimaryKey"), "#
            + #"FOREIGN KEY ("pairLeft", "pairRight") REFERENCES "pair"("left", "right"), "#
            + #"FOREIGN KEY ("childA", "childPairLeft", "childPairRight", "childTeamPrimaryKey") "#
            + #"REFERENCES "child"("a", "pairLeft", "pairRight", "teamPrimaryKey"))"#
        ], db
      ) { t in
        t.primaryKey {
          t.column("a")
          t.belongsTo("pair")
          t.belongsTo("team")
        }
        t.belongsTo("child", indexed: false)
      }
      let error = databaseError {
        try db.create(table: "child") { t in t.primaryKey { t.belongsTo("child") } }
      }
      #expect(error?.message?.contains("refers to that key") == true)
      #expect(try !db.tableExists("child"))
    }
  }

  @Test func `references are to tables of the same schema, if they are there`() throws {
    try EncryptedQueue.with(Self.parents) { db throws in
      try db.execute(sql: "CREATE TEMP TABLE teams (code TEXT PRIMARY KEY)")
      let statements = try db.statements {
        try db.create(table: "child") { $0.belongsTo("team", indexed: false) }
        try db.create(table: "tempChild", options: .temporary) { t in
          t.belongsTo("team", indexed: false)
          t.belongsTo("country", indexed: false)
        }
        try db.alter(table: "child") { $0.add(column: "x").references("teams") }
      }
      #expect(
        statements == [
          #"CREATE TABLE "child" ("teamPrimaryKey" INTEGER REFERENCES "teams"("primaryKey"))"#,
          #"CREATE TEMPORARY TABLE "tempChild" ("teamCode" TEXT REFERENCES "teams"("code"), "#
            + #""countryCode" CUSTOM TYPE REFERENCES "country"("code"))"#,
          #"ALTER TABLE "child" ADD COLUMN "x" REFERENCES "teams"("primaryKey")"#,
        ])
    }
  }

  @Test func `belongsTo without a table says which it has looked for`() throws {
    try EncryptedQueue.with { db throws in
      let error = databaseError { try db.create(table: "child") { $0.belongsTo("city") } }
      #expect(error?.message == "no such table: city")
      #expect(error?.description.contains("\"cities\"") == true)
    }
  }

  @Test func `what belongsTo makes is enforced`() throws {
    try EncryptedQueue.with { db throws in
      try db.create(table: "author") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
      }
      try db.create(table: "book") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("author", onDelete: .cascade).notNull()
      }
      try db.execute(
        sql: "INSERT INTO author (name) VALUES ('a'); INSERT INTO book (authorId) VALUES (1)")
      #expect(
        databaseError { try db.execute(sql: "INSERT INTO book (authorId) VALUES (2)") }?
          .extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
      try db.execute(sql: "DELETE FROM author")
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM book") == 0)
      #expect(try db.foreignKeys(on: "book").map(\.destinationColumns) == [["id"]])
    }
  }

  @Test(
    arguments: [
      ("team", "teams"), ("teams", "teams"), ("person", "people"), ("people", "people"),
      ("salesPerson", "salesPeople"), ("city", "cities"), ("day", "days"), ("box", "boxes"),
      ("class", "classes"), ("bus", "buses"), ("analysis", "analyses"), ("child", "children"),
      ("German", "Germans"), ("sheep", "sheep"), ("Person", "People"), ("status", "statuses"),
      ("branch", "branches"), ("", ""), ("y", "ys"), ("man", "men"), ("home_series", "home_series"),
    ])
  func `a singular name has its plural`(singular: String, plural: String) {
    #expect(Plural.of(singular) == plural)
  }
}
