import CofferExpectations
import CofferTestSupport
import Testing

@testable import CofferCore
@testable import CofferQuery

@Suite struct IntrospectionTests {
  @Test func `tables, views and triggers are told apart, in either case`() throws {
    try EncryptedQueue.with(
      """
      CREATE TABLE Player (id INTEGER PRIMARY KEY);
      CREATE VIEW summary AS SELECT * FROM Player;
      CREATE TRIGGER watch AFTER INSERT ON Player BEGIN SELECT 1; END;
      CREATE INDEX onId ON Player (id);
      """
    ) { db throws in
      #expect(try db.tableExists("player"))
      #expect(try db.tableExists("PLAYER", in: "MAIN"))
      #expect(try !db.tableExists("player", in: "temp"))
      #expect(try !db.tableExists("summary"))
      #expect(try !db.tableExists("onId"))
      #expect(try !db.tableExists(""))
      #expect(try db.viewExists("SUMMARY"))
      #expect(try !db.viewExists("player"))
      #expect(try db.triggerExists("Watch"))
      #expect(try db.triggerExists("Watch", in: "main"))
      #expect(try !db.triggerExists("watch", in: "temp"))
      #expect(try !db.triggerExists("player"))
      #expect(try db.tableExists("sqlite_master"))
      #expect(try db.columns(in: "sqlite_master").map(\.name).prefix(2) == ["type", "name"])
    }
  }

  @Test func `a missing table or schema is an error that names it`() throws {
    try EncryptedQueue.with("CREATE TABLE t (a)") { db throws in
      for look: () throws -> Void in [
        { _ = try db.columns(in: "missing") }, { _ = try db.primaryKey("missing") },
        { _ = try db.indexes(on: "missing") }, { _ = try db.foreignKeys(on: "missing") },
        { _ = try db.table("missing", hasUniqueKey: ["a"]) },
        { _ = try db.columns(in: "missing", in: "main") },
        { try db.checkForeignKeys(in: "missing") },
      ] {
        let error = databaseError(look)
        #expect(error?.resultCode == .SQLITE_ERROR)
        #expect(error?.message == "no such table: missing")
      }
      for look: () throws -> Void in [
        { _ = try db.columns(in: "t", in: "nowhere") },
        { _ = try db.tableExists("t", in: "nowhere") },
        { _ = try db.viewExists("t", in: "nowhere") },
        { _ = try db.triggerExists("t", in: "nowhere") },
        { _ = try db.primaryKey("t", in: "nowhere") },
        { _ = try db.indexes(on: "t", in: "nowhere") },
        { try db.checkForeignKeys(in: "t", in: "nowhere") },
      ] {
        #expect(databaseError(look)?.message == "no such schema: nowhere")
      }
      #expect(databaseError { try db.columns(in: "t", in: "temp") }?.message == "no such table: t")
    }
  }

  @Test func `columns have names, types, constraints, defaults and places in the key`() throws {
    try EncryptedQueue.with(
      """
      CREATE TABLE t (
        a INTEGER NOT NULL, B varchar(10) DEFAULT 'x''y', c DEFAULT (1 + 1), d TEXT DEFAULT NULL,
        PRIMARY KEY (B, a))
      """
    ) { db throws in
      let columns = try db.columns(in: "T")
      #expect(columns.map(\.name) == ["a", "B", "c", "d"])
      #expect(columns.map(\.type) == ["INTEGER", "varchar(10)", "", "TEXT"])
      #expect(columns.map(\.isNotNull) == [true, false, false, false])
      #expect(columns.map(\.defaultValueSQL) == [nil, "'x''y'", "1 + 1", "NULL"])
      #expect(columns.map(\.primaryKeyIndex) == [2, 1, 0, 0])
      let rows = try Row.fetchAll(db, sql: "PRAGMA table_info(t)")
      #expect(rows.map { ColumnInfo(row: $0).name } == columns.map(\.name))
      #expect(rows.map { ColumnInfo(row: $0).primaryKeyIndex } == columns.map(\.primaryKeyIndex))
      #expect(rows.map { ColumnInfo(row: $0).defaultValueSQL } == columns.map(\.defaultValueSQL))
    }
  }

