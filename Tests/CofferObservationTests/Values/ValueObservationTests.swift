import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@testable import Coffer

@Suite("Observed values", .timeLimit(.minutes(15)))
struct ValueObservationTests {
  @Test(arguments: EncryptedDatabase.Kind.allCases, CountTracking.allCases)
  func `there is a first value, and one after each commit that touches the region`(
    kind: EncryptedDatabase.Kind, tracking: CountTracking
  ) async throws {
    let database = try ObservedDatabase(kind)
    let log = ValueLog<Int>()
    let cancellable = tracking.observation.start(in: database.writer, log)
    #expect(await log.values(until: 0) == [0])
    // Wait for each: commits in quick succession may share a value.
    for (index, sql) in Self.changes.enumerated() {
      try database.execute(sql)
      #expect(await log.values(atLeast: index + 2).count == index + 2, "\(sql)")
    }
    #expect(log.values == [0, 1, 2, 4, 4, 3, 2, 3, 2, 0])
    cancellable.cancel()
  }

  private static let changes = [
    "INSERT INTO player (id) VALUES (1)",
    "BEGIN; INSERT INTO team (id) VALUES (1); INSERT INTO player (id, team) VALUES (2, 1); COMMIT",
    "SAVEPOINT a; INSERT INTO player (id) VALUES (3); INSERT INTO player (id) VALUES (4); RELEASE a",
    "REPLACE INTO player (id) VALUES (4)",
    "DELETE FROM team",  // A foreign key's action.
    "DELETE FROM player WHERE id = 4",
    """
    CREATE TRIGGER t AFTER INSERT ON other BEGIN
      INSERT INTO player (id) VALUES (new.id);
    END;
    INSERT INTO other (id) VALUES (10)
    """,
    "BEGIN; DELETE FROM player WHERE id = 10; SAVEPOINT a; DELETE FROM player; ROLLBACK TO a; COMMIT",
    "DELETE FROM player",
  ]

