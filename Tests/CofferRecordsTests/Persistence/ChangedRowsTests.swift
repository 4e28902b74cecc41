import Coffer
import CofferTestSupport
import Testing

/// `deleteAll` and `updateAll` change exactly the rows that their request fetches, or throw before
/// they change anything.
@Suite struct ChangedRowsTests {
  private struct Item: TableRecord {
    static let databaseTableName = "item"
    static let children = hasMany(
      Child.self, using: ForeignKey(["item"], to: ["tag"]))
  }

  private struct Child: TableRecord {
    static let databaseTableName = "child"
  }

  /// Declares the view's key.
  private struct ViewSource: DatabaseSchemaSource {
    func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? {
      ["id"]
    }
  }

  /// Tables whose rows are told apart in different ways. All have a number of the row that SQLite
  /// doesn't know to be one.
  private static let tables = [
    "CREATE TABLE item (id INTEGER PRIMARY KEY, tag, a, b, mark)",
    "CREATE TABLE item (tag, a, b, mark)",
    "CREATE TABLE item (id TEXT PRIMARY KEY, tag, a, b, mark)",
    "CREATE TABLE item (id TEXT NOT NULL, tag, a, b, mark, PRIMARY KEY (id, tag)) WITHOUT ROWID",
    """
    CREATE TABLE item (
      id TEXT COLLATE NOCASE, tag, a, b, mark, PRIMARY KEY (id COLLATE BINARY)) WITHOUT ROWID
    """,
    "CREATE TABLE item (rowid TEXT, _rowid_ TEXT, oid TEXT, tag, a, b, mark)",
    "CREATE TABLE item (rowid, _rowid_, oid, id PRIMARY KEY, tag, a, b, mark)",
    "CREATE TABLE item (rowid, _rowid_, oid, id INTEGER PRIMARY KEY, tag, a, b, mark)",
    """
    CREATE TABLE base (id TEXT PRIMARY KEY, tag, a, b, mark);
    CREATE VIEW item AS SELECT * FROM base;
    CREATE TRIGGER deletion INSTEAD OF DELETE ON item BEGIN
      DELETE FROM base WHERE id = OLD.id; END;
    CREATE TRIGGER changing INSTEAD OF UPDATE ON item BEGIN
      UPDATE base SET mark = NEW.mark WHERE id = OLD.id; END
    """,
  ]

  private static func database(
    _ table: Int, _ random: inout SeededGenerator
  ) throws -> EncryptedQueue {
    let queue = try EncryptedQueue(tables[table]) { $0.schemaSource = ViewSource() }
    let isView = tables[table].contains("VIEW")
    let name = isView ? "base" : "item"
    let hasID = tables[table].contains(" id ") || tables[table].contains("(id ")
    let count = Int.random(in: 0...14, using: &random)
    let rows = (0..<count).map { tag -> [(any DatabaseValueConvertible)?] in
      // Texts that differ in case only, and now and then no key.
      let text = tag % 2 == 0 ? "k\(tag / 2)" : "K\(tag / 2)"
      let id: (any DatabaseValueConvertible)? =
        tables[table].contains("id INTEGER") ? 100 - tag : text
      return [
        id, tag, Int.random(in: 0...2, using: &random), Int.random(in: 0...2, using: &random),
      ]
    }
    let indexes = ["(a)", "(b, a)", "(a, tag)", "(b) WHERE a = 1"]
      .filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
    let children = (0..<Int.random(in: 0...10, using: &random)).map { _ in
      (Int.random(in: 0...14, using: &random), Int.random(in: 0...2, using: &random))
    }
    try queue.queue.write { db in
      for row in rows {
        try db.execute(
          sql: hasID
            ? "INSERT INTO \(name) (id, tag, a, b) VALUES (?, ?, ?, ?)"
            : "INSERT INTO \(name) (tag, a, b) VALUES (?, ?, ?)",
          arguments: StatementArguments(hasID ? row : Array(row.dropFirst())))
      }
      for (number, index) in indexes.enumerated() {
        try db.execute(sql: "CREATE INDEX i\(number) ON \(name) \(index)")
      }
      try db.execute(sql: "CREATE TABLE child (id INTEGER PRIMARY KEY, item, x)")
      for child in children {
        try db.execute(
          sql: "INSERT INTO child (item, x) VALUES (?, ?)", arguments: [child.0, child.1])
      }
    }
    return queue
  }

  private struct Asked {
    var request = Item.all()
    /// The request as a person reads it.
    var text: [String] = []
    /// Whether it may be refused: what it fetches needn't be rows of the table.
    var isSimple = true
  }