  @Test func `generated columns are listed, hidden ones of virtual tables are not`() throws {
    try EncryptedQueue.with("CREATE VIRTUAL TABLE docs USING fts4(title, body)") { db throws in
      #expect(try db.columns(in: "docs").map(\.name) == ["title", "body"])
      #expect(try db.primaryKey("docs").columns == ["rowid"])
      #expect(try db.tableExists("docs"))
      guard SQLiteFeatures.linked.hasGeneratedColumns else { return }
      try db.execute(
        sql: "CREATE TABLE g (a, b AS (a * 2), c AS (a + 1) STORED, d INTEGER PRIMARY KEY)")
      let columns = try db.columns(in: "g")
      #expect(columns.map(\.name) == ["a", "b", "c", "d"])
      #expect(columns.map(\.isGenerated) == [false, true, true, false])
    }
  }

  @Test func `every kind of primary key is found`() throws {
    try EncryptedQueue.with(
      """
      CREATE TABLE hidden (a);
      CREATE TABLE taken (rowid TEXT, OID);
      CREATE TABLE alias (a, Id integer PRIMARY KEY);
      CREATE TABLE "desc" (id INTEGER PRIMARY KEY DESC);
      CREATE TABLE int (id INT PRIMARY KEY);
      CREATE TABLE composite (a, b, c, PRIMARY KEY (c, a));
      CREATE TABLE without (id INTEGER PRIMARY KEY) WITHOUT ROWID;
      CREATE TABLE constrained (id INTEGER, PRIMARY KEY (id));
      """
    ) { db throws in
      func check(
        _ table: String, _ columns: [String], rowID: String?, isRowID: Bool, hasRowID: Bool
      ) throws {
        let key = try db.primaryKey(table)
        #expect(key.columns == columns, "\(table)")
        #expect(key.rowIDColumn == rowID, "\(table)")
        #expect(key.isRowID == isRowID, "\(table)")
        #expect(key.tableHasRowID == hasRowID, "\(table)")
      }
      try check("hidden", ["rowid"], rowID: nil, isRowID: true, hasRowID: true)
      try check("taken", ["_rowid_"], rowID: nil, isRowID: true, hasRowID: true)
      try check("ALIAS", ["Id"], rowID: "Id", isRowID: true, hasRowID: true)
      try check("desc", ["id"], rowID: nil, isRowID: false, hasRowID: true)
      try check("int", ["id"], rowID: nil, isRowID: false, hasRowID: true)
      try check("composite", ["c", "a"], rowID: nil, isRowID: false, hasRowID: true)
      try check("without", ["id"], rowID: nil, isRowID: false, hasRowID: false)
      try check("constrained", ["id"], rowID: "id", isRowID: true, hasRowID: true)
    }
  }

  @Test func `indexes have columns, origins and uniqueness`() throws {
    try EncryptedQueue.with(
      """
      CREATE TABLE t (a PRIMARY KEY, b UNIQUE, c, d);
      CREATE INDEX plain ON t (c, d);
      CREATE UNIQUE INDEX partial ON t (c) WHERE d IS NULL;
      CREATE INDEX onExpression ON t (lower(c));
      CREATE VIEW v AS SELECT * FROM t;
      """
    ) { db throws in
      let indexes = try db.indexes(on: "T")
      let byName = Dictionary(uniqueKeysWithValues: indexes.map { ($0.name, $0) })
      #expect(byName.count == 4)
      #expect(byName["plain"]?.columns == ["c", "d"])
      #expect(byName["plain"]?.isUnique == false)
      #expect(byName["plain"]?.origin == .createIndex)
      #expect(byName["partial"]?.isUnique == true)
      #expect(byName["onExpression"] == nil)
      #expect(indexes.first { $0.origin == .primaryKeyConstraint }?.columns == ["a"])
      #expect(indexes.first { $0.origin == .uniqueConstraint }?.columns == ["b"])
      #expect(try db.indexes(on: "v").isEmpty)
      #expect(IndexInfo.Origin.fromDatabaseValue("u".databaseValue) == .uniqueConstraint)
    }
  }

