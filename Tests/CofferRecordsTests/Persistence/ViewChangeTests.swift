import Coffer
import CofferTestSupport
import Testing

/// Changes of the rows of views, which their triggers make.
@Suite struct ViewChangeTests {
  struct Person: Codable, Identifiable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "person"
    var id: Int64
    var name: String
  }

  struct Source: DatabaseSchemaSource {
    func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) -> [String]? {
      view.name == "person" ? ["id"] : nil
    }
  }

  private func use(_ body: (Database) throws -> Void) throws {
    let database = try EncryptedQueue(
      """
      CREATE TABLE human (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE log (text);
      CREATE VIEW person AS SELECT * FROM human;
      CREATE TRIGGER deletion INSTEAD OF DELETE ON person BEGIN
        DELETE FROM human WHERE id = old.id;
        INSERT INTO log VALUES ('deleted');
      END;
      CREATE TRIGGER change INSTEAD OF UPDATE ON person WHEN new.name <> 'forbidden' BEGIN
        UPDATE human SET name = new.name WHERE id = old.id;
      END;
      CREATE VIEW nameless AS SELECT name FROM human;
      INSERT INTO human VALUES (1, 'Arthur'), (2, 'Barbara'), (3, 'Craig'), (4, 'Daniel');
      """
    ) { $0.schemaSource = Source() }
    try database.queue.inDatabase(body)
  }

  @Test func `a row is deleted by its key`() throws {
    try use { db throws in
      #expect(try Person.deleteOne(db, key: 1))
      #expect(try !Person.deleteOne(db, key: 1))
      #expect(try Person.deleteOne(db, id: 2))
      #expect(try Table("person").deleteOne(db, key: 3))
      #expect(try !Table("person").deleteOne(db, key: 9))
      #expect(try Person.fetchCount(db) == 1)
    }
  }

  @Test func `the rows of the view are counted, not those that its triggers change`() throws {
    try use { db throws in
      #expect(try Person.deleteAll(db, keys: [1, 2, 9]) == 2)
      #expect(try Person.deleteAll(db, ids: [1, 3]) == 1)
      #expect(try Person.filter { $0.name == "Daniel" }.deleteAll(db) == 1)
      #expect(try Person.deleteAll(db) == 0)
      #expect(try Table("log").fetchCount(db) == 4)
    }
  }

  @Test func `updates are counted`() throws {
    try use { db throws in
      #expect(try Person.updateAll(db) { $0.name.set(to: "x") } == 4)
      #expect(try Person.filter(id: 1).updateAll(db, Column("name").set(to: "y")) == 1)
      #expect(try Person.filter { $0.id > 2 }.updateAll(db, Column("name").set(to: "z")) == 2)
      #expect(try Person.filter(id: 9).updateAll(db, Column("name").set(to: "z")) == 0)
      #expect(try Person.updateAll(db) { $0.name.set(to: "forbidden") } == 0)
      #expect(try String.fetchAll(db, sql: "SELECT name FROM human") == ["y", "x", "z", "z"])
    }
  }

  @Test func `a stable order is by the key, or by all columns where none is known`() throws {
    try use { db throws in
      #expect(
        try Person.order { $0.name }.withStableOrder().fetchAll(db).map(\.id) == [1, 2, 3, 4])
      let names = Table("nameless").all().withStableOrder()
      #expect(try String.fetchAll(db, names) == ["Arthur", "Barbara", "Craig", "Daniel"])
      #expect(try String.fetchAll(db, names.reversed()).first == "Daniel")
    }
  }
}
