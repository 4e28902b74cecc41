import CofferTestSupport
import Testing

@testable import Coffer
@testable import CofferCore

@Suite("Observed rows", .timeLimit(.minutes(15)))
struct RowObservationTests {
  /// Changes of rows, and whether SQLite reports each row by its rowid.
  struct Change: CustomTestStringConvertible, Sendable {
    let sql: String
    let isExact: Bool

    init(_ sql: String, isExact: Bool = true) { (self.sql, self.isExact) = (sql, isExact) }

    var testDescription: String { sql }
  }

  static let schema = """
    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE, score INTEGER,
      teamId INTEGER REFERENCES team(id) ON DELETE CASCADE ON UPDATE CASCADE);
    CREATE TABLE profile (playerId INTEGER PRIMARY KEY
      REFERENCES player(id) ON DELETE CASCADE ON UPDATE CASCADE, text TEXT);
    CREATE TABLE hidden (name TEXT);
    CREATE TABLE strict (id INTEGER PRIMARY KEY ON CONFLICT REPLACE, name TEXT);
    CREATE TABLE moving (shift INTEGER);
    CREATE TRIGGER moves AFTER INSERT ON moving BEGIN
      UPDATE hidden SET rowid = rowid + new.shift;
      UPDATE team SET id = id + new.shift;
    END;
    CREATE TABLE replacing (id INTEGER);
    CREATE TRIGGER replaces AFTER INSERT ON replacing BEGIN
      INSERT OR REPLACE INTO player (id, name) VALUES (new.id, 'b');
    END;
    INSERT INTO team VALUES (1, 'x'), (2, 'y');
    INSERT INTO player VALUES (1, 'a', 10, 1), (2, 'b', 20, 1), (3, 'c', 30, 2);
    INSERT INTO profile VALUES (1, 'p'), (2, 'q');
    INSERT INTO hidden VALUES ('h'), ('i');
    INSERT INTO strict VALUES (1, 's'), (2, 't');
    """

  static let changes = [
    Change("INSERT INTO player (id, name) VALUES (5, 'e')"),
    Change("INSERT INTO player (name) VALUES ('e'), ('f')"),
    Change("UPDATE player SET score = 0 WHERE id = 3"),
    Change("UPDATE player SET score = score + 1"),
    Change("UPDATE player SET id = 7 WHERE id = 1", isExact: false),
    Change("UPDATE player SET rowid = 7 WHERE id = 1", isExact: false),
    Change("UPDATE player SET _rowid_ = 7 WHERE id = 1", isExact: false),
    Change("UPDATE player SET OID = id + 10", isExact: false),
    Change("UPDATE player SET ID = -id", isExact: false),
    Change("UPDATE OR REPLACE player SET id = 2 WHERE id = 1", isExact: false),
    Change("UPDATE OR REPLACE player SET name = 'b' WHERE id = 1", isExact: false),
    Change("UPDATE OR IGNORE player SET name = 'b', score = 5", isExact: true),
    Change("INSERT OR REPLACE INTO player (id, name) VALUES (9, 'a')", isExact: false),
    Change("REPLACE INTO player (id, name) VALUES (1, 'b')", isExact: false),
    Change("INSERT INTO strict VALUES (1, 'other')", isExact: false),
    Change("UPDATE strict SET name = 'other' WHERE id = 2", isExact: false),
    Change("INSERT INTO replacing VALUES (9)", isExact: false),
    Change("INSERT INTO moving VALUES (4)", isExact: false),
    Change("UPDATE hidden SET rowid = 9 WHERE rowid = 1", isExact: false),
    Change("UPDATE hidden SET name = 'j' WHERE rowid = 1"),
    Change("UPDATE team SET id = 8 WHERE id = 1", isExact: false),
    Change("DELETE FROM team WHERE id = 1"),
    Change("DELETE FROM player WHERE id = 2"),
    Change("DELETE FROM player"),
    Change("DELETE FROM hidden"),
    Change("BEGIN; UPDATE player SET id = 7 WHERE id = 1; COMMIT", isExact: false),
    Change(
      "SAVEPOINT s; UPDATE player SET id = 7 WHERE id = 1; RELEASE s", isExact: false),
    Change("BEGIN; SAVEPOINT s; DELETE FROM player; ROLLBACK TO s; RELEASE s; COMMIT"),
    Change("BEGIN; DELETE FROM player; ROLLBACK"),
    Change("ALTER TABLE player ADD COLUMN more DEFAULT 1", isExact: false),
    Change("ALTER TABLE profile RENAME TO other", isExact: false),
    Change("DROP TABLE profile", isExact: false),
    Change("DROP TABLE hidden; CREATE TABLE hidden (name TEXT)", isExact: false),
  ]