  private static func request(_ random: inout SeededGenerator) -> Asked {
    var asked = Asked()
    func one(of count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
    func add(
      _ text: String, isSimple: Bool = true,
      _ change: (QueryInterfaceRequest<Item>) -> QueryInterfaceRequest<Item>
    ) {
      asked.request = change(asked.request)
      asked.text.append(text)
      if !isSimple { asked.isSimple = false }
    }
    if one(of: 4) { add("aliased") { $0.aliased(TableAlias<Item>(name: "i")) } }
    if one(of: 3) { add("a > 0") { $0.filter(Column("a") > 0) } }
    if one(of: 3) { add("b = 1") { $0.filter(Column("b") == 1) } }
    switch Int.random(in: 0..<9, using: &random) {
    case 0: add("joining", isSimple: false) { $0.joining(required: Item.children) }
    case 1:
      add("left", isSimple: false) { $0.joining(optional: Item.children.filter(Column("x") == 1)) }
    case 2:
      add("including", isSimple: false) {
        $0.including(required: Item.children.select(Column("x")))
      }
    default: break
    }
    if one(of: 4) { add("select", isSimple: true) { $0.select(Column("tag"), Column("a")) } }
    if one(of: 4) { add("distinct", isSimple: false) { $0.distinct() } }
    switch Int.random(in: 0..<10, using: &random) {
    case 0: add("group a", isSimple: false) { $0.group(Column("a")) }
    case 1: add("group key", isSimple: false) { $0.groupByPrimaryKey() }
    case 2:
      add("max", isSimple: false) {
        $0.annotated(with: max(Column("b")).forKey("most")).group(Column("a"))
      }
    case 3:
      add("having", isSimple: false) {
        $0.groupByPrimaryKey().having(count(Column("a")) > 1)
      }
    default: break
    }
    switch Int.random(in: 0..<6, using: &random) {
    case 0: add("by a") { $0.order(Column("a")) }
    case 1: add("by b desc, a") { $0.order(Column("b").desc, Column("a")) }
    case 2: add("by tag desc") { $0.order(Column("tag").desc) }
    default: break
    }
    if one(of: 2) {
      let count = Int.random(in: 0...5, using: &random)
      let offset = one(of: 3) ? Int.random(in: 0...3, using: &random) : nil
      add("limit \(count) \(offset ?? 0)", isSimple: false) { $0.limit(count, offset: offset) }
    }
    return asked
  }

  @Test(arguments: tables.indices)
  func `the rows that a request fetches are those that it changes`(table: Int) throws {
    var random = SeededGenerator()
    var changed = 0
    var refused = 0
    for _ in 0..<trialCount(60) {
      let queue = try Self.database(table, &random)
      let asked = Self.request(&random)
      func tags(_ db: Database, _ condition: String = "1") throws -> Set<Int> {
        try Int.fetchSet(db, sql: "SELECT tag FROM item WHERE \(condition)")
      }
      try queue.use { db in
        let before = try tags(db)
        let name = "\(asked.text) of \(before.count)"
        let fetched: Set<Int>
        do {
          fetched = try Set(Row.fetchAll(db, asked.request).map { $0["tag"] as Int })
        } catch { return }
        do {
          let count = try asked.request.updateAll(db, Column("mark").set(to: 1))
          #expect(try tags(db, "mark = 1") == fetched, "\(name)")
          #expect(count == fetched.count || table == Self.tables.count - 1, "\(name)")
          #expect(try asked.request.deleteAll(db) == count, "\(name)")
          #expect(try tags(db) == before.subtracting(fetched), "\(name)")
          changed += fetched.count
        } catch let error as DatabaseError {
          #expect(error.resultCode == .SQLITE_MISUSE, "\(name): \(error)")
          #expect(!asked.isSimple, "\(name): \(error)")
          #expect(try tags(db) == before && tags(db, "mark = 1").isEmpty, "\(name)")
          refused += 1
        }
      }
    }
    #expect(changed > 0 || trialCount(60) < 50)
    // Most requests need to tell rows apart, which one table has nothing for.
    #expect(refused < trialCount(60) * 3 / 4 || table == 5, "\(refused)")
  }

  @Test func `what doesn't say which rows are meant is refused`() throws {
    let queue = try EncryptedQueue("CREATE TABLE item (id INTEGER PRIMARY KEY, tag, a, b, mark)")
    try queue.queue.write { db in
      try db.execute(sql: "CREATE TABLE child (id INTEGER PRIMARY KEY, item, x)")
      for a in [1, 1, 2] { try db.execute(sql: "INSERT INTO item (a) VALUES (?)", arguments: [a]) }
      for request in [
        Item.select(Column("a"), count(Column("id"))).group(Column("a")),
        Item.select(Column("a")).distinct().limit(1), Item.select(max(Column("a"))),
        Item.joining(optional: Item.children).distinct().limit(1),
      ] {
        let error = #expect(throws: DatabaseError.self) { try request.deleteAll(db) }
        #expect(error?.resultCode == .SQLITE_MISUSE)
        #expect(throws: DatabaseError.self) {
          try request.updateAll(db, Column("mark").set(to: 1))
        }
      }
      #expect(try Item.fetchCount(db) == 3)
      // Each value that is fetched stands for all its rows.
      #expect(try Item.select(Column("a")).filter(Column("a") == 1).distinct().deleteAll(db) == 2)
    }
  }

  @Test func `a table whose rows nothing tells apart has no primary key`() throws {
    let queue = try EncryptedQueue("CREATE TABLE item (rowid TEXT, _rowid_ TEXT, oid TEXT, x)")
    try queue.queue.write { db in
      for x in [1, 1, 2] { try db.execute(sql: "INSERT INTO item (x) VALUES (?)", arguments: [x]) }
      let error = #expect(throws: DatabaseError.self) { try db.primaryKey("item") }
      #expect(error?.message == "table item has no primary key")
      #expect(throws: DatabaseError.self) {
        try Item.filter(Column("x") == 1).distinct().deleteAll(db)
      }
      #expect(try Item.fetchCount(db) == 3)
      #expect(try Item.all().distinct().fetchCount(db) == 2)
      #expect(try Item.filter(Column("x") == 1).deleteAll(db) == 2)
    }
  }
}
