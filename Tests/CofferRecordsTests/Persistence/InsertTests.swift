import Coffer
import CofferExpectations
import CofferTestSupport
import Testing

@Suite struct InsertTests {
  typealias Player = Persisted.Player
  typealias Country = Persisted.Country
  typealias Note = Persisted.Note

  @Test func `an inserted record learns its id, and is the row`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      var arthur = Player("Arthur", 1)
      var barbara = Player("Barbara", 2)
      let sql = try db.statements(expanded: true) {
        try arthur.insert(db)
        try barbara.insert(db)
      }
      #expect(
        sql == [
          #"INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'Arthur',1)"#,
          #"INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'Barbara',2)"#,
        ])
      #expect((arthur.id, barbara.id) == (1, 2))
      #expect(try Player.fetchAll(db) == [arthur, barbara])
      #expect(try Player(7, "Craig").inserted(db).id == 7)
    }
  }

  @Test func `each insertion has its own values, in any number`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      for index in 0..<100 { try Note(text: "note \(index)").insert(db) }
      let texts = try String.fetchAll(db, sql: "SELECT text FROM note ORDER BY rowid")
      #expect(texts == (0..<100).map { "note \($0)" })
    }
  }

  @Test func `columns have the case of the record`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      try Country("FR", "France").insert(db)
      try Country("US", "United States").insert(db)
      #expect(try Persisted.rows(db, "country").map { $0["name"] } == ["France", "United States"])
    }
  }

  private struct Changing: PersistableRecord {
    static let databaseTableName = "player"
    var columns: [String]
    var id: Int

    func encode(to container: inout PersistenceContainer) {
      for column in columns {
        switch column {
        case "id": container["id"] = id
        case "name": container["name"] = "name \(id)"
        default: container["score"] = id * 10
        }
      }
    }
  }

  @Test func `records of one type may set other columns, in another order, each time`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      let orders = [
        ["id", "name", "score"], ["score", "name", "id"], ["name", "id"], ["id", "name", "score"],
      ]
      for index in 0..<60 { try Changing(columns: orders[index % 4], id: index).insert(db) }
      for row in try Persisted.rows(db, "player") {
        let id: Int = row["id"]
        #expect(row["name"] == "name \(id)")
        #expect(row["score"] == (id % 4 == 2 ? 1000 : id * 10))
      }
      #expect(try Player.fetchCount(db) == 60)
    }
  }

  private struct Careful: PersistableRecord {
    static let databaseTableName = "player"
    var name: String
    var readsFrom: Int
    var id: Int

    func encode(to container: inout PersistenceContainer) {
      container["id"] = id
      container["name"] = "to be replaced"
      container["name"] = name
      container["score"] = 5
      guard id >= readsFrom else { return }
      let score: Int? = container["score"]
      container["score"] = (score ?? 0) + container.count
    }
  }

  @Test(arguments: [0, 2, 100])
  func `a record may set a column twice, and read what it has set`(readsFrom: Int) throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      for id in 0..<4 {
        try Careful(name: "\(id)", readsFrom: readsFrom, id: id).insert(db)
      }
      let scores = try Int.fetchAll(db, sql: "SELECT score FROM player ORDER BY id")
      #expect(scores == (0..<4).map { $0 >= readsFrom ? 8 : 5 })
      #expect(try String.fetchAll(db, sql: "SELECT name FROM player") == ["0", "1", "2", "3"])
    }
  }

  private struct Late: PersistableRecord {
    static let databaseTableName = "player"
    var name: String
    var reads: Bool

    func encode(to container: inout PersistenceContainer) {
      container["name"] = name
      if reads {
        let name: String? = container["name"]
        container["score"] = name?.count
      } else {
        container["score"] = 0
      }
    }
  }

  @Test func `a record may read for the first time after others have been bound`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      for index in 0..<3 { try Late(name: "\(index)", reads: false).insert(db) }
      try Late(name: "four", reads: true).insert(db)
      try Late(name: "three", reads: true).insert(db)
      #expect(try Int.fetchAll(db, sql: "SELECT score FROM player ORDER BY id") == [0, 0, 0, 4, 5])
    }
  }

  private struct Failing: PersistableRecord {
    static let databaseTableName = "note"
    var text: String?

    func encode(to container: inout PersistenceContainer) throws {
      container["text"] = text
      if text == nil { throw TestError() }
    }
  }

  @Test func `an error thrown by encode reaches the caller, and nothing is inserted`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      try Failing(text: "1").insert(db)
      try Failing(text: "2").insert(db)
      #expect(throws: TestError.self) { try Failing(text: nil).insert(db) }
      try Failing(text: "3").insert(db)
      #expect(try String.fetchAll(db, sql: "SELECT text FROM note") == ["1", "2", "3"])
    }
  }

  private struct Keeping: PersistableRecord {
    final class Box { var containers: [PersistenceContainer] = [] }
    static let databaseTableName = "note"
    let box: Box
    var text: String

    func encode(to container: inout PersistenceContainer) throws {
      container["text"] = text
      box.containers.append(container)
    }
  }

  @Test func `a copy of the container that is kept changes nothing`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      let box = Keeping.Box()
      for index in 0..<4 {
        try Keeping(box: box, text: "\(index)").insert(db)
        for var container in box.containers { container["text"] = "other" }
      }
      #expect(try String.fetchAll(db, sql: "SELECT text FROM note") == ["0", "1", "2", "3"])
    }
  }

  private struct KeepingNumber: PersistableRecord {
    static let databaseTableName = "note"
    let box: Keeping.Box
    var number: Int

    func encode(to container: inout PersistenceContainer) throws {
      container["text"] = number
      box.containers.append(container)
    }
  }

  @Test func `a copy of the container changes nothing while the record is inserted`() throws {
    let database = try EncryptedQueue(Persisted.schema)
    let other = try database.other()
    let box = Unchecked(Keeping.Box())
    try database.queue.inDatabase { db in
      db.add(
        function: DatabaseFunction("later", argumentCount: 0) { _ in
          for var container in box.value.containers { container["text"] = 99 }
          return nil
        })
      try db.execute(
        sql: "CREATE TEMP TRIGGER late BEFORE INSERT ON note BEGIN SELECT later(); END")
      for number in 0..<8 {
        // SQLite then compiles the statement again, as it is executed, with other memory.
        if number % 2 == 1 {
          try other.inDatabase { try $0.execute(sql: "CREATE TABLE other\(number) (a)") }
        }
        try KeepingNumber(box: box.value, number: number).insert(db)
      }
      #expect(try Int.fetchAll(db, sql: "SELECT text FROM note") == Array(0..<8))
    }
  }

  @Test func `an error has the statement and its arguments, those of a prepared one too`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      for name in ["a", "b", "c"] { try Persisted.Name(name).insert(db) }
      for name in ["a", "b"] {
        let error = databaseError { try Persisted.Name(name).insert(db) }
        #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
        #expect(error?.sql == #"INSERT INTO "player" ("id", "name") VALUES (?,?)"#)
        #expect(error?.arguments == [nil, name])
        #expect(error?.description.contains("'\(name)'") == false)
      }
      try Persisted.Name("d").insert(db)
      #expect(try Player.fetchCount(db) == 4)
    }
  }

  private struct Huge: PersistableRecord {
    static let databaseTableName = "note"
    var text: UInt64

    func encode(to container: inout PersistenceContainer) { container["text"] = text }
  }

  @Test func `an integer that SQLite has no room for is an error once the type is known`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      try Huge(text: 1).insert(db)
      let error = databaseError { try Huge(text: .max).insert(db) }
      #expect(error?.resultCode == .SQLITE_MISMATCH)
      try Huge(text: 2).insert(db)
      #expect(try Int.fetchAll(db, sql: "SELECT text FROM note") == [1, 2])
    }
  }

  @Test(arguments: [
    (Database.ConflictResolution.ignore, [1: "Arthur"]), (.replace, [2: "Arthur"]),
  ])
  func `conflicts are resolved as asked`(
    _ resolution: Database.ConflictResolution, _ names: [Int: String]
  ) throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      _ = try Player(1, "Arthur").inserted(db)
      for _ in 0..<3 {
        var other = Player(2, "Arthur")
        try other.insert(db, onConflict: resolution)
      }
      let rows = try Persisted.rows(db, "player")
      #expect(Dictionary(uniqueKeysWithValues: rows.map { ($0["id"], $0["name"]) }) == names)
    }
  }

  private struct Replacing: PersistableRecord {
    static let databaseTableName = "player"
    static let persistenceConflictPolicy = PersistenceConflictPolicy(
      insert: .replace, update: .ignore)
    var id: Int, name: String

    func encode(to container: inout PersistenceContainer) {
      container["id"] = id
      container["name"] = name
    }
  }

  @Test func `an insertion that is ignored leaves the record without a rowid`() throws {
    struct Tag: Codable, MutablePersistableRecord {
      var id: Int64?
      var name: String
      mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }
    try EncryptedQueue.with("CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT UNIQUE)") {
      db throws in
      for _ in 0..<2 {
        var tag = Tag(name: "a")
        try tag.insert(db, onConflict: .ignore)
        var other = Tag(name: "b")
        try other.insert(db, onConflict: .ignore)
        #expect((tag.id == nil) == (other.id == nil))
        var again = Tag(name: "a")
        try again.insert(db, onConflict: .ignore)
        #expect(again.id == nil)
      }
      var tags = [Tag(name: "b"), Tag(name: "c")]
      try Tag.insertAll(db, onConflict: .ignore, &tags)
      #expect(tags.map(\.id) == [nil, 3])
    }
  }

  @Test func `the policy of the type counts, unless another is given`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      try Replacing(id: 1, name: "a").insert(db)
      let sql = try db.statements(expanded: true) {
        try Replacing(id: 1, name: "b").insert(db)
        try Replacing(id: 2, name: "c").insert(db, onConflict: .fail)
        #expect(throws: RecordError.self) { try Replacing(id: 2, name: "b").update(db) }
        try Replacing(id: 2, name: "d").update(db, onConflict: .abort)
      }
      #expect(
        sql == [
          #"INSERT OR REPLACE INTO "player" ("id", "name") VALUES (1,'b')"#,
          #"INSERT OR FAIL INTO "player" ("id", "name") VALUES (2,'c')"#,
          #"UPDATE OR IGNORE "player" SET "name"='b' WHERE "id"=2"#,
          #"UPDATE "player" SET "name"='d' WHERE "id"=2"#,
        ])
      #expect(try Persisted.rows(db, "player").map { $0["name"] } == ["b", "d"])
    }
  }

  private struct Empty: PersistableRecord {
    static let databaseTableName = "event"
    func encode(to container: inout PersistenceContainer) {}
  }

  @Test func `a record without columns is inserted with defaults`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      for _ in 0..<3 { try Empty().insert(db) }
      #expect(try Persisted.rows(db, "event").map { $0["id"] } == [1, 2, 3])
    }
  }

  private struct Unknown: PersistableRecord {
    static let databaseTableName = "note"
    func encode(to container: inout PersistenceContainer) { container["nothing"] = 1 }
  }

  private struct Nowhere: PersistableRecord {
    func encode(to container: inout PersistenceContainer) { container["a"] = 1 }
  }

  @Test func `an unknown column and an unknown table are errors`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      #expect(
        databaseError { try Unknown().insert(db) }?.message
          == "table note has no column named nothing")
      #expect(databaseError { try Nowhere().insert(db) }?.message == "no such table: nowhere")
    }
  }

  @Test func `views take records by their triggers`() throws {
    try EncryptedQueue.with(
      """
      CREATE TABLE base (id INTEGER PRIMARY KEY, text TEXT);
      CREATE VIEW note AS SELECT text FROM base;
      CREATE TRIGGER ins INSTEAD OF INSERT ON note BEGIN
        INSERT INTO base (text) VALUES (new.text || '!');
      END;
      """
    ) { db throws in
      for text in ["a", "b", "c"] { try Note(text: text).insert(db) }
      #expect(try Persisted.rows(db, "base").map { $0["text"] } == ["a!", "b!", "c!"])
      #expect(databaseError { try Note(text: "a").update(db) }?.message == "no such table: note")
    }
  }
}
