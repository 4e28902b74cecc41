@testable import CofferCore
import CofferExpectations
@testable import CofferQuery
@testable import CofferRecords
import CofferTestSupport
import Synchronization
import Testing

@Suite(.serialized) struct LookupPlanTests {
  private let schema = """
    CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, next INTEGER);
    INSERT INTO item VALUES (1, 'one', 2), (2, 'two', 3), (3, 'three', NULL);
    """

  @Test func `further look-ups need nothing but the statement`() throws {
    let database = try EncryptedQueue(schema)
    let statements = try database.queue.write { db in
      _ = try Item.fetchOne(db, key: 1)
      let statistics = db.statementCacheStatistics
      let statements = try db.statements(expanded: true) { () throws in
        #expect(try Item.fetchOne(db, key: 2)?.name == "two")
        #expect(try Item.fetchOne(db, key: 3)?.name == "three")
      }
      if SQLiteFeatures.linked.hasUpsert { #expect(db.statementCacheStatistics == statistics) }
      return statements
    }
    #expect(
      statements.filter { $0.contains("item") } == [
        "SELECT * FROM \"item\" WHERE \"id\" = 2", "SELECT * FROM \"item\" WHERE \"id\" = 3",
      ])
  }

  @Test func `changes of the schema by any connection are noticed`() throws {
    let database = try EncryptedQueue(schema)
    let other = try database.other()
    for queue in [other, database.queue] {
      func names(_ key: String) throws -> [String?] {
        // In a transaction, and outside of any.
        [
          try database.queue.read { try Item.fetchOne($0, key: key)?.name },
          try database.queue.unsafeRead { try Item.fetchOne($0, key: key)?.name },
        ]
      }
      #expect(try names("1") == ["one", "one"])
      try queue.inDatabase {
        try $0.execute(
          sql: """
            ALTER TABLE item RENAME TO old;
            CREATE TABLE item (next INTEGER, code TEXT PRIMARY KEY, id, name);
            INSERT INTO item SELECT next, 'code' || id, id, 'new ' || name FROM old;
            """)
      }
      #expect(try names("1") == [nil, nil])
      #expect(try names("code1") == ["new one", "new one"])
      try queue.inDatabase { try $0.execute(sql: "DROP TABLE item") }
      let error = databaseError { try names("1") }
      #expect(error?.message == "no such table: item")
      try queue.inDatabase { try $0.execute(sql: "ALTER TABLE old RENAME TO item") }
      #expect(try names("3") == ["three", "three"])
    }
  }

  @Test func `a temporary table hides the other one`() throws {
    try EncryptedQueue.with(schema) { db throws in
      #expect(try Item.fetchOne(db, key: 1)?.name == "one")
      try db.execute(
        sql: """
          CREATE TEMP TABLE item (id INTEGER PRIMARY KEY, name, next);
          INSERT INTO temp.item VALUES (1, 'temporary', NULL);
          """)
      #expect(try Item.fetchOne(db, key: 1)?.name == "temporary")
      try db.execute(sql: "DROP TABLE temp.item")
      #expect(try Item.fetchOne(db, key: 1)?.name == "one")
    }
  }

  @Test func `a record may fetch others of its type while it is made`() throws {
    try EncryptedQueue.with(schema) { db throws in
      for _ in 0..<2 {
        try Linked.$database.withValue(Unchecked(db)) {
          let record = try #require(try Linked.fetchOne(db, key: 1))
          #expect(record.names == ["one", "two", "three"])
        }
      }
    }
  }

  @Test func `a record that can't be made leaves nothing behind`() throws {
    let database = try EncryptedQueue(schema)
    try database.queue.inDatabase { db in
      #expect(throws: RowDecodingError.self) { try Strict.fetchOne(db, key: 3) }
      #expect(try Strict.fetchOne(db, key: 1)?.next == 2)
      #expect(throws: RowDecodingError.self) { try Strict.fetchOne(db, key: 3) }
      // A statement that is read would lock the table.
      try db.execute(sql: "DROP TABLE item")
    }
  }