  @Test(arguments: EncryptedDatabase.Kind.allCases, CountTracking.allCases)
  func `commits that don't touch the region notify no observer`(
    kind: EncryptedDatabase.Kind, tracking: CountTracking
  ) async throws {
    let database = try ObservedDatabase(kind)
    try database.execute("INSERT INTO player (id) VALUES (1)")
    let log = ValueLog<Int>()
    let cancellable = tracking.observation.start(in: database.writer, log)
    #expect(await log.values(until: 1) == [1])
    for sql in [
      "INSERT INTO other (id) VALUES (1)",
      "UPDATE player SET name = 'x', score = 1",
      "BEGIN; INSERT INTO player (id) VALUES (2); ROLLBACK",
      "BEGIN; SAVEPOINT a; INSERT INTO player (id) VALUES (2); ROLLBACK TO a; RELEASE a; COMMIT",
      "BEGIN; COMMIT",
      "DELETE FROM player WHERE id = 17",
      "CREATE TABLE new (id); INSERT INTO new VALUES (1); ALTER TABLE new ADD COLUMN x; DROP TABLE new",
      "CREATE INDEX i ON player(name)",
      "ANALYZE",
    ] { try database.execute(sql) }
    #expect(throws: DatabaseError.self) {
      try database.execute("INSERT INTO player (id) VALUES (2), (1)")
    }
    #expect(throws: TestError.self) {
      try database.write { db in
        try db.execute(sql: "INSERT INTO player (id) VALUES (2)")
        throw TestError()
      }
    }
    try database.execute("INSERT INTO player (id) VALUES (2), (3)")
    #expect(await log.values(until: 3) == [1, 3])
    cancellable.cancel()
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `records and their requests are observed`(kind: EncryptedDatabase.Kind) async throws {
    struct Player: Codable, FetchableRecord, PersistableRecord, Sendable, Equatable {
      var id: Int64
      var name: String
    }
    let database = try ObservedDatabase(kind)
    let all = ValueLog<[Player]>()
    let one = ValueLog<Player?>()
    let count = ValueLog<Int>()
    let names = ValueLog<[String]>()
    let name = ValueLog<String?>()
    let request = Player.all().order(Column("id"))
    let nameRequest = request.select(Column("name"), as: String.self)
    let observations = [
      ValueObservation.trackingAll(request).start(in: database.writer, all),
      ValueObservation.trackingOne(request).start(in: database.writer, one),
      ValueObservation.trackingCount(request).start(in: database.writer, count),
      ValueObservation.trackingAll(nameRequest).start(in: database.writer, names),
      ValueObservation.trackingOne(nameRequest).start(in: database.writer, name),
    ]
    for log in [count] { _ = await log.values(until: 0) }
    _ = await (all.values(atLeast: 1), one.values(atLeast: 1), names.values(atLeast: 1))
    _ = await name.values(atLeast: 1)
    let arthur = Player(id: 1, name: "Arthur")
    let barbara = Player(id: 1, name: "Barbara")
    try database.write { try arthur.insert($0) }
    _ = await (
      all.values(atLeast: 2), one.values(atLeast: 2), names.values(atLeast: 2),
      name.values(atLeast: 2), count.values(until: 1)
    )
    try database.write { try barbara.update($0) }
    #expect(await all.values(until: [barbara]) == [[], [arthur], [barbara]])
    #expect(await one.values(until: barbara) == [nil, arthur, barbara])
    #expect(await names.values(until: ["Barbara"]) == [[], ["Arthur"], ["Barbara"]])
    #expect(await name.values(until: "Barbara") == [nil, "Arthur", "Barbara"])
    try database.write { _ = try barbara.delete($0) }
    // The update has left the number as it was.
    #expect(await count.values(until: 0) == [0, 1, 0])
    #expect(await all.values(until: []).count == 4)
    for observation in observations { observation.cancel() }
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `the observed region may change from fetch to fetch`(kind: EncryptedDatabase.Kind)
    async throws
  {
    let database = try ObservedDatabase(kind)
    let log = ValueLog<Int>()
    let cancellable = ValueObservation.tracking { db in
      let usesOther = try Bool.fetchOne(db, sql: "SELECT count(*) FROM team") ?? false
      return try Int.fetchOne(
        db, sql: "SELECT count(*) FROM \(usesOther ? "other" : "player")") ?? -1
    }.start(in: database.writer, log)
    _ = await log.values(until: 0)
    // Nobody depends on the other table yet.
    try database.execute("INSERT INTO other (id) VALUES (1), (2), (3), (4), (5)")
    try database.execute("INSERT INTO player (id) VALUES (1)")
    #expect(await log.values(until: 1) == [0, 1])
    try database.execute("INSERT INTO team (id) VALUES (1)")
    #expect(await log.values(until: 5) == [0, 1, 5])
    // From now on it is the players that don't matter.
    try database.execute("INSERT INTO player (id) VALUES (2)")
    try database.execute("INSERT INTO other (id) VALUES (6)")
    #expect(await log.values(until: 6) == [0, 1, 5, 6])
    cancellable.cancel()
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `regions may be given, several or none`(kind: EncryptedDatabase.Kind) async throws {
    let database = try ObservedDatabase(kind)
    let log = ValueLog<Int>()
    let fetch: @Sendable (Database) throws -> Int = { db in
      try Int.fetchOne(db, sql: "SELECT count(*) FROM other") ?? -1
    }
    let player = Table("player")
    let team = Table("team")
    let observations = [
      ValueObservation.tracking(region: player, team, fetch: fetch),
      ValueObservation.tracking(regions: [player, team], fetch: fetch),
      ValueObservation.tracking(player, team, fetch: fetch),
      ValueObservation.tracking([player, team], fetch: fetch),
      ValueObservation.tracking(region: .fullDatabase, fetch: fetch),
    ].map { $0.start(in: database.writer, log) }
    let none = ValueLog<Int>()
    let never = ValueObservation.tracking(regions: [], fetch: fetch)
      .start(in: database.writer, none)
    _ = await log.values(atLeast: 5)
    _ = await none.values(atLeast: 1)
    try database.execute("INSERT INTO other (id) VALUES (1)")
    #expect(await log.values(atLeast: 6) == [0, 0, 0, 0, 0, 1])
    try database.execute("INSERT INTO team (id) VALUES (1)")
    _ = await log.values(atLeast: 11)
    try database.execute("INSERT INTO player (id) VALUES (1)")
    #expect(await log.values(atLeast: 16).count == 16)
    #expect(none.values == [0])
    never.cancel()
    for observation in observations { observation.cancel() }
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases, CountTracking.allCases)
  func `changes that are announced by the application are observed`(
    kind: EncryptedDatabase.Kind, tracking: CountTracking
  ) async throws {
    let database = try ObservedDatabase(kind)
    let log = ValueLog<Int>()
    let cancellable = tracking.observation.start(in: database.writer, log)
    _ = await log.values(until: 0)
    try database.write { try $0.notifyChanges(in: Table("other")) }
    try database.write { try $0.notifyChanges(in: Table("player")) }
    #expect(await log.values(atLeast: 2) == [0, 0])
    cancellable.cancel()
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a fetch that writes has write access, and doesn't trigger itself`(
    kind: EncryptedDatabase.Kind
  ) async throws {
    let database = try ObservedDatabase(kind)
    let log = ValueLog<Int>()
    var observation = ValueObservation.tracking { db in
      try db.execute(sql: "INSERT INTO player (id) VALUES (NULL)")
      return try Int.fetchOne(db, sql: "SELECT count(*) FROM player") ?? -1
    }
    observation.requiresWriteAccess = true
    let cancellable = observation.map { $0 }.start(in: database.writer, log)
    #expect(await log.values(atLeast: 1) == [1])
    try database.execute("INSERT INTO player (id) VALUES (NULL)")
    #expect(await log.values(atLeast: 2) == [1, 3])
    try database.execute("INSERT INTO player (id) VALUES (NULL)")
    #expect(await log.values(atLeast: 3) == [1, 3, 5])
    cancellable.cancel()
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases, CountTracking.allCases)
  func `the change of a task that is cancelled right after it is observed`(
    kind: EncryptedDatabase.Kind, tracking: CountTracking
  ) async throws {
    let database = try ObservedDatabase(kind)
    let log = ValueLog<Int>()
    let cancellable = tracking.observation.start(in: database.writer, log)
    _ = await log.values(until: 0)
    let writer = database.writer
    let isWritten = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      try await writer.writeWithoutTransaction { db in
        try db.inTransaction {
          try db.execute(sql: "INSERT INTO player (id) VALUES (1)")
          db.afterNextTransaction { _ in
            // Before the observation fetches.
            isWritten.continuation.finish()
            while !db.isAccessCancelled {}
          }
          return .commit
        }
      }
    }
    for await _ in isWritten.stream {}
    task.cancel()
    _ = await task.result
    #expect(await log.values(until: 1) == [0, 1])
    #expect(log.errors.isEmpty)
    cancellable.cancel()
  }
}
