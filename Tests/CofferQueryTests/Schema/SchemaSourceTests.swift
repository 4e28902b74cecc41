import CofferExpectations
import CofferTestSupport
import Testing

@testable import CofferCore
@testable import CofferQuery

private struct Source: DatabaseSchemaSource {
  var keys: [String: [String]]

  func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) -> [String]? {
    keys[view.name]
  }
}

/// Looks at the schema, also at the view that it is asked about.
private struct CuriousSource: DatabaseSchemaSource {
  func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? {
    #expect(throws: DatabaseError.self) { try db.primaryKey(view.name) }
    guard try db.columns(in: view.name, in: view.schemaID.name).contains(where: { $0.name == "id" })
    else { return nil }
    return try db.primaryKey(view.name + "Table").columns
  }
}

private struct SilentSource: DatabaseSchemaSource {}

@Suite struct SchemaSourceTests {
  private static let views = """
    CREATE TABLE oneTable (id INTEGER PRIMARY KEY, x);
    CREATE VIEW one AS SELECT * FROM oneTable;
    CREATE VIEW Two AS SELECT 1 AS Code, 2 AS part;
    CREATE VIEW three AS SELECT 1 AS x;
    """

  @Test func `views have no primary key but what a source says`() throws {
    try EncryptedQueue.with(Self.views) { db throws in
      #expect(try db.columns(in: "two").map(\.name) == ["Code", "part"])
      let error = databaseError { try db.primaryKey("one") }
      #expect(error?.message == "no such table: one")
      #expect(try db.primaryKeyIfAny("one") == nil)
      try db.withSchemaSource(Source(keys: ["Two": ["PART", "code"], "three": []])) { () throws in
        #expect(try db.primaryKey("two").columns == ["part", "Code"])
        #expect(try !db.primaryKey("two").isRowID)
        #expect(try db.table("two", hasUniqueKey: ["code", "part"]))
        #expect(databaseError { try db.primaryKey("three") } != nil)
        #expect(databaseError { try db.primaryKey("one") } != nil)
        // The source doesn't change the keys of tables.
        #expect(try db.primaryKey("oneTable").columns == ["id"])
      }
      #expect(databaseError { try db.primaryKey("two") } != nil)
    }
  }

  @Test func `a source is in the configuration, and can be taken away`() throws {
    let database = try EncryptedQueue(Self.views) { $0.schemaSource = CuriousSource() }
    try database.queue.read { db throws in
      #expect(db.schemaSource is CuriousSource)
      #expect(try db.primaryKey("one").columns == ["id"])
      #expect(databaseError { try db.primaryKey("two") } != nil)
      try db.withSchemaSource(nil) { () throws in
        #expect(db.schemaSource == nil)
        #expect(databaseError { try db.primaryKey("one") } != nil)
      }
      #expect(try db.primaryKey("one").columns == ["id"])
    }
  }

  @Test func `sources are asked one after the other`() throws {
    let first = Source(keys: ["one": ["x"], "three": []])
    let second = Source(keys: ["one": ["id"], "Two": ["Code"], "three": ["x"]])
    try EncryptedQueue.with(Self.views) { db throws in
      func keys(_ source: any DatabaseSchemaSource) throws -> [[String]?] {
        try db.withSchemaSource(source) {
          try ["one", "two", "three"].map { try db.primaryKeyIfAny($0)?.columns }
        }
      }
      #expect(try keys(first.then(second)) == [["x"], ["Code"], nil])
      #expect(try keys(second.then(first)) == [["id"], ["Code"], ["x"]])
      #expect(try keys(SilentSource().then(first)) == [["x"], nil, nil])
    }
  }

  @Test func `a column that the view lacks is an error`() throws {
    try EncryptedQueue.with(Self.views) { db throws in
      try db.withSchemaSource(Source(keys: ["one": ["nope"]])) { () throws in
        #expect(databaseError { try db.primaryKey("one") }?.message == "no such column: nope")
      }
    }
  }

  @Test func `migrations run without the schema source, and can take it`() throws {
    let database = try EncryptedQueue(Self.views) { $0.schemaSource = CuriousSource() }
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { db in
      #expect(db.schemaSource == nil)
      db.withSchemaSource(CuriousSource()) { #expect(db.schemaSource is CuriousSource) }
      #expect(db.schemaSource == nil)
    }
    struct Failure: Error {}
    migrator.registerMigration("2") { _ in throw Failure() }
    #expect(throws: Failure.self) { try migrator.migrate(database.queue) }
    try database.use { db in #expect(db.schemaSource is CuriousSource) }
  }
}
