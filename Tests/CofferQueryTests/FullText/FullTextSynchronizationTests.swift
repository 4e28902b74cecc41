@testable import CofferCore
import CofferExpectations
@testable import CofferQuery
import CofferTestSupport
import Testing

/// The engines that can follow another table.
enum Engine: String, CaseIterable, Sendable {
  case fts4, fts5

  static let available: [Engine] = allCases.filter { $0 == .fts4 || hasFTS5 }

  func create(
    _ table: String, in db: Database, following content: String, columns: [String],
    options: VirtualTableOptions = []
  ) throws {
    switch self {
    case .fts4:
      try db.create(virtualTable: table, options: options, using: FTS4()) { t in
        t.synchronize(withTable: content)
        for column in columns { t.column(column) }
      }
    case .fts5:
      try db.create(virtualTable: table, options: options, using: FTS5()) { t in
        t.synchronize(withTable: content)
        for column in columns { t.column(column) }
      }
    }
  }

  func dropTriggers(_ table: String, in db: Database) throws {
    switch self {
    case .fts4: try db.dropFTS4SynchronizationTriggers(forTable: table)
    case .fts5: try db.dropFTS5SynchronizationTriggers(forTable: table)
    }
  }

  /// Throws where the index doesn't fit the content of the other table.
  func check(_ table: String, in db: Database) throws {
    switch self {
    case .fts4: try db.execute(sql: "INSERT INTO \(table)(\(table)) VALUES('integrity-check')")
    case .fts5:
      try db.execute(sql: "INSERT INTO \(table)(\(table), rank) VALUES('integrity-check', 1)")
    }
  }
}

@Suite struct FullTextSynchronizationTests {
  private static let schema = "CREATE TABLE doc (id INTEGER PRIMARY KEY, content TEXT)"

  // Parts of the triggers.
  private static let noted = #"IN (SELECT id FROM "__doc_ft_conflicts")"#
  private static let noting = """
    INSERT OR IGNORE INTO "__doc_ft_conflicts" (id, isReplaced) SELECT "id", NULL FROM "doc" \
    WHERE "id" = new."id" AND "id" NOT \(noted)
    """
  private static let new = #"IN (SELECT id FROM "__doc_ft_conflicts" WHERE NOT isRemoved)"#
  private static let marking =
    #"UPDATE "__doc_ft_conflicts" SET isRemoved = 1 WHERE NOT isRemoved"#
  private static let forgetting = #"DELETE FROM "__doc_ft_conflicts" WHERE id IS NOT NULL"#
  private static let kept = """
    SELECT "id", "content" FROM "doc" WHERE "id" \(noted) AND "id" <> new."id"
    """

  private func triggers(_ db: Database) throws -> [String] {
    try String.fetchAll(
      db, sql: "SELECT sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name")
  }

