import CofferExpectations
import CofferTestSupport
import Dispatch
import Synchronization
import Testing

@testable import Coffer

@Suite("How observations begin", .timeLimit(.minutes(15)))
struct ValueObservationStartTests {
  @MainActor @Test(arguments: EncryptedDatabase.Kind.allCases, CountTracking.allCases)
  func `an immediate observation has its first value when start returns`(
    kind: EncryptedDatabase.Kind, tracking: CountTracking
  ) async throws {
    let database = try ObservedDatabase(kind)
    let log = ValueLog<Int>()
    let cancellable = tracking.observation.start(in: database.writer, scheduling: .immediate) {
      log.fail($0)
    } onChange: { value in
      MainActor.preconditionIsolated()
      log.append(value)
    }
    #expect(log.values == [0])
    try database.execute("INSERT INTO player (id) VALUES (1)")
    #expect(await log.values(until: 1) == [0, 1])
    cancellable.cancel()
  }

  @MainActor @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `an observation delivers on the main actor by default, later`(
    kind: EncryptedDatabase.Kind
  ) async throws {
    let database = try ObservedDatabase(kind)
    let log = ValueLog<Int>()
    let cancellable = CountTracking.eachFetch.observation.start(in: database.writer) {
      log.fail($0)
    } onChange: { value in
      MainActor.preconditionIsolated()
      log.append(value)
    }
    #expect(log.values.isEmpty)
    #expect(await log.values(atLeast: 1) == [0])
    cancellable.cancel()
  }

  @MainActor @Test func `the first value may use the database, and cancel`() async throws {
    let database = try ObservedDatabase(.queue)
    let log = ValueLog<Int>()
    let writer = database.writer
    let cancellable = CountTracking.eachFetch.observation.start(
      in: database.writer, scheduling: .immediate
    ) {
      log.fail($0)
    } onChange: { value in
      log.append(value)
      guard value < 3 else { return }
      do { try writer.write { try $0.execute(sql: "INSERT INTO player DEFAULT VALUES") } } catch {
        log.fail(error)
      }
    }
    #expect(await log.values(until: 3) == [0, 1, 2, 3])
    #expect(log.errors.isEmpty)
    cancellable.cancel()
  }

  @MainActor @Test(arguments: CountTracking.allCases)
  func `an observation begun inside a transaction forgets changes that are rolled back`(
    tracking: CountTracking
  ) async throws {
    let database = try ObservedDatabase(.queue)
    let log = ValueLog<Int>()
    var cancellables: [AnyDatabaseCancellable] = []
    func start() {
      cancellables = [
        tracking.observation.start(in: database.writer, scheduling: .immediate) {
          log.fail($0)
        } onChange: {
          log.append($0)
        }
      ]
    }
    // Rolled back.
    #expect(throws: TestError.self) {
      try database.write { db in
        try db.execute(sql: "INSERT INTO player (id) VALUES (1)")
        start()
        #expect(log.values == [1])
        throw TestError()
      }
    }
    #expect(await log.values(until: 0) == [1, 0])
    // Committed.
    try database.write { db in
      try db.execute(sql: "INSERT INTO player (id) VALUES (1)")
      start()
      try db.execute(sql: "INSERT INTO other (id) VALUES (1)")
    }
    try database.execute("INSERT INTO player (id) VALUES (2)")
    #expect(await log.values(until: 2) == [1, 0, 1, 2])
    // Rolled back in part.
    try database.write { db in
      try db.inSavepoint {
        try db.execute(sql: "INSERT INTO player (id) VALUES (3)")
        start()
        return .rollback
      }
    }
    #expect(await log.values(atLeast: 6) == [1, 0, 1, 2, 3, 2])
    for cancellable in cancellables { cancellable.cancel() }
  }

  @MainActor @Test func `an observation that begins inside a read doesn't wait for a rollback`()
    async throws
  {
    let database = try ObservedDatabase(.queue)
    let log = ValueLog<Int>()
    let cancellable = try database.read { _ in
      CountTracking.eachFetch.observation.start(in: database.writer, scheduling: .immediate) {
        log.fail($0)
      } onChange: {
        log.append($0)
      }
    }
    try database.execute("BEGIN; INSERT INTO player (id) VALUES (3); ROLLBACK")
    try database.execute("INSERT INTO player (id) VALUES (3)")
    #expect(await log.values(until: 1) == [0, 1])
    cancellable.cancel()
  }

  @Test(arguments: CountTracking.allCases)
  func `a constant database gives one value`(tracking: CountTracking) async throws {
    let database = try EncryptedPool(ObservedDatabase.schema)
    var configuration = database.configuration
    configuration.readonly = true
    let readers: [any DatabaseReader] = [
      try database.pool.makeSnapshot(), try database.pool.makeSnapshotPool(),
      try DatabaseQueue(path: database.path, configuration: configuration),
      try DatabasePool(path: database.path, configuration: configuration),
      AnyDatabaseReader(try database.pool.makeSnapshot()),
    ]
    for reader in readers {
      let log = ValueLog<Int>()
      let cancellable = tracking.observation.start(in: reader, log)
      #expect(await log.values(atLeast: 1) == [0])
      cancellable.cancel()
    }
  }

  @MainActor @Test(arguments: CountTracking.allCases, [true, false])
  func `a write between the first fetch and tracking is fetched`(
    tracking: CountTracking, isImmediate: Bool
  ) async throws {
    let database = try ObservedDatabase(.pool)
    for (table, expected) in [("other", [0]), ("player", [0, 1])] {
      let log = ValueLog<Int>()
      let isFirst = Atomic(true)
      let observation = tracking.observation.handleEvents(willFetch: {
        guard isFirst.exchange(false, ordering: .relaxed) else { return }
        try? database.execute("INSERT INTO \(table) (id) VALUES (1)")
      })
      let cancellable =
        isImmediate
        ? observation.start(in: database.writer, scheduling: .immediate) {
          log.fail($0)
        } onChange: {
          log.append($0)
        } : observation.start(in: database.writer, log)
      _ = await log.values(atLeast: expected.count)
      // The values of this commit come after those of the commits above.
      try database.execute("INSERT INTO player (id) VALUES (100)")
      let count = expected[expected.count - 1] + 1
      #expect(await log.values(until: count) == expected + [count])
      cancellable.cancel()
      try database.execute("DELETE FROM player")
    }
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases, CountTracking.allCases)
  func `erased readers and writers are observed as their bases`(
    kind: EncryptedDatabase.Kind, tracking: CountTracking
  ) async throws {
    let database = try ObservedDatabase(kind)
    let log = ValueLog<Int>()
    let erased = [
      tracking.observation.start(in: AnyDatabaseReader(database.writer), log),
      tracking.observation.start(in: AnyDatabaseWriter(database.writer), log),
    ]
    #expect(await log.values(atLeast: 2) == [0, 0])
    try database.execute("INSERT INTO player (id) VALUES (1)")
    #expect(await log.values(atLeast: 4) == [0, 0, 1, 1])
    for cancellable in erased { cancellable.cancel() }
    #expect(try database.observerCount == 0)
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases, CountTracking.allCases)
  func `a closed database is an error`(kind: EncryptedDatabase.Kind, tracking: CountTracking)
    async throws
  {
    let database = try ObservedDatabase(kind)
    try database.writer.close()
    let log = ValueLog<Int>()
    let cancellable = tracking.observation.start(in: database.writer, log)
    #expect(await log.error() is DatabaseError)
    #expect(log.values.isEmpty)
    cancellable.cancel()
    #expect(log.errors.count == 1)
  }
}
