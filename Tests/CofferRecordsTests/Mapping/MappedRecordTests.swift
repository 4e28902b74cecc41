import Coffer
import CofferTestSupport
import Foundation
import Testing

@Suite struct MappedRecordTests {
  private typealias Player = MappedPlayers.Player

  private static let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER);
    INSERT INTO player VALUES (1, 'Arthur', 10), (2, 'Barbara', NULL), (3, 'Craig', 30);
    """

  private static let arthur = Player(id: 1, name: "Arthur", score: 10)

  @Test func `records are fetched by the mapping`() throws {
    try EncryptedQueue.with(Self.schema) { db throws in
      #expect(try Player.fetchAll(db).map(\.score) == [10, nil, 30])
      #expect(try Player.filter(key: 1).fetchOne(db) == Self.arthur)
      #expect(try Player.fetchSet(db).count == 3)
      #expect(try Player.order(\.id.desc).fetchCursor(db).next()?.name == "Craig")
      #expect(try Player.fetchAll(db, sql: "SELECT * FROM player WHERE 0").isEmpty)
    }
  }

  @Test func `columns are found by name, wherever they are`() throws {
    try EncryptedQueue.with { db throws in
      let sql = "SELECT 'x' AS other, 5 AS SCORE, 'Ann' AS name, 7 AS id"
      let expected = Player(id: 7, name: "Ann", score: 5)
      #expect(try Player.fetchOne(db, sql: sql) == expected)
      let adapter = RenameColumnAdapter { $0 == "title" ? "name" : $0 }
      let renamed = "SELECT 1, 'Ann' AS title, 7 AS id, 5 AS score"
      #expect(try Player.fetchAll(db, sql: renamed, adapter: adapter) == [expected])
      let row = try #require(try Row.fetchOne(db, sql: sql))
      #expect(try Player(row: row) == expected)
      #expect(try Player(row: ["id": 7, "name": "Ann", "score": nil]).score == nil)
      let scoped = try Row.fetchOne(
        db, sql: sql, adapter: ScopeAdapter(["player": SuffixRowAdapter(fromIndex: 1)]))
      #expect(try Player(row: #require(scoped?.scopes["player"])) == expected)
    }
  }

  @Test func `the selection names the columns, so that others can come between`() throws {
    try EncryptedQueue.with(Self.schema) { db throws in
      try db.execute(sql: "ALTER TABLE player ADD COLUMN extra")
      let request = try Player.filter { $0.score > 3 }.makePreparedRequest(db)
      #expect(
        request.statement.sql
          == "SELECT \"id\", \"name\", \"score\" FROM \"player\" WHERE \"score\" > ?")
      #expect(try Player.numberOfSelectedColumns(db) == 3)
      #expect(try Player.filter { $0.score > 3 }.fetchCount(db) == 2)
      #expect(try Player.filter { $0.name == "Arthur" }.fetchOne(db) == Self.arthur)
    }
  }

  @Test func `records are inserted, updated, saved and deleted`() throws {
    try EncryptedQueue.with(Self.schema) { db throws in
      var dora = Player(id: 4, name: "Dora", score: nil)
      try dora.insert(db)
      for id in 5...9 as ClosedRange<Int64> {
        var other = Player(id: id, name: "Nr \(id)", score: Int(id))
        try other.insert(db)
      }
      dora.score = 40
      try dora.update(db)
      #expect(try Player.filter(key: 4).fetchOne(db) == dora)
      dora.name = "Dorothy"
      try dora.save(db)
      #expect(try Player.filter(key: 4).fetchOne(db)?.name == "Dorothy")
      #expect(try Player.filter(key: 9).fetchOne(db) == Player(id: 9, name: "Nr 9", score: 9))
      #expect(try dora.delete(db))
      #expect(try Player.fetchCount(db) == 8)
      #expect(throws: RecordError.self) { try dora.update(db) }
      let values = try Player(id: 4, name: "Dora", score: nil).databaseDictionary
      #expect(values == ["id": 4.databaseValue, "name": "Dora".databaseValue, "score": .null])
    }
  }

  private struct Numbered: MappedRecord {
    var id: Int64?, name: String
    static let mapping = Mapping(
      Numbered.init(id:name:), Field("number", \.id, .primaryKey), Field("name", \.name))
  }

  @Test func `an optional integer takes the rowid of an insertion`() throws {
    try EncryptedQueue.with { db throws in
      try Numbered.createTable(db)
      var first = Numbered(id: nil, name: "a")
      var second = Numbered(id: 10, name: "b")
      var third = Numbered(id: nil, name: "c")
      try first.insert(db)
      try second.insert(db)
      try third.insert(db)
      #expect([first.id, second.id, third.id] == [1, 10, 11])
      #expect(try Numbered(id: nil, name: "d").inserted(db).id == 12)
      var ignored = Numbered(id: 10, name: "e")
      try ignored.insert(db, onConflict: .ignore)
      #expect(ignored.id == 10)
      third.name = "C"
      try third.update(db)
      #expect(try Numbered.filter { $0.id == 11 }.fetchAll(db).map(\.name) == ["C"])
    }
  }

  private struct Constant: MappedRecord, PersistableRecord, Codable, Identifiable {
    let id: Int, name: String
    static let mapping = Mapping(
      Constant.init(id:name:), Field("id", \.id), Field("title", \.name))
  }

  @Test func `a record can be codable and persistable too, and the mapping counts`() throws {
    try EncryptedQueue.with { db throws in
      try db.create(tableOf: Constant.self)
      let constant = Constant(id: 1, name: "x")
      try constant.insert(db)
      try Constant(id: 2, name: "y").insert(db)
      #expect(try Constant.filter { $0.name == "y" }.fetchOne(db)?.id == 2)
      #expect(try Row.fetchAll(db, sql: "SELECT * FROM constant")[1] == ["id": 2, "title": "y"])
      #expect(try Constant.filter(id: 1).fetchOne(db)?.name == "x")
    }
  }

  private final class Node: MappedRecord {
    let id: Int64
    var label: String

    init(id: Int64, label: String) {
      self.id = id
      self.label = label
    }

    static let mapping = Mapping(
      Node.init(id:label:), Field("id", \.id), Field("label", \.label))
  }

  @Test func `a final class can be mapped`() throws {
    try EncryptedQueue.with { db throws in
      try Node.createTable(db)
      var node = Node(id: 5, label: "five")
      try node.insert(db)
      var other = Node(id: 6, label: "six")
      try other.insert(db)
      #expect(try Node.fetchAll(db).map(\.label) == ["five", "six"])
    }
  }

  private struct Shouting: MappedRecord {
    var id: Int64, name: String
    static let mapping = Mapping(
      Shouting.init(id:name:), Field("id", \.id), Field("name", \.name))

    func encode(to container: inout PersistenceContainer) throws {
      container["id"] = id
      container["name"] = name.uppercased()
    }
  }

  @Test func `a record that encodes by itself is stored as it does`() throws {
    try EncryptedQueue.with { db throws in
      try Shouting.createTable(db)
      for id in 1...3 as ClosedRange<Int64> {
        var record = Shouting(id: id, name: "n\(id)")
        try record.insert(db)
      }
      #expect(try String.fetchAll(db, sql: "SELECT name FROM shouting") == ["N1", "N2", "N3"])
    }
  }

  private struct Wide: MappedRecord, Hashable {
    var a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r: Int?
    static let mapping = Mapping(
      Wide.init(a:b:c:d:e:f:g:h:i:j:k:l:m:n:o:p:q:r:),
      Field("a", \.a), Field("b", \.b), Field("c", \.c), Field("d", \.d), Field("e", \.e),
      Field("f", \.f), Field("g", \.g), Field("h", \.h), Field("i", \.i), Field("j", \.j),
      Field("k", \.k), Field("l", \.l), Field("m", \.m), Field("n", \.n), Field("o", \.o),
      Field("p", \.p), Field("q", \.q), Field("r", \.r))
  }

  @Test func `a mapping can have any number of fields`() throws {
    try EncryptedQueue.with { db throws in
      try Wide.createTable(db)
      let wide = Wide(
        a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8, i: 9, j: 10, k: nil, l: 12, m: 13, n: 14,
        o: 15, p: 16, q: 17, r: 18)
      for _ in 0..<2 { _ = try wide.inserted(db) }
      #expect(try Wide.fetchAll(db) == [wide, wide])
    }
  }

  @Test func `mapped records are joined and fetched inside of others`() throws {
    try EncryptedQueue.with(Self.schema) { db throws in
      let alias = TableAlias<Player>(name: "p")
      let request = Player.aliased(alias).filter(alias.score > 3)
      #expect(try request.fetchAll(db).map(\.id) == [1, 3])
      #expect(try Player.all().union(Player.none()).fetchAll(db).count == 3)
      #expect(try Table<Player>("player").filter { $0.score == nil }.fetchAll(db).count == 1)
    }
  }
}