  @Test func `the triggers of FTS4 have their names and their SQL`() throws {
    try EncryptedQueue.with(Self.schema) { db in
      try Engine.fts4.create("doc_ft", in: db, following: "doc", columns: ["content"])
      #expect(
        try db.creationSQL("doc_ft")
          == "CREATE VIRTUAL TABLE \"doc_ft\" USING fts4(content, content=\"doc\")")
      #expect(
        try triggers(db) == [
          """
          CREATE TRIGGER "__doc_ft_ai" AFTER INSERT ON "doc" BEGIN
              INSERT INTO "doc_ft"("docid", "content") \(Self.kept);
              \(Self.forgetting);
              INSERT INTO "doc_ft"("docid", "content") VALUES (new."id", new."content");
          END
          """,
          """
          CREATE TRIGGER "__doc_ft_au" AFTER UPDATE ON "doc" BEGIN
              INSERT INTO "doc_ft"("docid", "content") \(Self.kept);
              \(Self.forgetting);
              INSERT INTO "doc_ft"("docid", "content") VALUES (new."id", new."content");
          END
          """,
          """
          CREATE TRIGGER "__doc_ft_bd" BEFORE DELETE ON "doc" BEGIN
              DELETE FROM "doc_ft" WHERE docid = old."id" AND docid NOT \(Self.noted);
          END
          """,
          """
          CREATE TRIGGER "__doc_ft_bi" BEFORE INSERT ON "doc" BEGIN
              \(Self.noting);
              DELETE FROM "doc_ft" WHERE docid \(Self.new);
              \(Self.marking);
          END
          """,
          """
          CREATE TRIGGER "__doc_ft_bu" BEFORE UPDATE ON "doc" BEGIN
              \(Self.noting) AND "id" <> old."id";
              DELETE FROM "doc_ft" WHERE docid \(Self.new);
              \(Self.marking);
              DELETE FROM "doc_ft" WHERE docid = old."id" AND docid NOT \(Self.noted) \
          AND NOT EXISTS (SELECT 1 FROM "doc" WHERE (("id" = new."id")) AND "id" <> old."id" \
          AND "id" NOT \(Self.noted));
          END
          """,
        ])
    }
  }

  @Test(.enabled(if: hasFTS5)) func `the triggers of FTS5 have their names and their SQL`() throws {
    try EncryptedQueue.with(Self.schema) { db in
      try Engine.fts5.create("doc_ft", in: db, following: "doc", columns: ["content"])
      #expect(
        try db.creationSQL("doc_ft") == "CREATE VIRTUAL TABLE \"doc_ft\" "
          + "USING fts5(content, content='doc', content_rowid='id')")
      let deletion = """
        INSERT INTO "doc_ft"("doc_ft", "rowid", "content") \
        SELECT 'delete', old."id", old."content" WHERE old."id" NOT \(Self.noted);
        """
      let insertions = """
        INSERT INTO "doc_ft"("rowid", "content") \(Self.kept);
            \(Self.forgetting);
            INSERT INTO "doc_ft"("rowid", "content") VALUES (new."id", new."content");
        """
      let removal = """
        INSERT INTO "doc_ft"("doc_ft", "rowid", "content") \
        SELECT 'delete', "id", "content" FROM "doc" WHERE "id" \(Self.new);
            \(Self.marking);
        """
      #expect(
        try triggers(db) == [
          """
          CREATE TRIGGER "__doc_ft_ad" AFTER DELETE ON "doc" BEGIN
              \(deletion)
          END
          """,
          """
          CREATE TRIGGER "__doc_ft_ai" AFTER INSERT ON "doc" BEGIN
              \(insertions)
          END
          """,
          """
          CREATE TRIGGER "__doc_ft_au" AFTER UPDATE ON "doc" BEGIN
              \(deletion)
              \(insertions)
          END
          """,
          """
          CREATE TRIGGER "__doc_ft_bi" BEFORE INSERT ON "doc" BEGIN
              \(Self.noting);
              \(removal)
          END
          """,
          """
          CREATE TRIGGER "__doc_ft_bu" BEFORE UPDATE ON "doc" BEGIN
              \(Self.noting) AND "id" <> old."id";
              \(removal)
          END
          """,
        ])
    }
  }

  @Test(arguments: Engine.available)
  func `a table without an integer key is followed by its rowid`(engine: Engine) throws {
    try EncryptedQueue.with("CREATE TABLE doc (id TEXT PRIMARY KEY, content TEXT)") { db in
      try db.execute(sql: "INSERT INTO doc VALUES ('x', 'before')")
      try engine.create("doc_ft", in: db, following: "doc", columns: ["id", "content"])
      #expect(try triggers(db).allSatisfy { $0.contains(".\"rowid\"") })
      #expect(try db.creationSQL("doc_ft")?.contains("content_rowid") == false)
      try db.execute(sql: "INSERT INTO doc VALUES ('y', 'after')")
      #expect(try db.matches("doc_ft", "before") == [1])
      #expect(try db.matches("doc_ft", "after") == [2])
      #expect(try db.matches("doc_ft", "y") == [2])
      try engine.check("doc_ft", in: db)
    }
  }

  @Test(arguments: Engine.available)
  func `inserts, updates and deletes are followed`(engine: Engine) throws {
    try EncryptedQueue.with(Self.schema) { db in
      try db.execute(sql: "INSERT INTO doc VALUES (1, 'foo')")
      try engine.create("doc_ft", in: db, following: "doc", columns: ["content"])
      #expect(try db.matches("doc_ft", "foo") == [1])
      #expect(try String.fetchOne(db, sql: "SELECT content FROM doc_ft") == "foo")

      try db.execute(sql: "UPDATE doc SET content = 'bar'")
      #expect(try db.matches("doc_ft", "foo") == [])
      #expect(try db.matches("doc_ft", "bar") == [1])

      try db.execute(sql: "INSERT INTO doc (content) VALUES ('foo'), ('foo baz')")
      #expect(try db.matches("doc_ft", "foo") == [2, 3])

      // Another rowid.
      try db.execute(sql: "UPDATE doc SET id = 77 WHERE id = 2")
      #expect(try db.matches("doc_ft", "foo") == [3, 77])
      try db.execute(sql: "UPDATE doc SET id = id + 1000, content = content || ' qux'")
      #expect(try db.matches("doc_ft", "qux") == [1001, 1003, 1077])

      try db.execute(sql: "DELETE FROM doc WHERE content LIKE 'foo%'")
      #expect(try db.matches("doc_ft", "foo") == [])
      #expect(try db.matches("doc_ft", "bar") == [1001])
      try engine.check("doc_ft", in: db)

      // All rows at once, which SQLite would do without triggers if it could.
      try db.execute(sql: "DELETE FROM doc")
      #expect(try db.matches("doc_ft", "bar") == [])
      try engine.check("doc_ft", in: db)
    }
  }

  @Test(arguments: Engine.available)
  func `NULL, empty and odd texts are followed`(engine: Engine) throws {
    try EncryptedQueue.with(
      "CREATE TABLE doc (id INTEGER PRIMARY KEY, title TEXT, content)"
    ) { db in
      try engine.create("doc_ft", in: db, following: "doc", columns: ["title", "content"])
      let values: [(any DatabaseValueConvertible)?] = [
        // The check of SQLite 3.15 takes text with a NUL for a damage, of any table of FTS4.
        nil, "", " ", "word", 12, 1.5, SQLiteFeatures.linked.hasFTS5 ? "a\u{0}b" : "a b",
        "👨‍👩‍👧 family",
        String(repeating: "x", count: 100_000),
      ]
      for value in values {
        try db.execute(sql: "INSERT INTO doc (content) VALUES (?)", arguments: [value])
      }
      try engine.check("doc_ft", in: db)
      #expect(try db.matches("doc_ft", "word") == [4])
      #expect(try db.matches("doc_ft", "12") == [5])
      #expect(try db.matches("doc_ft", "family") == [8])
      try db.execute(sql: "UPDATE doc SET title = content, content = NULL")
      try engine.check("doc_ft", in: db)
      #expect(try db.matches("doc_ft", "family") == [8])
      try db.execute(sql: "DELETE FROM doc")
      try engine.check("doc_ft", in: db)
      #expect(try db.matches("doc_ft", "word") == [])
    }
  }

  @Test(arguments: Engine.available)
  func `a failed statement and a rollback leave the index as it was`(engine: Engine) throws {
    try EncryptedQueue.with(
      "CREATE TABLE doc (id INTEGER PRIMARY KEY, content TEXT UNIQUE)"
    ) { db in
      try engine.create("doc_ft", in: db, following: "doc", columns: ["content"])
      try db.execute(sql: "INSERT INTO doc VALUES (1, 'one'), (2, 'two')")
      #expect(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT INTO doc VALUES (3, 'three'), (4, 'two')")
      }
      try db.execute(sql: "INSERT OR IGNORE INTO doc VALUES (1, 'other'), (5, 'one')")
      #expect(throws: DatabaseError.self) {
        try db.execute(sql: "UPDATE doc SET content = 'same'")
      }
      try db.inTransaction {
        try db.execute(sql: "DELETE FROM doc")
        try db.execute(sql: "INSERT INTO doc VALUES (9, 'nine')")
        return .rollback
      }
      try engine.check("doc_ft", in: db)
      #expect(try db.matches("doc_ft", "one") == [1])
      for word in ["three", "other", "same", "nine"] {
        #expect(try db.matches("doc_ft", word) == [])
      }
    }
  }

  /// SQLite deletes rows that give way to a REPLACE with triggers only if triggers are recursive.
  @Test(arguments: Engine.available, [false, true])
  func `REPLACE is followed, also where triggers aren't recursive`(
    engine: Engine, isRecursive: Bool
  ) throws {
    try EncryptedQueue.with(
      """
      PRAGMA recursive_triggers = \(isRecursive);
      CREATE TABLE doc (id INTEGER PRIMARY KEY, key UNIQUE, content TEXT);
      """
    ) { db in
      try engine.create("doc_ft", in: db, following: "doc", columns: ["content"])
      try db.execute(sql: "INSERT INTO doc VALUES (1, 'a', 'one'), (2, 'b', 'two'), (3, 'c', 'x')")
      try db.execute(sql: "REPLACE INTO doc VALUES (1, 'a', 'uno')")
      // The other row gives way because of the other key.
      try db.execute(sql: "INSERT OR REPLACE INTO doc VALUES (9, 'b', 'due')")
      try db.execute(sql: "UPDATE OR REPLACE doc SET id = 1, content = 'tre' WHERE id = 3")
      // Two rows give way at once.
      try db.execute(sql: "INSERT INTO doc VALUES (4, 'd', 'four'), (5, 'e', 'five')")
      try db.execute(sql: "REPLACE INTO doc VALUES (4, 'e', 'both')")
      try engine.check("doc_ft", in: db)
      #expect(try db.matches("doc_ft", "tre") == [1])
      #expect(try db.matches("doc_ft", "due") == [9])
      #expect(try db.matches("doc_ft", "both") == [4])
      for word in ["one", "two", "uno", "x", "four", "five"] {
        #expect(try db.matches("doc_ft", word) == [])
      }
    }
  }

  @Test(arguments: Engine.available)
  func `keys that are declared to replace rows are followed`(engine: Engine) throws {
    try EncryptedQueue.with(
      """
      CREATE TABLE doc (
        id INTEGER CONSTRAINT pk PRIMARY KEY ON CONFLICT REPLACE,
        a TEXT NOT NULL ON CONFLICT REPLACE DEFAULT 'x', b, c UNIQUE ON CONFLICT REPLACE, content,
        CONSTRAINT pair UNIQUE (a, b) ON CONFLICT REPLACE);
      """
    ) { db throws in
      try engine.create("doc_ft", in: db, following: "doc", columns: ["content"])
      try db.execute(sql: "INSERT INTO doc VALUES (1, 'a', 1, 1, 'one'), (2, 'b', 2, 2, 'two')")
      try db.execute(sql: "INSERT INTO doc VALUES (1, 'c', 3, 3, 'id')")
      try db.execute(sql: "INSERT INTO doc VALUES (3, 'd', 4, 2, 'column')")
      try db.execute(sql: "INSERT INTO doc VALUES (4, 'd', 4, 5, 'pair')")
      try db.execute(sql: "INSERT OR IGNORE INTO doc VALUES (4, 'e', 5, 6, 'ignored')")
      try engine.check("doc_ft", in: db)
      #expect(try db.matches("doc_ft", "id") == [1])
      #expect(try db.matches("doc_ft", "pair") == [4])
      for word in ["one", "two", "column", "ignored"] {
        #expect(try db.matches("doc_ft", word) == [])
      }
    }
  }

  @Test(arguments: Engine.available)
  func `an update that is ignored because of a key is no change`(engine: Engine) throws {
    try EncryptedQueue.with(Self.schema) { db in
      try engine.create("doc_ft", in: db, following: "doc", columns: ["content"])
      try db.execute(sql: "INSERT INTO doc VALUES (1, 'one'), (2, 'two')")
      try db.execute(sql: "UPDATE OR IGNORE doc SET id = 2 WHERE id = 1")
      #expect(try db.matches("doc_ft", "one") == [1])
      #expect(try db.matches("doc_ft", "two") == [2])
      try engine.check("doc_ft", in: db)
    }
  }

  @Test(arguments: Engine.available)
  func `a unique index that is created later is followed`(engine: Engine) throws {
    try EncryptedQueue.with("CREATE TABLE doc (id INTEGER PRIMARY KEY, key, content TEXT)") {
      db throws in
      try engine.create("doc_ft", in: db, following: "doc", columns: ["content"])
      try db.execute(sql: "INSERT INTO doc VALUES (1, 'a', 'one'), (2, 'b', 'two')")
      try db.create(indexOn: "doc", columns: ["key"], options: .unique)
      try db.execute(sql: "REPLACE INTO doc VALUES (3, 'a', 'three')")
      try db.execute(sql: "CREATE UNIQUE INDEX other ON doc (content COLLATE NOCASE)")
      try db.resynchronize(virtualTable: "doc_ft")
      try db.execute(sql: "REPLACE INTO doc VALUES (4, 'c', 'TWO')")
      try engine.check("doc_ft", in: db)
      #expect(try db.matches("doc_ft", "one") == [])
      #expect(try db.matches("doc_ft", "two") == [4])
    }
  }

  @Test(arguments: Engine.available)
  func `a table that an earlier version has made is brought up to date`(engine: Engine) throws {
    try EncryptedQueue.with(Self.schema) { db throws in
      try engine.create("doc_ft", in: db, following: "doc", columns: ["content"])
      for name in ["bi", engine == .fts4 ? "ad" : "bd"] {
        try db.execute(sql: "DROP TRIGGER IF EXISTS \"__doc_ft_\(name)\"")
      }
      try db.execute(sql: "INSERT INTO doc VALUES (1, 'one')")
      try db.execute(sql: "REPLACE INTO doc VALUES (1, 'uno')")
      #expect(try db.matches("doc_ft", "one") == [1])
      try db.resynchronize(virtualTable: "doc_ft")
      #expect(try db.matches("doc_ft", "one") == [])
      try db.execute(sql: "REPLACE INTO doc VALUES (1, 'eins')")
      #expect(try db.matches("doc_ft", "uno OR eins") == [1])
      try engine.check("doc_ft", in: db)
      #expect(
        databaseError { try db.resynchronize(virtualTable: "doc") }?.message
          == "doc isn't a full-text table that is synchronized with another table")
    }
  }

  // MARK: Renaming

  @Test(arguments: Engine.available)
  func `a table that is renamed is followed under its new name`(engine: Engine) throws {
    try EncryptedQueue.with(Self.schema) { db in
      try engine.create("doc_ft", in: db, following: "doc", columns: ["content"])
      try db.execute(sql: "INSERT INTO doc VALUES (1, 'one'), (2, 'two')")
      if engine == .fts5 {
        try db.execute(sql: "INSERT INTO doc_ft(doc_ft, rank) VALUES ('rank', 'bm25(7.0)')")
      }
      try db.rename(table: "doc", to: "my \"docs\"")
      let table = "my \"docs\"".quotedDatabaseIdentifier
      try db.execute(sql: "REPLACE INTO \(table) VALUES (1, 'uno'), (3, 'three')")
      try db.execute(sql: "UPDATE \(table) SET content = 'due' WHERE id = 2")
      #expect(try db.matches("doc_ft", "uno OR due OR three") == [1, 2, 3])
      #expect(try db.matches("doc_ft", "one OR two") == [])
      #expect(try String.fetchAll(db, sql: "SELECT content FROM doc_ft").count == 3)
      if engine == .fts5 {
        #expect(
          try String.fetchOne(db, sql: "SELECT v FROM doc_ft_config WHERE k = 'rank'")
            == "bm25(7.0)")
      }
      try engine.check("doc_ft", in: db)

      // The full-text table itself.
      try db.rename(table: "doc_ft", to: "index")
      try db.execute(sql: "REPLACE INTO \(table) VALUES (1, 'eins')")
      #expect(try db.matches("\"index\"", "uno") == [])
      try engine.check("\"index\"", in: db)
      try db.drop(table: "index")
      try db.execute(sql: "INSERT INTO \(table) VALUES (4, 'x')")
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 1)
    }
  }

  @Test(.enabled(if: SQLiteFeatures.linked.hasColumnRenaming), arguments: Engine.available)
  func `columns that are renamed are followed under their new names`(engine: Engine) throws {
    try EncryptedQueue.with("CREATE TABLE doc (id INTEGER PRIMARY KEY, a TEXT, b TEXT)") {
      db throws in
      try engine.create("doc_ft", in: db, following: "doc", columns: ["a", "b"])
      try db.execute(sql: "INSERT INTO doc VALUES (1, 'one', 'two')")
      try db.alter(table: "doc") { t in
        t.rename(column: "a", to: "text")
        t.rename(column: "id", to: "number")
      }
      try db.execute(sql: "REPLACE INTO doc VALUES (1, 'uno', 'due')")
      #expect(try db.matches("doc_ft", "text: uno") == [1])
      #expect(try db.matches("doc_ft", "one OR two") == [])
      #expect(try db.columns(in: "doc_ft").map(\.name) == ["text", "b"])
      try engine.check("doc_ft", in: db)
    }
  }

  @Test(.enabled(if: SQLiteFeatures.linked.hasUpsert), arguments: Engine.available)
  func `an upsert is followed`(engine: Engine) throws {
    try EncryptedQueue.with(Self.schema) { db in
      try engine.create("doc_ft", in: db, following: "doc", columns: ["content"])
      let sql = """
        INSERT INTO doc VALUES (1, ?) ON CONFLICT DO UPDATE SET content = excluded.content
        """
      try db.execute(sql: sql, arguments: ["one"])
      try db.execute(sql: sql, arguments: ["uno"])
      #expect(try db.matches("doc_ft", "one") == [])
      #expect(try db.matches("doc_ft", "uno") == [1])
      try engine.check("doc_ft", in: db)
    }
  }

  @Test(arguments: Engine.available)
  func `names with quotes and spaces are followed`(engine: Engine) throws {
    try EncryptedQueue.with(
      "CREATE TABLE \"my \"\"docs'\" (\"the id\" INTEGER PRIMARY KEY, \"the 'text'\" TEXT)"
    ) { db in
      try engine.create(
        "full \"text'", in: db, following: "my \"docs'", columns: ["the 'text'"])
      try db.execute(sql: "INSERT INTO \"my \"\"docs'\" VALUES (3, 'one'), (4, 'two')")
      try db.execute(sql: "UPDATE \"my \"\"docs'\" SET \"the 'text'\" = 'uno' WHERE \"the id\" = 3")
      try db.execute(sql: "DELETE FROM \"my \"\"docs'\" WHERE \"the id\" = 4")
      let table = "full \"text'".quotedDatabaseIdentifier
      #expect(try db.matches(table, "uno") == [3])
      #expect(try db.matches(table, "one OR two") == [])
      try engine.check(table, in: db)
      try db.execute(sql: "DROP TABLE \(table)")
      try engine.dropTriggers("full \"text'", in: db)
      #expect(try triggers(db) == [])
    }
  }

  @Test(arguments: Engine.available)
  func `the triggers stay behind until they are dropped`(engine: Engine) throws {
    try EncryptedQueue.with(Self.schema) { db in
      try engine.create("doc_ft", in: db, following: "doc", columns: ["content"])
      try db.execute(sql: "DROP TABLE doc_ft")
      #expect(
        databaseError { try db.execute(sql: "INSERT INTO doc VALUES (1, 'one')") }?.message
          == "no such table: main.doc_ft")
      try engine.dropTriggers("other", in: db)
      #expect(try !triggers(db).isEmpty)
      try engine.dropTriggers("doc_ft", in: db)
      #expect(try triggers(db) == [])
      try db.execute(sql: "INSERT INTO doc VALUES (1, 'one')")
      try engine.create("doc_ft", in: db, following: "doc", columns: ["content"])
      #expect(try db.matches("doc_ft", "one") == [1])
    }
  }

  @Test(arguments: Engine.available)
  func `the triggers go with the table that is followed`(engine: Engine) throws {
    try EncryptedQueue.with(Self.schema) { db in
      try engine.create("doc_ft", in: db, following: "doc", columns: ["content"])
      try db.drop(table: "doc")
      #expect(try triggers(db) == [])
      try db.drop(table: "doc_ft")
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0)

      try db.execute(sql: Self.schema)
      try engine.create("doc_ft", in: db, following: "doc", columns: ["content"])
      try db.execute(sql: "DROP TABLE doc; DROP TABLE doc_ft")
      try engine.dropTriggers("doc_ft", in: db)
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0)
    }
  }

  @Test(arguments: Engine.available)
  func `an existing table is left alone if asked for, and indexed again`(engine: Engine) throws {
    try EncryptedQueue.with(Self.schema) { db in
      for _ in 1...2 {
        let statements = try db.tracedCreations {
          try engine.create(
            "doc_ft", in: db, following: "doc", columns: ["content"], options: .ifNotExists)
        }
        #expect(statements.count == 6)
        #expect(
          statements.allSatisfy {
            $0.hasPrefix("CREATE VIRTUAL TABLE IF NOT EXISTS \"doc_ft\"")
              || $0.hasPrefix("CREATE TRIGGER IF NOT EXISTS \"__doc_ft_")
          })
        try db.execute(sql: "INSERT INTO doc (content) VALUES ('one')")
      }
      #expect(try db.matches("doc_ft", "one") == [1, 2])
      try engine.check("doc_ft", in: db)
    }
  }

  @Test(arguments: Engine.available)
  func `temporary tables are followed by temporary ones`(engine: Engine) throws {
    try EncryptedQueue.with(
      "CREATE TEMP TABLE doc (id INTEGER PRIMARY KEY, content TEXT)"
    ) { db in
      try engine.create(
        "doc_ft", in: db, following: "doc", columns: ["content"], options: .temporary)
      try db.execute(sql: "INSERT INTO doc VALUES (1, 'one')")
      #expect(try db.matches("doc_ft", "one") == [1])
      #expect(try triggers(db) == [])
    }
  }

  @Test(arguments: Engine.available)
  func `a table that is missing, or has no rowids, is an error that leaves nothing`(
    engine: Engine
  ) throws {
    try EncryptedQueue.with("CREATE TABLE pair (a, b, PRIMARY KEY (a, b)) WITHOUT ROWID") {
      db throws in
      #expect(
        databaseError {
          try engine.create("ft", in: db, following: "nowhere", columns: ["a"])
        }?.message?.contains("no such table: ") == true)
      #expect(
        databaseError {
          try engine.create("ft", in: db, following: "pair", columns: ["a"])
        } != nil)
      #expect(
        databaseError {
          try engine.create("ft", in: db, following: "pair", columns: ["nowhere"])
        } != nil)
      #expect(try triggers(db) == [])
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 1)
      #expect(!db.isInsideTransaction)
    }
  }

  @Test func `setting the content ends the synchronization`() throws {
    try EncryptedQueue.with(Self.schema) { db in
      try db.create(virtualTable: "a", using: FTS4()) { t in
        t.synchronize(withTable: "doc")
        #expect(t.content == "doc")
        t.content = "doc"
        t.column("content")
      }
      if hasFTS5 {
        try db.create(virtualTable: "b", using: FTS5()) { t in
          t.synchronize(withTable: "doc")
          #expect(t.content == "doc")
          t.content = nil
          t.column("content")
        }
        #expect(try db.creationSQL("b") == "CREATE VIRTUAL TABLE \"b\" USING fts5(content)")
      }
      #expect(try triggers(db) == [])
    }
  }

  @Test(arguments: Engine.available, [false, true])
  func `many random changes leave index and table in agreement`(
    engine: Engine, isRecursive: Bool
  ) throws {
    var random = SeededGenerator()
    for _ in 0..<trialCount(6) {
      try EncryptedQueue.with("PRAGMA recursive_triggers = \(isRecursive)") { db throws in
        var changes = try RandomChanges(random, db)
        try engine.create("doc_ft", in: db, following: changes.table, columns: ["content"])
        for _ in 1...60 {
          try changes.perform(db)
          try engine.check("doc_ft", in: db)
          try changes.compare("doc_ft", db)
        }
        random = changes.random
      }
    }
  }
}