  private static let tables = [
    ("player", "id"), ("profile", "playerId"), ("hidden", "rowid"), ("team", "id"),
    ("strict", "id"),
  ]
  private static let ids: [Int64] = [-1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11]

  private static func row(
    _ db: Database, _ table: String, _ column: String, _ id: Int64
  ) throws -> Row? {
    guard try db.tableExists(table) else { return nil }
    return try Row.fetchOne(db, sql: "SELECT *, \(column) FROM \(table) WHERE \(column) = \(id)")
  }

  @Test(arguments: changes)
  func `no change of a row is missed, and few others are reported`(_ change: Change) throws {
    let database = try EncryptedQueue(Self.schema)
    let queue = database.queue
    var observed: [(table: (String, String), id: Int64, log: ValueLog<Int>)] = []
    var cancellables: [AnyDatabaseCancellable] = []
    for table in Self.tables {
      for id in Self.ids {
        let log = ValueLog<Int>()
        let request = Table(table.0).filter(Column(table.1) == id)
        cancellables.append(
          DatabaseRegionObservation(tracking: request).start(in: queue, onError: log.fail) { _ in
            log.append(1)
          })
        observed.append((table, id, log))
      }
    }
    func rows() throws -> [Row?] {
      try queue.read { db throws in
        try observed.map { try Self.row(db, $0.table.0, $0.table.1, $0.id) }
      }
    }
    let before = try rows()
    try queue.writeWithoutTransaction { try $0.execute(sql: change.sql) }
    let after = try rows()
    for (index, (table, id, log)) in observed.enumerated() {
      let isTold = !log.values.isEmpty || !log.errors.isEmpty
      if before[index] != after[index] {
        #expect(isTold, "\(table.0) \(id)")
      } else if change.isExact {
        #expect(!isTold, "\(table.0) \(id)")
      }
    }
    for cancellable in cancellables { cancellable.cancel() }
  }

  @Test(.enabled(if: SQLiteFeatures.linked.hasUpsert))
  func `an upsert that moves a row is reported`() throws {
    let database = try EncryptedQueue(Self.schema)
    let log = ValueLog<Int>()
    let cancellable = DatabaseRegionObservation(
      tracking: Table("player").filter(Column("id") == 1)
    ).start(in: database.queue, onError: log.fail) { _ in log.append(1) }
    try database.queue.write { db in
      try db.execute(
        sql: """
          INSERT INTO player (id, name) VALUES (4, 'a')
          ON CONFLICT (name) DO UPDATE SET id = excluded.id
          """)
    }
    #expect(log.values == [1])
    cancellable.cancel()
  }

  @Test func `the changes of a trigger made after a statement was prepared are reported`() throws {
    let database = try EncryptedQueue(Self.schema)
    let log = ValueLog<Int>()
    let cancellable = DatabaseRegionObservation(
      tracking: Table("player").filter(Column("id") == 1)
    ).start(in: database.queue, onError: log.fail) { _ in log.append(1) }
    try database.queue.inDatabase { db in
      let statement = try db.makeStatement(sql: "UPDATE team SET name = 'z'")
      try statement.execute()
      #expect(log.values == [])
      try DatabaseQueue(path: database.path, configuration: database.queue.configuration)
        .write { db in
          try db.execute(
            sql: """
              CREATE TRIGGER late AFTER UPDATE ON team BEGIN
                UPDATE player SET id = id + 50 WHERE id = 1;
              END
              """)
        }
      try statement.execute()
      #expect(log.values == [1])
      try statement.execute()
    }
    cancellable.cancel()
  }

