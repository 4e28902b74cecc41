import CofferExpectations
import CofferTestSupport
import Testing

@testable import CofferCore
@testable import CofferQuery

@Suite struct ForeignKeyTests {
  private func describe(_ keys: [ForeignKeyInfo]) -> [String] {
    keys.map { key in
      let mapping = key.mapping.map { "\($0.origin)>\($0.destination)" }.joined(separator: ",")
      return "\(key.id) \(key.destinationTable) \(mapping)"
    }
  }

  @Test func `references have columns on both sides, implicit ones too`() throws {
    try EncryptedQueue.with(
      """
      CREATE TABLE team (id INTEGER PRIMARY KEY, name UNIQUE);
      CREATE TABLE country (code, region, PRIMARY KEY (code, region));
      CREATE TABLE plain (a);
      CREATE TABLE player (
        teamName REFERENCES Team (name),
        team REFERENCES team,
        code, region,
        captain REFERENCES player,
        rival REFERENCES plain,
        FOREIGN KEY (region, code) REFERENCES country (region, code),
        FOREIGN KEY (code, region) REFERENCES country)
      """
    ) { db throws in
      let keys = try db.foreignKeys(on: "PLAYER").sorted { $0.id > $1.id }
      #expect(
        describe(keys) == [
          "5 Team teamName>name", "4 team team>id", "3 player captain>rowid",
          "2 plain rival>rowid", "1 country region>region,code>code",
          "0 country code>code,region>region",
        ])
      #expect(keys[4].originColumns == ["region", "code"])
      #expect(keys[5].destinationColumns == ["code", "region"])
      #expect(try db.foreignKeys(on: "team").isEmpty)
    }
  }

  @Test func `a reference to a table that is missing says so, where its columns are implicit`()
    throws
  {
    try EncryptedQueue.with(
      "CREATE TABLE a (x REFERENCES missing (y)); CREATE TABLE b (x REFERENCES missing)"
    ) { db throws in
      #expect(describe(try db.foreignKeys(on: "a")) == ["0 missing x>y"])
      #expect(databaseError { try db.foreignKeys(on: "b") }?.message == "no such table: missing")
      try db.execute(sql: "CREATE TABLE missing (id INTEGER PRIMARY KEY)")
      #expect(describe(try db.foreignKeys(on: "b")) == ["0 missing x>id"])
    }
  }

  private static let violated = """
    CREATE TABLE parent (id INTEGER PRIMARY KEY);
    CREATE TABLE child (id INTEGER PRIMARY KEY, parentId REFERENCES parent, secret);
    CREATE TABLE keyed (code PRIMARY KEY REFERENCES parent) WITHOUT ROWID;
    CREATE TABLE fine (parentId REFERENCES parent);
    PRAGMA foreign_keys = OFF;
    INSERT INTO parent VALUES (1);
    INSERT INTO child VALUES (10, 1, 'x'), (11, 2, 'hush'), (12, 3, 'y');
    INSERT INTO keyed VALUES (7);
    INSERT INTO fine VALUES (1);
    """

  @Test func `violations are told one by one`() throws {
    try EncryptedQueue.with(Self.violated) { db throws in
      let cursor = try db.foreignKeyViolations(in: "Child")
      let first = try #require(try cursor.next())
      #expect(first.originTable == "child")
      #expect(first.originRowID == 11)
      #expect(first.destinationTable == "parent")
      #expect(first.foreignKeyId == 0)
      #expect(
        "\(first)" == "FOREIGN KEY constraint violation - from child to parent, in rowid 11")
      #expect(
        try first.failureDescription(db)
          == "FOREIGN KEY constraint violation - from child(parentId) to parent(id), in rowid 11")
      let second = try #require(try cursor.next())
      #expect(second.originRowID == 12)
      #expect(try cursor.next() == nil)
      var tables: [String] = []
      let all = try db.foreignKeyViolations()
      while let violation = try all.next() { tables.append(violation.originTable) }
      #expect(tables.sorted() == ["child", "child", "keyed"])
      let keyed = try #require(try db.foreignKeyViolations(in: "keyed", in: "main").next())
      #expect(keyed.originRowID == nil)
      #expect("\(keyed)" == "FOREIGN KEY constraint violation - from keyed to parent")
      #expect(
        try keyed.failureDescription(db)
          == "FOREIGN KEY constraint violation - from keyed(code) to parent(id)")
      #expect(try db.foreignKeyViolations(in: "fine").next() == nil)
    }
  }

  @Test func `a check throws the first violation, without values`() throws {
    try EncryptedQueue.with(Self.violated) { db throws in
      let error = databaseError { try db.checkForeignKeys(in: "child") }
      #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
      #expect(
        error?.message
          == "FOREIGN KEY constraint violation - from child(parentId) to parent(id), in rowid 11")
      #expect(
        databaseError { try db.checkForeignKeys() }?.extendedResultCode
          == .SQLITE_CONSTRAINT_FOREIGNKEY)
      try db.checkForeignKeys(in: "fine")
      try db.execute(sql: "DELETE FROM child WHERE id > 10; DELETE FROM keyed")
      try db.checkForeignKeys()
    }
    // The values are shown where arguments are public.
    let database = try EncryptedQueue(Self.violated) { $0.publicStatementArguments = true }
    try database.queue.read { db throws in
      let message = databaseError { try db.checkForeignKeys(in: "child") }?.message
      #expect(
        message == "FOREIGN KEY constraint violation - from child(parentId) to parent(id), "
          + #"in [id:11 parentId:2 secret:"hush"]"#)
    }
  }

  @Test func `temporary and attached tables are checked in their schema`() throws {
    try EncryptedQueue.with(
      "PRAGMA foreign_keys = OFF; CREATE TABLE child (a INTEGER PRIMARY KEY)"
    ) { db throws in
      try db.attach(":memory:", as: "o", key: nil)
      try db.execute(
        sql: """
          CREATE TABLE o.parent (id INTEGER PRIMARY KEY);
          CREATE TABLE o.child (x REFERENCES parent);
          INSERT INTO o.child VALUES (1);
          """)
      try db.checkForeignKeys(in: "child")
      let error = databaseError { try db.checkForeignKeys(in: "child", in: "o") }
      #expect(error?.message?.contains("from child(x) to parent(id), in rowid 1") == true)
      try db.checkForeignKeys()
      // A row without the name of the schema.
      let row = try #require(try Row.fetchOne(db, sql: "PRAGMA o.foreign_key_check"))
      #expect(
        try ForeignKeyViolation(row: row).failureDescription(db)
          == "FOREIGN KEY constraint violation - from child(x) to parent(id), in rowid 1")
    }
  }
}
