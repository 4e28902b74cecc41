@testable import CofferCore
import CofferExpectations
@testable import CofferQuery
import CofferTestSupport
import Testing

@Suite struct VirtualTableTests {
  /// A module with custom arguments, which logs its calls.
  final class RTree: VirtualTableModule {
    final class TableDefinition { var columns: [String] = [] }

    let moduleName = "rtree"
    var configurations: [Bool] = []
    var created: [String] = []
    var fails = false

    func makeTableDefinition(configuration: VirtualTableConfiguration) -> TableDefinition {
      configurations.append(configuration.ifNotExists)
      return TableDefinition()
    }

    func moduleArguments(for definition: TableDefinition, in db: Database) throws -> [String] {
      definition.columns
    }

    func database(
      _ db: Database, didCreate tableName: String, using definition: TableDefinition
    ) throws {
      created.append(tableName)
      try db.execute(sql: "INSERT INTO \(tableName) VALUES (1, 2, 3)")
      if fails { throw TestError() }
    }
  }

  @Test func `a module's name is taken as it is`() throws {
    try EncryptedQueue.with { db in
      try db.create(virtualTable: "my \"docs\"", using: "fts4(title, body)")
      #expect(
        try db.creationSQL("my \"docs\"")
          == "CREATE VIRTUAL TABLE \"my \"\"docs\"\"\" USING fts4(title, body)")
      try db.execute(sql: "INSERT INTO \"my \"\"docs\"\"\" VALUES ('a', 'b')")
    }
  }

  @Test func `options are part of the SQL`() throws {
    try EncryptedQueue.with { db in
      let statements = try db.tracedCreations {
        try db.create(virtualTable: "a", using: "fts4")
        try db.create(virtualTable: "b", options: .ifNotExists, using: "fts4")
        try db.create(virtualTable: "c", options: .temporary, using: "fts4")
        try db.create(virtualTable: "d", options: [.ifNotExists, .temporary], using: "fts4")
        try db.create(virtualTable: "e", ifNotExists: true, using: "fts4")
        try db.create(virtualTable: "f", ifNotExists: false, using: "fts4")
      }
      #expect(
        statements == [
          "CREATE VIRTUAL TABLE \"a\" USING fts4",
          "CREATE VIRTUAL TABLE IF NOT EXISTS \"b\" USING fts4",
          "CREATE VIRTUAL TABLE temp.\"c\" USING fts4",
          "CREATE VIRTUAL TABLE IF NOT EXISTS temp.\"d\" USING fts4",
          "CREATE VIRTUAL TABLE IF NOT EXISTS \"e\" USING fts4",
          "CREATE VIRTUAL TABLE \"f\" USING fts4",
        ])
      let temporary = try String.fetchAll(
        db, sql: "SELECT name FROM sqlite_temp_master WHERE name IN ('a', 'c', 'd') ORDER BY name")
      #expect(temporary == ["c", "d"])
    }
  }

  @Test func `an existing table is an error, or is left alone`() throws {
    try EncryptedQueue.with { db in
      try db.create(virtualTable: "a", using: FTS4()) { $0.column("x") }
      try db.execute(sql: "INSERT INTO a VALUES ('kept')")
      let error = databaseError {
        try db.create(virtualTable: "a", using: FTS4()) { $0.column("y") }
      }
      #expect(
        error?.message == "table \"a\" already exists" || error?.message == "table a already exists"
      )
      try db.create(virtualTable: "a", options: .ifNotExists, using: FTS4()) { $0.column("y") }
      try db.create(virtualTable: "a", ifNotExists: true, using: FTS4()) { $0.column("y") }
      #expect(try String.fetchAll(db, sql: "SELECT x FROM a") == ["kept"])
    }
  }

  @Test func `a custom module has a definition, and gets the table`() throws {
    try EncryptedQueue.with { db in
      let module = RTree()
      try db.create(virtualTable: "area", options: .ifNotExists, using: module) { t in
        t.columns = ["id", "low", "high"]
      }
      #expect(
        try db.creationSQL("area") == "CREATE VIRTUAL TABLE \"area\" USING rtree(id, low, high)")
      #expect(module.configurations == [true])
      #expect(module.created == ["area"])
      #expect(try Int.fetchOne(db, sql: "SELECT id FROM area WHERE low < 3") == 1)
    }
  }

  @Test func `nothing is created where the module or the body throws`() throws {
    try EncryptedQueue.with { db throws in
      let module = RTree()
      module.fails = true
      #expect(throws: TestError.self) {
        try db.create(virtualTable: "area", using: module) { $0.columns = ["id", "low", "high"] }
      }
      #expect(try db.creationSQL("area") == nil)
      #expect(!db.isInsideTransaction)
      #expect(throws: TestError.self) {
        try db.create(virtualTable: "docs", using: FTS4()) { _ in throw TestError() }
      }
      #expect(try db.creationSQL("docs") == nil)
    }
  }

  @Test func `an unknown module is SQLite's error`() throws {
    try EncryptedQueue.with { db in
      #expect(
        databaseError { try db.create(virtualTable: "a", using: "nowhere") }?.message
          == "no such module: nowhere")
    }
  }

  @Test func `a virtual table is rolled back with its transaction`() throws {
    let database = try EncryptedQueue()
    try database.queue.inDatabase { db in
      try db.inTransaction {
        try db.create(virtualTable: "a", using: FTS4())
        try db.execute(sql: "INSERT INTO a VALUES ('x')")
        return .rollback
      }
      #expect(try db.creationSQL("a") == nil)
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0)
    }
  }
}