  @Test func `selections and tables are asked for each time`() throws {
    let other =
      "CREATE TABLE other (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO other VALUES (1, 'o')"
    try EncryptedQueue.with(schema + other) { db throws in
      func columns() throws -> [String]? { try Changing.fetchOne(db, key: 1)?.columns }
      Changing.setting.withLock { $0 = ("item", []) }
      #expect(try columns() == ["id", "name", "next"])
      Changing.setting.withLock { $0 = ("item", [Column("name"), Column("id")]) }
      #expect(try columns() == ["name", "id"])
      #expect(try columns() == ["name", "id"])
      Changing.setting.withLock { $0 = ("item", [Column("name"), Column("next")]) }
      #expect(try columns() == ["name", "next"])
      Changing.setting.withLock { $0 = ("other", []) }
      #expect(try columns() == ["id", "name"])
      Changing.setting.withLock { $0 = ("other", [SQL("\(1) AS a"), Column("name")]) }
      #expect(try columns() == ["a", "name"])
      Changing.setting.withLock { $0 = ("other", [SQL("2 AS b")]) }
      #expect(try columns() == ["b"])
      Changing.setting.withLock { $0 = ("other", [AllColumns(), Column("name").forKey("n")]) }
      #expect(try columns() == ["id", "name", "n"])
    }
  }

  @Test func `selections are the same where they name the same columns`() {
    let array: [any SQLSelectable] = [SQL("a"), Column("b")]
    #expect(array.isSelection(array))
    #expect(!array.isSelection([SQL("a"), Column("b")]))
    func columns() -> [any SQLSelectable] { [AllColumns(), Column("b"), TypedColumn<Int>("c")] }
    #expect(columns().isSelection(columns()))
    #expect(!columns().isSelection([AllColumns(), Column("b")]))
    #expect(!columns().isSelection([AllColumns(), Column("x"), TypedColumn<Int>("c")]))
    #expect(![Column("a").forKey("b")].isSelection([Column("a").forKey("b")]))
    #expect(([] as [any SQLSelectable]).isSelection([]))
  }

  @Test func `looked-up rows are part of recorded regions`() throws {
    try EncryptedQueue.with(schema) { db throws in
      for _ in 0..<2 {
        let (item, region) = try db.recordingRegion { try Item.fetchOne(db, key: 1) }
        #expect(item?.name == "one")
        #expect(region == (try Item.filter(key: 1).databaseRegion(db)))
        _ = try Item.fetchOne(db, key: 1)
      }
    }
  }

  @Test func `accesses that only read look records up, closed ones don't`() throws {
    let database = try EncryptedQueue(schema)
    for _ in 0..<2 {
      #expect(try database.queue.read { try Item.fetchOne($0, key: 1) }?.name == "one")
    }
    var kept: Database?
    try database.queue.inDatabase { db in kept = db }
    let db = try #require(kept)
    #expect(databaseError { try Item.fetchOne(db, key: 1) }?.resultCode == .SQLITE_MISUSE)
  }
}

private struct Item: FetchableRecord, TableRecord {
  var name: String

  init(row: Row) { name = row["name"] }
}

private struct Strict: FetchableRecord, TableRecord {
  static let databaseTableName = "item"
  var next: Int

  init(row: Row) throws { next = try row.decode(forColumn: "next") }
}

/// A record with those that follow it.
private struct Linked: FetchableRecord, TableRecord {
  static let databaseTableName = "item"
  @TaskLocal static var database: Unchecked<Database>?
  var names: [String]

  init(row: Row) throws {
    let next: Int? = row["next"]
    var names: [String] = []
    if let db = Linked.database?.value {
      names = try Linked.fetchOne(db, key: next)?.names ?? []
    }
    self.names = [row["name"]] + names
  }
}

private struct Changing: FetchableRecord, TableRecord {
  static let setting = Mutex<(table: String, selection: [any SQLSelectable & Sendable])>(("", []))

  static var databaseTableName: String { setting.withLock { $0.table } }

  static var databaseSelection: [any SQLSelectable] {
    let selection: [any SQLSelectable] = setting.withLock { $0.selection.map { $0 } }
    return selection.isEmpty ? [AllColumns()] : selection
  }

  var columns: [String]

  init(row: Row) { columns = Array(row.columnNames) }
}
