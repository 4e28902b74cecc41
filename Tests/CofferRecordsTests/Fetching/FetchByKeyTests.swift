@testable import CofferCore
import CofferExpectations
@testable import CofferQuery
@testable import CofferRecords
import CofferTestSupport
import Testing

@Suite struct FetchByKeyTests {
  private let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO player VALUES (1, 'Arthur'), (2, 'Barbara'), (-5, 'Craig');
    CREATE TABLE token (code TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID;
    INSERT INTO token VALUES ('a', 'A'), ('1', 'One');
    CREATE TABLE note (name TEXT);
    INSERT INTO note VALUES ('first'), ('second');
    CREATE TABLE citizenship (citizen INTEGER, country TEXT, name TEXT UNIQUE,
      PRIMARY KEY (citizen, country));
    INSERT INTO citizenship VALUES (1, 'FR', 'x'), (1, 'DE', 'y'), (2, 'FR', NULL);
    CREATE VIEW playerView AS SELECT * FROM player WHERE id > 0;
    """

  // MARK: One record

  @Test func `a record is found by its primary key`() throws {
    try EncryptedQueue.with(schema) { db throws in
      for _ in 0..<2 {
        #expect(try Player.fetchOne(db, key: 1)?.name == "Arthur")
        #expect(try Player.fetchOne(db, key: -5)?.name == "Craig")
        #expect(try Player.fetchOne(db, key: 3) == nil)
        #expect(try Token.fetchOne(db, key: "a")?.name == "A")
        #expect(try Token.fetchOne(db, key: "b") == nil)
        #expect(try Note.fetchOne(db, key: 2)?.name == "second")
        #expect(try Player.fetchOne(db, id: 2)?.name == "Barbara")
        #expect(try Player.find(db, key: 2).name == "Barbara")
        #expect(try Player.find(db, id: 1).name == "Arthur")
      }
    }
  }

  @Test func `keys of other types are compared as SQLite does`() throws {
    try EncryptedQueue.with(schema) { db throws in
      let keys: [any DatabaseValueConvertible] = [
        "1", " 1 ", 1.0, 1.5, "x", true, "1".databaseValue, [UInt8(1)].description, Int64.max,
      ]
      for key in keys {
        let name = try String.fetchOne(
          db, sql: "SELECT name FROM player WHERE id = ?", arguments: [key.databaseValue])
        #expect(try Player.fetchOne(db, key: key.databaseValue)?.name == name, "\(key)")
      }
      // A text column compares numbers as text.
      #expect(try Token.fetchOne(db, key: 1)?.name == "One")
    }
  }

  @Test func `a nil key finds no record`() throws {
    try EncryptedQueue.with(schema) { db throws in
      let none: Int? = nil
      #expect(try Player.fetchOne(db, key: none) == nil)
      #expect(try Player.fetchOne(db, key: nil) == nil)
      #expect(try Player.fetchOne(db, key: DatabaseValue.null) == nil)
      #expect(try Player.fetchOne(db, key: ["id": none]) == nil)
      // A unique key may be NULL.
      #expect(try Citizenship.fetchOne(db, key: ["name": nil])?.name == "none")
      #expect(try Player.fetchOne(db, key: 1 as Int?)?.name == "Arthur")
    }
  }

  @Test func `a record is found by any unique key`() throws {
    try EncryptedQueue.with(schema) { db throws in
      #expect(try Player.fetchOne(db, key: ["id": 1])?.name == "Arthur")
      #expect(try Note.fetchOne(db, key: ["rowid": 2])?.name == "second")
      #expect(try Citizenship.fetchOne(db, key: ["citizen": 1, "country": "DE"])?.name == "y")
      #expect(try Citizenship.fetchOne(db, key: ["COUNTRY": "FR", "citizen": 1])?.name == "x")
      #expect(try Citizenship.fetchOne(db, key: ["name": "y"])?.name == "y")
      #expect(try Citizenship.find(db, key: ["name": "x"]).name == "x")
    }
  }

  @Test func `columns that are no unique key are refused`() throws {
    try EncryptedQueue.with(schema) { db in
      let several = databaseError { try Citizenship.fetchOne(db, key: 1) }
      #expect(several?.message == "the primary key of table citizenship has 2 columns")
      #expect(databaseError { try Citizenship.fetchOne(db, key: 1) } != nil)
      #expect(databaseError { try Player.fetchOne(db, key: ["name": "Arthur"]) } != nil)
      #expect(databaseError { try Player.fetchOne(db, key: ["missing": 1]) } != nil)
      #expect(databaseError { try Citizenship.fetchOne(db, key: ["citizen": 1]) } != nil)
      #expect(databaseError { try Citizenship.fetchAll(db, keys: [1, 2]) } != nil)
      #expect(
        databaseError { try Missing.fetchOne(db, key: 1) }?.message == "no such table: missing")
    }
  }

  @Test func `views have the key that the schema source tells`() throws {
    struct Source: DatabaseSchemaSource {
      func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) -> [String]? {
        view.name == "playerView" ? ["name"] : nil
      }
    }
    try EncryptedQueue.with(schema) { db throws in
      #expect(databaseError { try PlayerView.fetchOne(db, key: 1) } != nil)
      try db.withSchemaSource(Source()) { () throws in
        #expect(try PlayerView.fetchOne(db, key: "Arthur")?.name == "Arthur")
        #expect(try PlayerView.fetchOne(db, key: "Craig") == nil)
      }
      #expect(databaseError { try PlayerView.fetchOne(db, key: "Arthur") } != nil)
    }
  }

  @Test func `find throws where there is no record`() throws {
    try EncryptedQueue.with(schema) { db in
      let errors: [(String, () throws -> Any, [String: DatabaseValue])] = [
        ("player", { try Player.find(db, key: 7) }, ["id": 7.databaseValue]),
        ("player", { try Player.find(db, id: 8) }, ["id": 8.databaseValue]),
        ("player", { try Player.find(db, key: Int?.none) }, ["id": .null]),
        ("note", { try Note.find(db, key: 9) }, ["rowid": 9.databaseValue]),
        (
          "citizenship", { try Citizenship.find(db, key: ["citizen": 1, "country": "IT"]) },
          ["citizen": 1.databaseValue, "country": "IT".databaseValue]
        ),
      ]
      for (table, find, key) in errors {
        #expect {
          try find()
        } throws: { error in
          guard case RecordError.recordNotFound(let errorTable, let errorKey) = error else {
            return false
          }
          return errorTable == table && errorKey == key
        }
      }
      #expect(throws: DatabaseError.self) { try Citizenship.find(db, key: 1) }
    }
  }

  // MARK: Several records

  @Test func `records are found by several keys`() throws {
    try EncryptedQueue.with(schema) { db throws in
      #expect(try names(Player.fetchAll(db, keys: [1, 2, 2, 99])) == ["Arthur", "Barbara"])
      #expect(try names(Player.fetchAll(db, keys: Set([1, -5]))) == ["Arthur", "Craig"])
      #expect(try names(Player.fetchAll(db, keys: [1, nil])) == ["Arthur"])
      #expect(try names(Array(Player.fetchCursor(db, keys: [2]))) == ["Barbara"])
      #expect(try Player.fetchSet(db, keys: [1, 2]).count == 2)
      #expect(try names(Token.fetchAll(db, keys: ["a", "x"])) == ["A"])
      #expect(try names(Player.fetchAll(db, ids: [1, 3])) == ["Arthur"])
      #expect(try names(Array(Player.fetchCursor(db, ids: [2, 1]))) == ["Arthur", "Barbara"])
      #expect(try Player.fetchSet(db, ids: [1, 1]).map(\.name) == ["Arthur"])
      #expect(try Player.fetchAll(db, keys: Array(-1000...1000)).count == 3)
    }
  }

  @Test func `records are found by several unique keys`() throws {
    try EncryptedQueue.with(schema) { db throws in
      let keys: [[String: (any DatabaseValueConvertible)?]] = [
        ["citizen": 1, "country": "FR"], ["name": "y"], ["name": nil], ["name": "z"],
      ]
      #expect(try names(Citizenship.fetchAll(db, keys: keys)) == ["none", "x", "y"])
      #expect(try names(Array(Citizenship.fetchCursor(db, keys: keys))) == ["none", "x", "y"])
      #expect(try Citizenship.fetchSet(db, keys: keys).count == 3)
    }
  }

  @Test func `no keys find no record`() throws {
    try EncryptedQueue.with(schema) { db throws in
      #expect(try Player.fetchAll(db, keys: [Int]()).isEmpty)
      #expect(try Player.fetchAll(db, keys: []).isEmpty)
      #expect(try Player.fetchSet(db, keys: []).isEmpty)
      #expect(try Player.fetchCursor(db, keys: [Int]()).next() == nil)
      #expect(try Player.fetchCursor(db, keys: []).next() == nil)
      #expect(try Player.fetchAll(db, ids: []).isEmpty)
      #expect(try Player.fetchSet(db, ids: []).isEmpty)
      #expect(try Player.fetchCursor(db, ids: []).next() == nil)
    }
  }

  private func names(_ records: [some Named]) -> [String] { records.map(\.name).sorted() }
}

private protocol Named {
  var name: String { get }
}

private struct Player: FetchableRecord, TableRecord, Identifiable, Hashable, Named {
  var id: Int64
  var name: String

  init(row: Row) {
    id = row["id"]
    name = row["name"]
  }
}

private struct Token: FetchableRecord, TableRecord, Named {
  var name: String

  init(row: Row) { name = row["name"] }
}

private struct Note: FetchableRecord, TableRecord, Named {
  var name: String

  init(row: Row) { name = row["name"] }
}

private struct Citizenship: FetchableRecord, TableRecord, Hashable, Named {
  var name: String

  init(row: Row) { name = row["name"] ?? "none" }
}

private struct PlayerView: FetchableRecord, TableRecord {
  var name: String

  init(row: Row) { name = row["name"] }
}

private struct Missing: FetchableRecord, TableRecord {
  init(row: Row) {}
}