/// Changes of a table with several unique keys, with all conflict resolutions.
private struct RandomChanges {
  var random: SeededGenerator
  var table = "doc"
  private let words = ["alpha", "beta", "gamma", "delta", "épsilon", "ζήτα", "eta42"]

  init(_ random: SeededGenerator, _ db: Database) throws {
    self.random = random
    let replaces = pick(["", " ON CONFLICT REPLACE"])
    try db.execute(
      sql: """
        CREATE TABLE doc (id INTEGER PRIMARY KEY\(pick(["", " ON CONFLICT REPLACE"])),
          a TEXT COLLATE NOCASE, b INTEGER, c TEXT UNIQUE\(replaces), content TEXT, UNIQUE (a, b));
        CREATE UNIQUE INDEX byLength ON doc (length(content) * 1000 + b DESC)
        WHERE content LIKE 'g%';
        """)
  }

  private mutating func pick<T>(_ values: [T]) -> T {
    values[Int.random(in: 0..<values.count, using: &random)]
  }

  private mutating func row() -> StatementArguments {
    let count = Int.random(in: 0...4, using: &random)
    let text = (0..<count).map { _ in pick(words) }.joined(separator: " ")
    return [
      pick([nil, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8]), pick([nil, "a", "A", "b"]), pick([nil, 1, 2]),
      pick([nil, "u", "v", "w", "x"]), count == 4 ? nil : text,
    ]
  }

