import Coffer
import CofferExpectations
import CofferTestSupport
import Testing

@Suite struct KeyTests {
  private static let schema = """
    CREATE TABLE hackers (name TEXT);
    CREATE TABLE persons (id INTEGER PRIMARY KEY, name TEXT, email TEXT UNIQUE);
    CREATE TABLE countries (code TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE citizenships (
      personId INTEGER NOT NULL, country TEXT NOT NULL, PRIMARY KEY (personId, country));
    CREATE UNIQUE INDEX partial ON persons (name) WHERE name <> '';
    INSERT INTO hackers VALUES ('Arthur'), ('Barbara');
    INSERT INTO persons VALUES (1, 'Arthur', 'a@x'), (2, 'Barbara', 'b@x'), (3, 'Craig', NULL);
    INSERT INTO countries VALUES ('DE'), ('FR');
    INSERT INTO citizenships VALUES (1, 'FR'), (1, 'US'), (2, 'US');
    CREATE VIEW names AS SELECT id, name FROM persons;
    """

  private func sql(_ request: some FetchRequest) throws -> String {
    try RequestDatabase(Self.schema).sql(request)
  }

  @Test func `a key is the primary key, or the rowid`() throws {
    #expect(
      try sql(Table("hackers").filter(key: 1)) == #"SELECT * FROM "hackers" WHERE "rowid" = 1"#)
    #expect(
      try sql(Table("persons").filter(keys: [1, 2]))
        == #"SELECT * FROM "persons" WHERE "id" IN (1, 2)"#)
    #expect(
      try sql(Table("countries").filter(key: "FR"))
        == #"SELECT * FROM "countries" WHERE "code" = 'FR'"#)
    #expect(try sql(Table("persons").filter(keys: [Int]())) == #"SELECT * FROM "persons" WHERE 0"#)
    #expect(
      try sql(Table("persons").filter(key: nil as Int?)) == #"SELECT * FROM "persons" WHERE 0"#)
  }

  @Test func `several columns are the primary key or a unique index`() throws {
    #expect(
      try sql(Table("citizenships").filter(key: ["country": "FR", "personId": 1]))
        == #"SELECT * FROM "citizenships" WHERE ("personId" = 1) AND ("country" = 'FR')"#)
    #expect(
      try sql(Table("persons").filter(key: ["EMAIL": "a@x"]))
        == #"SELECT * FROM "persons" WHERE "email" = 'a@x'"#)
    #expect(
      try sql(Table("persons").filter(keys: [["id": 1], ["email": "b@x"]]))
        == #"SELECT * FROM "persons" WHERE ("id" = 1) OR ("email" = 'b@x')"#)
    #expect(
      try sql(Table("hackers").filter(key: ["rowid": 1]))
        == #"SELECT * FROM "hackers" WHERE "rowid" = 1"#)
  }

  @Test func `columns with a key in them are one, too`() throws {
    #expect(
      try sql(Table("persons").filter(key: ["name": "Arthur", "id": 1]))
        == #"SELECT * FROM "persons" WHERE ("id" = 1) AND ("name" = 'Arthur')"#)
    #expect(
      try sql(Table("hackers").filter(key: ["name": "Arthur", "rowid": 1]))
        == #"SELECT * FROM "hackers" WHERE ("rowid" = 1) AND ("name" = 'Arthur')"#)
    let missing = databaseError { try sql(Table("persons").filter(key: ["id": 1, "age": 1])) }
    #expect(missing?.message?.contains("no unique key on column(s) age, id") == true)
  }

  @Test func `a look-up by a nil key executes no statement`() throws {
    let none: Int? = nil
    let persons = Table("persons")
    let database = try RequestDatabase(Self.schema)
    var isFound: [Bool] = []
    var sql = try [
      database.sql { db in isFound.append(try persons.exists(db, key: none)) },
      database.sql { db in isFound.append(try persons.deleteOne(db, key: none)) },
    ]
    var count = 1
    sql.append(try database.sql { db in count = try persons.deleteAll(db, keys: [Int]()) })
    #expect(isFound == [false, false])
    #expect(count == 0)
    #expect(sql == ["", "", ""])
  }

