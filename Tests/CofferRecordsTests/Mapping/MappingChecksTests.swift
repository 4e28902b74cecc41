import Coffer
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@Suite struct MappingChecksTests {
  private typealias Player = MappedPlayers.Player

  private static let player = Player(id: 1, name: "Ann", score: 5)

  @Test func `a column that a query lacks is an error that names record and column`() throws {
    try EncryptedQueue.with { db throws in
      let error = #expect(throws: RowDecodingError.self) {
        try Player.fetchAll(db, sql: "SELECT 1 AS id, 5 AS score")
      }
      #expect(error?.kind == .columnNotFound)
      #expect(error?.columnName == "name")
      #expect(error?.recordType == "Player")
      #expect(
        error?.description == """
          column not found: "name" - record: Player, sql: `SELECT 1 AS id, 5 AS score`
          """)
      #expect(throws: RowDecodingError.self) { try Player(row: ["id": 1, "name": "x"]) }
      #expect(try Player.fetchAll(db, sql: "SELECT 1 AS id WHERE 0").isEmpty)
    }
  }

  @Test func `NULL in a property that isn't optional is an error, whatever the table says`() throws
  {
    try EncryptedQueue.with(
      "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INT);"
        + "INSERT INTO player VALUES (1, 'Ann', 5), (2, NULL, 5)"
    ) { db throws in
      #expect(try Player.filter { $0.id == 1 }.fetchOne(db)?.name == "Ann")
      let error = #expect(throws: RowDecodingError.self) { try Player.fetchAll(db) }
      #expect(error?.columnName == "name")
      #expect(error?.expectedType == "String")
      #expect(error?.recordType == "Player")
      #expect(error?.databaseValue == .null)
      #expect(error?.sql?.hasPrefix("SELECT \"id\", \"name\"") == true)
      let copy = try #require(try Row.fetchOne(db, sql: "SELECT * FROM player WHERE id = 2"))
      let other = #expect(throws: RowDecodingError.self) { try Player(row: copy) }
      #expect(other?.columnName == "name")
      #expect(other?.recordType == "Player")
    }
  }

  private struct Small: MappedRecord {
    var value: Int8
    static let mapping = Mapping(Small.init(value:), Field("value", \.value))
  }

  @Test func `an integer that overflows is an error`() throws {
    try EncryptedQueue.with("CREATE TABLE small (value INTEGER)") { db throws in
      try db.execute(sql: "INSERT INTO small VALUES (127), (128)")
      let error = #expect(throws: RowDecodingError.self) { try Small.fetchAll(db) }
      #expect(error?.databaseValue == 128.databaseValue)
      #expect(try Small.fetchOne(db)?.value == 127)
    }
  }

  @Test(arguments: ["TEXT", "VARCHAR(10)", "clob"])
  func `a type that doesn't keep the values is an error at the first use`(type: String) throws {
    let schema = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score \(type))"
    try EncryptedQueue.with(schema) { db throws in
      let expected =
        "column \"score\" of Player is Optional<Int>, and is declared \(type), "
        + "which doesn't keep such values as they are"
      #expect(databaseError { try Player.fetchAll(db) }?.message == expected)
      #expect(databaseError { try Self.player.inserted(db) }?.message == expected)
      #expect(databaseError { try Self.player.update(db) }?.message == expected)
      #expect(databaseError { try Player.fetchOne(db) }?.resultCode == .SQLITE_MISMATCH)
      try db.execute(sql: "INSERT INTO player VALUES (1, 'a', 5)")
      #expect(databaseError { try Player.fetchAll(db, sql: "SELECT * FROM player") } != nil)
      // An expression has no type to object to.
      let sql = "SELECT id, name, score + 0 AS score FROM player"
      #expect(try Player.fetchAll(db, sql: sql).map(\.score) == [5])
    }
  }

  @Test(arguments: ["NUMERIC", "DECIMAL(10,5)", "REAL", "INTEGER"])
  func `a column that loses digits of a decimal number doesn't keep it`(type: String) throws {
    struct Item: MappedRecord {
      var price: Decimal
      static let mapping = Mapping(Item.init(price:), Field("price", \.price))
    }
    try EncryptedQueue.with("CREATE TABLE item (price \(type))") { db throws in
      let error = databaseError { try Item(price: 1).inserted(db) }
      #expect(error?.message?.contains("is declared \(type)") == true)
    }
    try EncryptedQueue.with("CREATE TABLE item (price TEXT)") { db throws in
      let price = try #require(Decimal(string: "1234567890123456789.123456789"))
      _ = try Item(price: price).inserted(db)
      #expect(try Item.fetchOne(db)?.price == price)
    }
  }

  @Test(arguments: ["", "BLOB", "NUMERIC", "DECIMAL(10,5)", "BOOLEAN", "BIGINT", "MONEY", "POINT"])
  func `a type that keeps the values, or that SQLite doesn't know, passes`(type: String) throws {
    let schema = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score \(type))"
    try EncryptedQueue.with(schema) { db throws in
      _ = try Self.player.inserted(db)
      #expect(try Player.fetchAll(db).map(\.score) == [5])
    }
  }

  @Test func `a column that the table lacks is an error, not a text`() throws {
    try EncryptedQueue.with("CREATE TABLE player (id INTEGER PRIMARY KEY, score INT)") {
      db throws in
      try db.execute(sql: "INSERT INTO player VALUES (1, 2)")
      let expected = "table \"player\" has no column \"name\", which Player maps to String"
      #expect(databaseError { try Player.fetchAll(db) }?.message == expected)
      #expect(databaseError { try Self.player.inserted(db) }?.message == expected)
      try db.execute(sql: "ALTER TABLE player ADD COLUMN name TEXT DEFAULT 'none'")
      #expect(try Player.fetchAll(db).map(\.name) == ["none"])
      try db.execute(sql: "DROP TABLE player")
      #expect(databaseError { try Player.fetchAll(db) }?.message == "no such table: player")
      #expect(databaseError { try Self.player.inserted(db) } != nil)
    }
  }

  @Test func `a column that needs a value and has no field is an error of insertions`() throws {
    try EncryptedQueue.with(
      "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INT, team TEXT NOT NULL)"
    ) { db throws in
      let error = databaseError { try Self.player.inserted(db) }
      #expect(error?.resultCode == .SQLITE_CONSTRAINT)
      #expect(
        error?.message == "column \"team\" of table \"player\" is NOT NULL, has no default, "
          + "and is not in the mapping of Player")
      try db.execute(sql: "INSERT INTO player VALUES (1, 'x', 2, 'red')")
      #expect(try Player.fetchOne(db)?.name == "x")
      try Self.player.update(db)
      #expect(try String.fetchAll(db, sql: "SELECT name || team FROM player") == ["Annred"])
    }
  }

  private struct Twice: MappedRecord {
    var id: Int64, name: String, title: String
    static let mapping = Mapping(
      Twice.init(id:name:title:), Field("id", \.id), Field("name", \.name),
      Field("NAME", \.title))
  }

  @Test func `two fields with one column are an error at the first use`() throws {
    try EncryptedQueue.with("CREATE TABLE twice (id INTEGER, name TEXT)") { db throws in
      let expected = "the mapping of Twice has two fields for column \"NAME\""
      #expect(databaseError { try Twice.fetchAll(db) }?.message == expected)
      let sql = "SELECT 1 AS id, 2 AS name"
      #expect(databaseError { try Twice.fetchAll(db, sql: sql) }?.message == expected)
      #expect(databaseError { try Twice.createTable(db) }?.message == expected)
      #expect(
        databaseError { try Twice(id: 1, name: "a", title: "b").inserted(db) }?.message == expected)
      #expect(databaseError { try Twice(row: ["id": 1, "name": "a"]) }?.message == expected)
    }
  }

  private struct Member: MappedRecord {
    static let databaseTableName = "player"
    var id: Int64, name: String, score: Int?, team: String
    static let mapping = Mapping(
      Member.init(id:name:score:team:), Field("id", \.id), Field("name", \.name),
      Field("score", \.score), Field("team", \.team))
  }

  @Test func `a request is checked for each record type and on each schema`() throws {
    let file = try EncryptedQueue(
      "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INT)")
    let other = try file.other()
    for _ in 0..<2 {
      #expect(try file.queue.read { try Player.fetchAll($0) }.isEmpty)
      let error = databaseError { try file.queue.read { try Member.fetchAll($0) } }
      #expect(error?.message?.contains("which Member maps to String") == true)
    }
    try other.write { try $0.execute(sql: "ALTER TABLE player RENAME TO old") }
    let error = databaseError { try file.queue.read { try Player.fetchAll($0) } }
    #expect(error?.message == "no such table: player")
    try other.write {
      try $0.execute(sql: "CREATE TABLE player (id); INSERT INTO player VALUES (1)")
    }
    let lacking = databaseError { try file.queue.read { try Player.fetchAll($0) } }
    #expect(lacking?.message?.contains("which Player maps to String") == true)
    try other.write {
      try $0.execute(
        sql: """
          DROP TABLE player; ALTER TABLE old RENAME TO player;
          ALTER TABLE player ADD team TEXT
          """)
    }
    #expect(try file.queue.read { try Player.fetchAll($0) }.isEmpty)
    #expect(try file.queue.read { try Member.fetchAll($0) }.isEmpty)
    try file.queue.inDatabase { db in
      try db.execute(sql: "CREATE TEMP TABLE player (id, score)")
      let error = databaseError { try Player.fetchAll(db) }
      #expect(error?.message?.contains("which Player maps to String") == true)
    }
  }

  @Test func `a change of the schema is noticed, by a cached statement too`() throws {
    try EncryptedQueue.with(
      "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INT);"
        + "INSERT INTO player VALUES (1, 'Ann', 5)"
    ) { db throws in
      let sql = "SELECT * FROM player"
      #expect(try Player.fetchAll(db, sql: sql).map(\.score) == [5])
      try db.execute(
        sql: """
          DROP TABLE player;
          CREATE TABLE player (score INT, extra, name TEXT, id INTEGER PRIMARY KEY);
          INSERT INTO player VALUES (7, 8, 'Bob', 2);
          """)
      #expect(try Player.fetchAll(db, sql: sql).map(\.score) == [7])
      _ = try Self.player.inserted(db)
      #expect(try Player.fetchAll(db).map(\.id) == [1, 2])
    }
  }
}
