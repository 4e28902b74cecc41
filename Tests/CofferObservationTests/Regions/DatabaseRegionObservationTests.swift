import CofferTestSupport
import Dispatch
import Synchronization
import Testing

@testable import Coffer

@Suite("Observed regions", .timeLimit(.minutes(15)))
struct DatabaseRegionObservationTests {
  private func start(
    _ observation: DatabaseRegionObservation, _ database: ObservedDatabase, _ log: ValueLog<Int>
  ) -> AnyDatabaseCancellable {
    observation.start(in: database.writer, onError: log.fail) { db in
      #expect(!db.isInsideTransaction)
      do {
        log.append(try Int.fetchOne(db, sql: "SELECT count(*) FROM player") ?? -1)
      } catch { log.fail(error) }
    }
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `commits that change one of the regions are reported at once`(kind: EncryptedDatabase.Kind)
    throws
  {
    let database = try ObservedDatabase(kind)
    let observations = [
      DatabaseRegionObservation(tracking: Table("player"), Table("team")),
      DatabaseRegionObservation(
        tracking: [
          SQLRequest<Row>(sql: "SELECT * FROM player"), SQLRequest<Row>(sql: "SELECT * FROM team"),
        ]),
      DatabaseRegionObservation(
        tracking: AnyDatabaseRegionConvertible { db in
          try Table("player").databaseRegion(db).union(Table("team").databaseRegion(db))
        }),
    ]
    for observation in observations {
      try database.execute("DELETE FROM player; DELETE FROM team; DELETE FROM other")
      let log = ValueLog<Int>()
      let cancellable = start(observation, database, log)
      try database.execute("INSERT INTO player (id) VALUES (1)")
      #expect(log.values == [1])
      try database.execute("INSERT INTO team (id) VALUES (1)")
      try database.execute("INSERT INTO other (id) VALUES (1)")
      try database.execute("BEGIN; INSERT INTO player (id) VALUES (2); ROLLBACK")
      try database.execute(
        """
        BEGIN; SAVEPOINT a; INSERT INTO player (id) VALUES (2); ROLLBACK TO a;
        INSERT INTO other (id) VALUES (2); COMMIT
        """)
      #expect(log.values == [1, 1])
      try database.execute(
        "BEGIN; INSERT INTO player (id) VALUES (2); INSERT INTO player (id) VALUES (3); COMMIT")
      try database.execute("UPDATE player SET team = 1")
      try database.execute("DELETE FROM team")
      #expect(log.values == [1, 1, 3, 3, 0])
      #expect(log.errors.isEmpty)
      cancellable.cancel()
    }
    #expect(try database.observerCount == 0)
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `columns, the whole database, and nothing can be observed`(kind: EncryptedDatabase.Kind)
    throws
  {
    let database = try ObservedDatabase(kind)
    try database.execute("INSERT INTO player (id) VALUES (1)")
    let names = ValueLog<Int>()
    let all = ValueLog<Int>()
    let none = ValueLog<Int>()
    let cancellables = [
      start(
        DatabaseRegionObservation(tracking: SQLRequest<Row>(sql: "SELECT name FROM player")),
        database, names),
      start(DatabaseRegionObservation(tracking: .fullDatabase), database, all),
      start(DatabaseRegionObservation(tracking: []), database, none),
    ]
    try database.execute("UPDATE player SET score = 1")
    try database.execute("UPDATE player SET name = 'x'")
    try database.execute("INSERT INTO other (id) VALUES (1)")
    try database.execute("CREATE TABLE new (id)")
    try database.execute("INSERT INTO new VALUES (1)")
    #expect(names.values.count == 1)
    #expect(all.values.count == 5)
    #expect(none.values.isEmpty)
    for cancellable in cancellables { cancellable.cancel() }
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `an error while the region is computed is reported`(kind: EncryptedDatabase.Kind) throws {
    let database = try ObservedDatabase(kind)
    let log = ValueLog<Int>()
    let unknown = start(
      DatabaseRegionObservation(tracking: SQLRequest<Row>(sql: "SELECT * FROM nothing")), database,
      log)
    #expect(log.errors.count == 1)
    let dropped = start(
      DatabaseRegionObservation(tracking: SQLRequest<Row>(sql: "SELECT * FROM player")), database,
      log)
    try database.execute("DROP TABLE player")
    #expect(log.errors.count == 2)
    #expect(log.values.isEmpty)
    #expect(try database.observerCount == 0)
    try database.writer.close()
    let closed = start(DatabaseRegionObservation(tracking: Table("other")), database, log)
    #expect(log.errors.count == 3)
    for cancellable in [unknown, dropped, closed] { cancellable.cancel() }
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a cancelled observation reports nothing`(kind: EncryptedDatabase.Kind) throws {
    let database = try ObservedDatabase(kind)
    let log = ValueLog<Int>()
    let cancellable = start(
      DatabaseRegionObservation(tracking: Table("player")), database, log)
    // Between a change and its commit.
    try database.write { db in
      try db.execute(sql: "INSERT INTO player (id) VALUES (1)")
      cancellable.cancel()
    }
    #expect(log.values.isEmpty)
    #expect(try database.observerCount == 0)
    // The observation is cancelled by its own callback.
    let inner = Mutex<AnyDatabaseCancellable?>(nil)
    let new = DatabaseRegionObservation(tracking: Table("player")).start(
      in: database.writer, onError: log.fail
    ) { _ in
      log.append(0)
      inner.withLock(\.self)?.cancel()
    }
    inner.withLock { $0 = new }
    try database.execute("INSERT INTO player (id) VALUES (2)")
    try database.execute("INSERT INTO player (id) VALUES (3)")
    #expect(log.values == [0])
    #expect(try database.observerCount == 0)
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `an observation that begins inside a write gets the rest of it`(kind: EncryptedDatabase.Kind)
    throws
  {
    let database = try ObservedDatabase(kind)
    let log = ValueLog<Int>()
    let observation = DatabaseRegionObservation(tracking: Table("player"))
    let cancellables = try database.write { db in
      try db.execute(sql: "INSERT INTO player (id) VALUES (1)")
      return [start(observation, database, log)]
    }
    #expect(log.values.isEmpty)
    let more = try database.write { db in
      let cancellable = start(observation, database, log)
      try db.execute(sql: "INSERT INTO player (id) VALUES (2)")
      return [cancellable]
    }
    #expect(log.values == [2, 2])
    for cancellable in cancellables + more { cancellable.cancel() }
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `an observer of a region may write`(kind: EncryptedDatabase.Kind) throws {
    let database = try ObservedDatabase(kind)
    let log = ValueLog<Int>()
    let cancellable = DatabaseRegionObservation(tracking: Table("player")).start(
      in: database.writer, onError: log.fail
    ) { db in
      do {
        let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM player") ?? -1
        log.append(count)
        if count < 3 { try db.execute(sql: "INSERT INTO player (id) VALUES (NULL)") }
      } catch { log.fail(error) }
    }
    try database.execute("INSERT INTO player (id) VALUES (1)")
    #expect(log.values == [1, 2, 3])
    cancellable.cancel()
  }
}
