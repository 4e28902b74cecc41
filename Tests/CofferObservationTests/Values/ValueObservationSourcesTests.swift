import CofferTestSupport
import Testing

@testable import Coffer
@testable import CofferCore

/// Values that depend on more than the tables that their SQL names.
@Suite("What observed values depend on", .timeLimit(.minutes(15)))
struct ValueObservationSourcesTests {
  private func expectObserved(
    _ kind: EncryptedDatabase.Kind, _ schema: String, _ sql: String, _ change: String,
    _ values: [String], location: SourceLocation = #_sourceLocation
  ) async throws {
    let database = try EncryptedDatabase(kind)
    try execute(schema, database)
    let log = ValueLog<String>()
    let cancellable = ValueObservation.tracking { db in
      try String.fetchAll(db, sql: sql).joined(separator: ",")
    }.start(in: database.writer, log)
    _ = await log.values(atLeast: 1)
    try execute(change, database)
    // A change that is missed leaves nothing to wait for: this one is always seen.
    let last = try #require(values.last)
    let arrived = try await database.writer.read { try String.fetchAll($0, sql: sql) }
      .joined(separator: ",")
    #expect(arrived == last, sourceLocation: location)
    #expect(await log.values(until: last) == values, sourceLocation: location)
    cancellable.cancel()
  }

  private func execute(_ sql: String, _ database: EncryptedDatabase) throws {
    try database.writer.writeWithoutTransaction { try $0.execute(sql: sql) }
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `views that are made anew, and tables that hide others`(kind: EncryptedDatabase.Kind)
    async throws
  {
    let schema = "CREATE TABLE t (x, y); INSERT INTO t VALUES ('x', 'y');"
    try await expectObserved(
      kind, schema + "CREATE VIEW v AS SELECT x FROM t; CREATE VIEW w AS SELECT x AS z FROM v",
      "SELECT z FROM w", "BEGIN; DROP VIEW v; CREATE VIEW v AS SELECT y AS x FROM t; COMMIT",
      ["x", "y"])
    guard kind == .queue else { return }
    try await expectObserved(
      kind, schema, "SELECT x FROM t", "CREATE TEMP TABLE t AS SELECT 'temp' AS x", ["x", "temp"])
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `internal tables`(kind: EncryptedDatabase.Kind) async throws {
    let schema = """
      CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, x); INSERT INTO t VALUES (3, 1)
      """
    let sequence = "SELECT CAST(seq AS TEXT) FROM sqlite_sequence"
    try await expectObserved(kind, schema, sequence, "INSERT INTO t (x) VALUES (2)", ["3", "4"])
    try await expectObserved(kind, schema, sequence, "DELETE FROM sqlite_sequence", ["3", ""])
    let names = "SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite%' ORDER BY name"
    try await expectObserved(kind, schema, names, "CREATE TABLE u (x)", ["t", "t,u"])
    try await expectObserved(kind, schema, names, "DROP TABLE t", ["t", ""])
    try await expectObserved(kind, schema, names, "CREATE VIEW u AS SELECT 1", ["t", "t,u"])
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `pragmas`(kind: EncryptedDatabase.Kind) async throws {
    try await expectObserved(
      kind, "PRAGMA user_version = 1", "PRAGMA user_version", "PRAGMA user_version = 2", ["1", "2"])
    guard SQLiteFeatures.linked.hasJSON else { return }
    try await expectObserved(
      kind, "CREATE TABLE t (a)", "SELECT name FROM pragma_table_info('t')",
      "ALTER TABLE t ADD COLUMN b", ["a", "a,b"])
    try await expectObserved(
      kind, "CREATE TABLE t (a)", "SELECT user_version FROM pragma_user_version",
      "BEGIN; PRAGMA user_version = 7; COMMIT", ["0", "7"])
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `full-text tables and what stores their content`(kind: EncryptedDatabase.Kind) async throws {
    let schema = """
      CREATE TABLE t (id INTEGER PRIMARY KEY, body); INSERT INTO t VALUES (1, 'one');
      CREATE VIRTUAL TABLE f USING fts4(content="t", body);
      INSERT INTO f (docid, body) VALUES (1, 'one');
      CREATE VIRTUAL TABLE g USING fts4(body); INSERT INTO g VALUES ('one');
      """
    try await expectObserved(
      kind, schema, "SELECT body FROM f WHERE f MATCH 'one'", "UPDATE t SET body = 'ONE'",
      ["one", "ONE"])
    let count = "SELECT CAST(count(*) AS TEXT) FROM g WHERE g MATCH 'two'"
    try await expectObserved(kind, schema, count, "UPDATE g SET body = 'two'", ["0", "1"])
    try await expectObserved(
      kind, schema, "SELECT c0body FROM g_content", "UPDATE g SET body = 'two'", ["one", "two"])
    try await expectObserved(
      kind, schema, "SELECT body FROM g", "UPDATE g_content SET c0body = 'two'", ["one", "two"])
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a backup into the observed database`(kind: EncryptedDatabase.Kind) async throws {
    let schema = "CREATE TABLE t (x); INSERT INTO t VALUES"
    let source = try EncryptedDatabase(.queue, schema + "('new')")
    let target = try EncryptedDatabase(kind, schema + "('old')")
    let (values, regions) = (ValueLog<String?>(), ValueLog<Int>())
    let cancellables = [
      ValueObservation.tracking { try String.fetchOne($0, sql: "SELECT x FROM t") }
        .start(in: target.writer, values),
      DatabaseRegionObservation(tracking: Table("t"))
        .start(in: target.writer, onError: regions.fail) { _ in regions.append(1) },
    ]
    _ = await values.values(until: "old")
    try source.writer.backup(to: target.writer)
    #expect(await values.values(until: "new") == ["old", "new"])
    #expect(regions.values == [1])
    for cancellable in cancellables { cancellable.cancel() }
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases, CountTracking.allCases)
  func `a database that a migrator erases and builds anew`(
    kind: EncryptedDatabase.Kind, tracking: CountTracking
  ) async throws {
    func migrator(_ columns: String) -> DatabaseMigrator {
      var migrator = DatabaseMigrator()
      migrator.eraseDatabaseOnSchemaChange = true
      migrator.registerMigration("other") { try $0.execute(sql: "CREATE TABLE other (\(columns))") }
      migrator.registerMigration("player") { db in
        try db.execute(sql: "CREATE TABLE player (id, name); INSERT INTO player VALUES (1, 'a')")
      }
      return migrator
    }
    let database = try EncryptedDatabase(kind)
    try migrator("x").migrate(database.writer)
    try execute("INSERT INTO player VALUES (2, 'b')", database)
    let (log, regions) = (ValueLog<Int>(), ValueLog<Int>())
    let cancellables = [
      tracking.observation.start(in: database.writer, log),
      DatabaseRegionObservation(tracking: SQLRequest<Row>(sql: "SELECT id FROM player"))
        .start(in: database.writer, onError: regions.fail) { _ in regions.append(1) },
    ]
    _ = await log.values(until: 2)
    try migrator("y").migrate(database.writer)
    #expect(await log.values(until: 1) == [2, 1])
    #expect(regions.values == [1] && regions.errors.isEmpty)
    try execute("INSERT INTO player VALUES (3, 'c')", database)
    #expect(await log.values(until: 2) == [2, 1, 2])
    for cancellable in cancellables { cancellable.cancel() }
  }
}