  @Test func `columns that are no key are an error that names the keys`() throws {
    let several = databaseError { try sql(Table("citizenships").filter(key: 1)) }
    #expect(several?.resultCode == .SQLITE_MISUSE)
    #expect(several?.description.contains("personId, country") == true)
    let none = databaseError { try sql(Table("persons").filter(key: ["name": "Arthur"])) }
    #expect(none?.message?.contains("no unique key on column(s) name") == true)
    let partial = databaseError { try sql(Table("citizenships").filter(key: ["personId": 1])) }
    #expect(partial?.resultCode == .SQLITE_MISUSE)
    let missing = databaseError { try sql(Table("nowhere").filter(key: 1)) }
    #expect(missing?.message == "no such table: nowhere")
    let view = databaseError { try sql(Table("names").filter(key: 1)) }
    #expect(view != nil)
  }

  @Test func `rows are deleted by key, one or several`() throws {
    try RequestDatabase(Self.schema).use { db throws in
      #expect(try Table("hackers").deleteOne(db, key: 1))
      #expect(try !Table("hackers").deleteOne(db, key: 1))
      #expect(try Table("persons").deleteAll(db, keys: [2, 3, 4]) == 2)
      #expect(try Table("citizenships").deleteOne(db, key: ["personId": 1, "country": "FR"]))
      #expect(
        try Table("citizenships").deleteAll(
          db, keys: [["personId": 1, "country": "US"], ["personId": 9, "country": "US"]]) == 1)
      #expect(try Table("persons").exists(db, key: 1))
      #expect(try !Table("persons").exists(db, key: ["email": "b@x"]))
    }
  }

  @Test func `identifiers are primary keys`() throws {
    struct Person: TableRecord, Identifiable {
      static let databaseTableName = "persons"
      var id: Int64
    }
    #expect(try sql(Person.filter(id: 1)) == #"SELECT * FROM "persons" WHERE "id" = 1"#)
    #expect(
      try sql(Person.filter(ids: [1, 2])) == #"SELECT * FROM "persons" WHERE "id" IN (1, 2)"#)
    try RequestDatabase(Self.schema).use { db throws in
      #expect(try Person.selectID().fetchSet(db) == [1, 2, 3])
      #expect(try Table<Person>("persons").deleteAll(db, ids: [1, 2]) == 2)
      if SQLiteFeatures.linked.hasReturning {
        #expect(try Person.all().deleteAndFetchIds(db) == [3])
      }
    }
  }

  @Test func `optional identifiers are found by their values`() throws {
    struct Person: TableRecord, Identifiable {
      static let databaseTableName = "persons"
      var id: Int64?
      var name: String
    }
    let ids: [Int64] = [1, 2]
    let expected = #"SELECT * FROM "persons" WHERE "id" IN (1, 2)"#
    #expect(try sql(Person.filter(ids: ids)) == expected)
    #expect(try sql(Person.all().filter(ids: ids)) == expected)
    #expect(try sql(Person.filter(ids: [1, 2])) == expected)
    #expect(try sql(Person.filter(ids: ids.map { Optional($0) })) == expected)
    #expect(try sql(Table<Person>("persons").filter(ids: ids)) == expected)
    #expect(
      try sql(Person.select { $0.name }.filter(ids: ids))
        == #"SELECT "name" FROM "persons" WHERE "id" IN (1, 2)"#)
  }

  @Test func `there can be any number of keys of several columns`() throws {
    try RequestDatabase(Self.schema).use { db throws in
      let count = SQLiteFeatures.linked.hasUpsert ? 5_000 : 450
      try db.execute(
        sql: """
          WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ?)
          INSERT OR IGNORE INTO citizenships SELECT i, 'US' FROM n
          """, arguments: [count])
      let keys = (1...count).map {
        ["personId": $0, "country": "US"] as [String: any DatabaseValueConvertible]
      }
      let citizenships = Table("citizenships")
      #expect(try citizenships.filter(keys: keys).fetchCount(db) == count)
      let either = (1...count).map { Column("personId") == $0 }
      #expect(try citizenships.filter(either.joined(operator: .or)).fetchCount(db) == count + 1)
      let all = (1...count).map { Column("personId") != $0 }
      #expect(try citizenships.filter(all.joined(operator: .and)).fetchCount(db) == 0)
      #expect(try citizenships.deleteAll(db, keys: keys) == count)
    }
  }
}