  @Test func `a unique key is the primary key, the rowid, or a unique index on all rows`() throws {
    try EncryptedQueue.with(
      """
      CREATE TABLE t (a, b, c UNIQUE, d, PRIMARY KEY (a, b));
      CREATE UNIQUE INDEX partial ON t (d) WHERE a = 1;
      CREATE TABLE without (rowid, id PRIMARY KEY) WITHOUT ROWID;
      CREATE TABLE alias (id INTEGER PRIMARY KEY, e);
      """
    ) { db throws in
      #expect(try db.table("t", hasUniqueKey: ["B", "a"]))
      #expect(try db.table("T", hasUniqueKey: ["C"]))
      #expect(try db.table("t", hasUniqueKey: ["rowid"]))
      #expect(try db.table("alias", hasUniqueKey: ["id"]))
      #expect(try db.table("alias", hasUniqueKey: ["OID"]))
      #expect(try db.table("without", hasUniqueKey: ["id"]))
      #expect(try !db.table("t", hasUniqueKey: ["a"]))
      #expect(try db.table("t", hasUniqueKey: ["a", "b", "c"]))
      #expect(try db.table("t", hasUniqueKey: ["rowid", "d"]))
      #expect(try db.table("alias", hasUniqueKey: ["e", "id"]))
      #expect(try !db.table("t", hasUniqueKey: ["c", "missing"]))
      #expect(try !db.table("t", hasUniqueKey: ["a", "d"]))
      #expect(try !db.table("without", hasUniqueKey: ["oid", "id"]))
      #expect(try !db.table("t", hasUniqueKey: ["d"]))
      #expect(try !db.table("t", hasUniqueKey: []))
      #expect(try !db.table("t", hasUniqueKey: ["missing"]))
      #expect(try !db.table("without", hasUniqueKey: ["rowid"]))
      #expect(try !db.table("without", hasUniqueKey: ["oid"]))
    }
  }

  @Test func `odd names are found by their bytes, but for the case of ASCII letters`() throws {
    let names = [
      "a \"b\" 'c' [d] `e`;--", "select", " ", "naïve É", "é", "e\u{301}", "数据库", "a.b", "🇫🇷", "%",
      "123",
    ]
    try EncryptedQueue.with { db throws in
      for name in names {
        let quoted = name.quotedDatabaseIdentifier
        try db.execute(
          sql:
            "CREATE TABLE \(quoted) (\(quoted) INTEGER PRIMARY KEY, \"x\(name.filter { $0 != "\"" })\")"
        )
      }
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == names.count)
      for name in names {
        #expect(try db.tableExists(name))
        #expect(try db.primaryKey(name).columns.map { Array($0.utf8) } == [Array(name.utf8)])
        #expect(try db.columns(in: name, in: "main").count == 2)
        #expect(try Array(db.objectID(name).name.utf8) == Array(name.utf8))
      }
      #expect(try !db.tableExists("NAÏVE É"))
      #expect(try db.tableExists("NAïVE É"))
      // SQLite would read it up to the NUL.
      #expect(try !db.tableExists("select\0"))
    }
  }

  @Test func `a table can have hundreds of columns`() throws {
    let columns = (0..<900).map { "column\($0)" }
    try EncryptedQueue.with(
      "CREATE TABLE wide (\(columns.map { "\($0) INTEGER" }.joined(separator: ", ")))"
    ) { db throws in
      #expect(try db.columns(in: "wide").map(\.name) == columns)
      #expect(try db.columnName("COLUMN899", in: "WIDE") == "column899")
      #expect(try db.columnName("column900", in: "wide") == nil)
    }
  }

  @Test func `internal tables are known by their names`() {
    #expect(Database.isSQLiteInternalTable("sqlite_sequence"))
    #expect(Database.isSQLiteInternalTable("SQLITE_x".dropLast(0)))
    #expect(!Database.isSQLiteInternalTable("sqlite"))
    #expect(Database.isGRDBInternalTable("grdb_migrations"))
    #expect(!Database.isGRDBInternalTable("player"))
  }

  @Test func `schemas have names and tables of their own`() {
    #expect(DatabaseSchemaID.main.schemaTableName == "sqlite_master")
    #expect(DatabaseSchemaID.temp.schemaTableName == "sqlite_temp_master")
    #expect(DatabaseSchemaID.attached("a").schemaTableName == "a.sqlite_master")
    #expect(DatabaseSchemaID.attached("a b").schemaTableName == "\"a b\".sqlite_master")
    #expect(DatabaseSchemaID.attached("A") == .attached("a"))
    #expect(DatabaseSchemaID.main.name == "main")
    let id = DatabaseObjectID(name: "t", schemaID: .attached("x"))
    #expect(id.schemaID.name == "x")
    #expect(Set([id, DatabaseObjectID(name: "t", schemaID: .main)]).count == 2)
  }
}