  // MARK: Values

  private struct Player: Codable, FetchableRecord, PersistableRecord, Identifiable, Equatable {
    var id: Int64
    var name: String
    var score: Int?
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a record is fetched again where it changes, not where others do`(
    kind: EncryptedDatabase.Kind
  ) async throws {
    let database = try ObservedDatabase(kind)
    try database.execute("DROP TABLE player; DROP TABLE team;" + Self.schema)
    let log = ValueLog<Player?>()
    let regions = ValueLog<String>()
    let cancellable = ValueObservation.tracking { try Player.fetchOne($0, id: 2) }
      .handleEvents(willTrackRegion: { regions.append($0.description) })
      .start(in: database.writer, log)
    _ = await log.values(atLeast: 1)
    while try database.observerCount == 0 { await Task.yield() }
    // Each reported change gives a value.
    let execute = database.execute
    try execute("UPDATE player SET score = 0 WHERE id = 1")
    try execute("DELETE FROM player WHERE id = 3")
    try execute("INSERT INTO player (id, name) VALUES (4, 'd')")
    try execute("UPDATE player SET score = 21 WHERE id = 2")
    let second = await log.values(atLeast: 2)
    #expect(second.map { $0?.score } == [20, 21])
    try execute("UPDATE player SET id = 12 WHERE id = 2")
    let third = await log.values(atLeast: 3)
    #expect(third.last == Player?.none)
    try execute("UPDATE player SET score = 3 WHERE id = 12")
    try execute("UPDATE player SET id = 2 WHERE id = 12")
    let fourth = await log.values(atLeast: 4)
    #expect(fourth.count == 4 && fourth.last??.score == 3)
    #expect(regions.values == ["player(id,name,score,teamId)[2]"])
    cancellable.cancel()
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `the rows that are observed may be others after each change`(
    kind: EncryptedDatabase.Kind
  ) async throws {
    let database = try ObservedDatabase(kind)
    try database.execute("DROP TABLE player; DROP TABLE team;" + Self.schema)
    let log = ValueLog<String?>()
    // The player with the id that is the score of player 1.
    let cancellable = ValueObservation.tracking { db -> String? in
      guard let first = try Player.fetchOne(db, id: 1), let id = first.score else { return nil }
      return try Player.fetchOne(db, id: Int64(id))?.name
    }.start(in: database.writer, log)
    _ = await log.values(atLeast: 1)
    while try database.observerCount == 0 { await Task.yield() }
    let execute = database.execute
    try execute("UPDATE player SET score = 2 WHERE id = 1")
    _ = await log.values(until: "b")
    try execute("UPDATE player SET name = 'B' WHERE id = 2")
    _ = await log.values(until: "B")
    try execute("UPDATE player SET score = 3 WHERE id = 1")
    _ = await log.values(until: "c")
    try execute("UPDATE player SET name = 'unseen' WHERE id = 2")
    try execute("UPDATE player SET name = 'C' WHERE id = 3")
    let values = await log.values(until: "C")
    #expect(values == [nil, "b", "B", "c", "C"])
    cancellable.cancel()
  }

  private struct Team: TableRecord, FetchableRecord, Decodable {
    static let players = hasMany(Member.self)
    var id: Int64
  }

  private struct Member: TableRecord, FetchableRecord, Decodable {
    static let databaseTableName = "player"
    static let team = belongsTo(Team.self)
    var name: String
  }

  @Test func `joined and prefetched rows are all observed`() throws {
    let database = try EncryptedQueue(Self.schema)
    try database.queue.read { db throws in
      let joined = Member.filter(key: 1).including(required: Member.team)
      #expect(
        try joined.databaseRegion(db).description
          == "player(id,name,score,teamId)[1],team(id,name)")
      let prefetched = Team.filter(key: 1).including(all: Team.players)
      #expect(
        try prefetched.databaseRegion(db).description
          == "player(id,name,score,teamId),team(id,name)[1]")
      let own = Team.players.including(required: Member.team.forKey("own"))
      #expect(
        try Team.filter(key: 1).including(all: own).databaseRegion(db).description
          == "player(id,name,score,teamId),team(id,name)")
    }
  }

  @Test func `a new prefetched row is reported`() async throws {
    let database = try EncryptedQueue(Self.schema)
    let log = ValueLog<Int>()
    let cancellable = ValueObservation.tracking { db in
      try Team.filter(key: 1).including(all: Team.players).asRequest(of: Row.self).fetchAll(db)
        .reduce(0) { $0 + ($1.prefetchedRows["players"]?.count ?? 0) }
    }.start(in: database.queue, log)
    _ = await log.values(atLeast: 1)
    try await database.queue.write { try $0.execute(sql: "UPDATE player SET teamId = 1") }
    let values = await log.values(until: 3)
    #expect(values == [2, 3])
    cancellable.cancel()
  }

  @Test func `a list of some rows is fetched again where one of them changes`() async throws {
    let database = try EncryptedQueue(Self.schema)
    let controller = try FetchedRecordsController(
      database.queue, request: Player.filter(ids: [1, 2]).order(Column("id")))
    let log = ValueLog<Int>()
    controller.trackChanges { controller in log.append(controller.fetchedRecords.count) }
    try controller.performFetch()
    try await database.queue.write { try $0.execute(sql: "DELETE FROM player WHERE id = 3") }
    try await database.queue.write { try $0.execute(sql: "DELETE FROM player WHERE id = 2") }
    let values = await log.values(atLeast: 1)
    #expect(values == [1])
  }

  // MARK: Cost

  /// Observes a row, and counts its calls.
  private final class RowCounter: SelectiveTransactionObserver {
    let row: Int64
    var asked = 0, told = 0, ends = 0

    init(row: Int64) { self.row = row }

    var observedTables: Set<String>? { ["player"] }
    var observedRows: [String: Set<Int64>] { ["player": [row]] }
    func observes(eventsOfKind kind: DatabaseEventKind) -> Bool {
      asked += 1
      return kind.tableName == "player"
    }
    func databaseDidChange() { told += 1 }
    func databaseDidChange(with event: DatabaseEvent) { told += 1 }
    func databaseDidCommit(_ db: Database) { ends += 1 }
    func databaseDidRollback(_ db: Database) { ends += 1 }
  }

  @Test func `a commit reaches only observers of its rows`() throws {
    let database = try EncryptedQueue(Self.schema)
    try database.queue.inDatabase { db in
      let counters = (1...1000).map { RowCounter(row: $0) }
      for counter in counters { db.add(transactionObserver: counter) }
      try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 2")
      try db.execute(sql: "UPDATE team SET name = 'z'")
      try db.execute(sql: "INSERT INTO player (id, name) VALUES (500, 'n')")
      for counter in counters {
        let isTouched = counter.row == 2 || counter.row == 500
        #expect(counter.told == (isTouched ? 1 : 0))
        #expect(counter.ends == (isTouched ? 1 : 0))
        #expect((counter.asked > 0) == isTouched)
      }
      db.remove(transactionObserver: counters[1])
      try db.execute(sql: "UPDATE player SET score = 2 WHERE id = 2")
      #expect(counters[1].told == 1)
      try db.execute(sql: "UPDATE player SET id = id + 5000 WHERE id = 1")
      #expect(counters.count { $0.ends == 1 } >= 997)
    }
  }
}