  /// A change, which a constraint can prevent.
  mutating func perform(_ db: Database) throws {
    let or = pick(["", "", "OR REPLACE ", "OR REPLACE ", "OR IGNORE ", "OR FAIL ", "OR ABORT "])
    let name = table.quotedDatabaseIdentifier
    do {
      switch Int.random(in: 0..<13, using: &random) {
      case 0..<6:
        try db.execute(
          sql: "INSERT \(or)INTO \(name) VALUES (?, ?, ?, ?, ?)", arguments: row())
      case 6..<9:
        try db.execute(
          sql: """
            UPDATE \(or)\(name) SET id = ifnull(?, id), a = ?, b = ?, c = ?, content = ?
            WHERE id % 4 = \(pick([0, 1, 2, 3]))
            """, arguments: row())
      case 9: try db.execute(sql: "DELETE FROM \(name) WHERE id % 5 = \(pick([0, 1, 2]))")
      case 10 where SQLiteFeatures.linked.hasUpsert:
        try db.execute(
          sql: """
            INSERT INTO \(name) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (a, b) DO UPDATE SET content = excluded.content
            """, arguments: row())
      case 11:
        let other = pick(["doc", "docs", "a doc"])
        if other != table { try db.rename(table: table, to: other) }
        table = other
      default: break
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {}
  }

  /// Compares the answers of the index with those of the table.
  mutating func compare(_ index: String, _ db: Database) throws {
    for word in words {
      let expected = try Int.fetchAll(
        db,
        sql: """
          SELECT id FROM \(table.quotedDatabaseIdentifier)
          WHERE ' ' || content || ' ' LIKE ? ORDER BY id
          """, arguments: ["% \(word) %"])
      #expect(try db.matches(index, word) == expected)
    }
    #expect(
      try Int.fetchOne(
        db, sql: "SELECT count(*) FROM \("__\(index)_conflicts".quotedDatabaseIdentifier)") == 0)
  }
}
