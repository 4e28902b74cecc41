import CofferExpectations
import CofferTestSupport
import Synchronization
import Testing

@testable import Coffer

@Suite("Errors of observations", .timeLimit(.minutes(15)))
struct ValueObservationErrorTests {
  @Test(arguments: EncryptedDatabase.Kind.allCases, [true, false])
  func `a fetch that throws ends the observation`(
    kind: EncryptedDatabase.Kind, isConstant: Bool
  ) async throws {
    let database = try ObservedDatabase(kind)
    let fetch: @Sendable (Database) throws -> Int = { db in
      let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM player") ?? -1
      if count == 2 { throw TestError() }
      return count
    }
    let log = ValueLog<Int>()
    let cancellable =
      (isConstant ? ValueObservation.trackingConstantRegion(fetch) : .tracking(fetch))
      .start(in: database.writer, log)
    _ = await log.values(until: 0)
    try database.execute("INSERT INTO player (id) VALUES (1)")
    _ = await log.values(until: 1)
    try database.execute("INSERT INTO player (id) VALUES (2)")
    #expect(await log.error() is TestError)
    try database.execute("INSERT INTO player (id) VALUES (3)")
    #expect(try database.observerCount == 0)
    #expect(log.values == [0, 1])
    #expect(log.errors.count == 1)
    cancellable.cancel()
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `an observation whose first fetch throws gives the error alone`(kind: EncryptedDatabase.Kind)
    async throws
  {
    let database = try ObservedDatabase(kind)
    let log = ValueLog<Int>()
    let observations = [
      ValueObservation.tracking { _ -> Int in throw TestError() },
      ValueObservation.tracking(region: SQLRequest<Row>(sql: "SELECT * FROM nothing")) { _ in 1 },
      ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT * FROM nothing") ?? 1 },
    ]
    let cancellables = observations.map { $0.start(in: database.writer, log) }
    #expect(await log.errors(atLeast: 3).count == 3)
    #expect(log.values.isEmpty)
    for cancellable in cancellables { cancellable.cancel() }
    #expect(try database.observerCount == 0)
  }

  @Test func `a fetch that fails leaves nothing of what it wrote`() async throws {
    let database = try ObservedDatabase(.queue)
    let log = ValueLog<Int>()
    var observation = ValueObservation.tracking { db -> Int in
      try db.execute(sql: "INSERT INTO player (id) VALUES (1)")
      throw TestError()
    }
    observation.requiresWriteAccess = true
    let cancellable = observation.start(in: database.writer, log)
    #expect(await log.error() is TestError)
    #expect(
      try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM player") } == 0)
    cancellable.cancel()
  }

  @MainActor @Test func `an immediate observation fails before start returns`() throws {
    let database = try ObservedDatabase(.pool)
    let log = ValueLog<Int>()
    let cancellable = ValueObservation.tracking { _ -> Int in throw TestError() }
      .start(in: database.writer, scheduling: .immediate) {
        log.fail($0)
      } onChange: {
        log.append($0)
      }
    #expect(log.errors.count == 1)
    cancellable.cancel()
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `an error while values are mapped ends the observation`(kind: EncryptedDatabase.Kind)
    async throws
  {
    let database = try ObservedDatabase(kind)
    let log = ValueLog<Int>()
    let cancellable = CountTracking.eachFetch.observation.map { value in
      if value == 1 { throw TestError() }
      return value
    }.start(in: database.writer, log)
    _ = await log.values(until: 0)
    try database.execute("INSERT INTO player (id) VALUES (1)")
    #expect(await log.error() is TestError)
    try database.execute("INSERT INTO player (id) VALUES (2)")
    #expect(try database.observerCount == 0)
    #expect(log.values == [0])
    cancellable.cancel()
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases, CountTracking.allCases)
  func `a table that is dropped is an error`(
    kind: EncryptedDatabase.Kind, tracking: CountTracking
  ) async throws {
    let database = try ObservedDatabase(kind)
    let log = ValueLog<Int>()
    let cancellable = tracking.observation.start(in: database.writer, log)
    _ = await log.values(until: 0)
    try database.execute("BEGIN; DROP TABLE player; ROLLBACK")
    try database.execute("INSERT INTO player (id) VALUES (1)")
    _ = await log.values(until: 1)
    try database.execute("DROP TABLE player")
    #expect(await log.error() is DatabaseError)
    #expect(log.values == [0, 1])
    cancellable.cancel()
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases, CountTracking.allCases)
  func `a column that is added is observed`(
    kind: EncryptedDatabase.Kind, tracking: CountTracking
  ) async throws {
    let database = try ObservedDatabase(kind)
    try database.execute("INSERT INTO player (id) VALUES (1)")
    let log = ValueLog<[String]>()
    let fetch: @Sendable (Database) throws -> [String] = { db in
      try Row.fetchAll(db, sql: "SELECT * FROM player").flatMap { row in
        row.compactMap { $1.isNull ? nil : "\($0)=\($1)" }
      }
    }
    let observation: ValueObservation<ValueReducers.Fetch<[String]>> =
      switch tracking {
      case .eachFetch: .tracking(fetch)
      case .firstFetch: .trackingConstantRegion(fetch)
      case .regions: .tracking(region: Table("player"), fetch: fetch)
      }
    let cancellable = observation.start(in: database.writer, log)
    _ = await log.values(atLeast: 1)
    try database.execute("ALTER TABLE player ADD COLUMN level INTEGER DEFAULT 7")
    #expect(await log.values(atLeast: 2).last?.last == "level=7")
    try database.execute("UPDATE player SET level = 8")
    #expect(await log.values(atLeast: 3).last?.last == "level=8")
    cancellable.cancel()
  }
}
