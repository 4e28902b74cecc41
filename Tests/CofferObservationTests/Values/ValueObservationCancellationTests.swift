import CofferExpectations
import CofferTestSupport
import Dispatch
import Synchronization
import Testing

@testable import Coffer

@Suite("The end of observations", .timeLimit(.minutes(15)))
struct ValueObservationCancellationTests {
  @Test(arguments: EncryptedDatabase.Kind.allCases, CountTracking.allCases)
  func `nothing comes after a cancellation, and nothing remains`(
    kind: EncryptedDatabase.Kind, tracking: CountTracking
  ) async throws {
    let database = try ObservedDatabase(kind)
    let log = ValueLog<Int>()
    let witness = ValueLog<Int>()
    let cancellable = tracking.observation.start(in: database.writer, log)
    let other = tracking.observation.start(in: database.writer, witness)
    _ = await (log.values(until: 0), witness.values(until: 0))
    #expect(try database.observerCount == 2)
    cancellable.cancel()
    cancellable.cancel()
    #expect(try database.observerCount == 1)
    try database.execute("INSERT INTO player (id) VALUES (1)")
    _ = await witness.values(until: 1)
    #expect(log.values == [0])
    other.cancel()
    #expect(try database.observerCount == 0)
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `releasing the cancellable ends the observation`(kind: EncryptedDatabase.Kind)
    async throws
  {
    let database = try ObservedDatabase(kind)
    let log = ValueLog<Int>()
    var cancellable: AnyDatabaseCancellable? = CountTracking.eachFetch.observation
      .start(in: database.writer, log)
    _ = await log.values(until: 0)
    #expect(try database.observerCount == 1)
    withExtendedLifetime(cancellable) {}
    cancellable = nil
    #expect(try database.observerCount == 0)
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `an observation may be cancelled by what it delivers`(kind: EncryptedDatabase.Kind)
    async throws
  {
    let database = try ObservedDatabase(kind)
    let log = ValueLog<Int>()
    let cancellable = Mutex<AnyDatabaseCancellable?>(nil)
    let queue = DispatchQueue(label: "test")
    let writer = database.writer
    let new = CountTracking.eachFetch.observation.start(
      in: writer, scheduling: .async(onQueue: queue), onError: log.fail
    ) { value in
      log.append(value)
      guard value == 1 else { return }
      // A further value is under way, which must not be delivered any more.
      try? writer.write { try $0.execute(sql: "INSERT INTO player (id) VALUES (2)") }
      cancellable.withLock(\.self)?.cancel()
    }
    cancellable.withLock { $0 = new }
    _ = await log.values(until: 0)
    try database.execute("INSERT INTO player (id) VALUES (1)")
    _ = await log.values(until: 1)
    let isOver = AsyncStream.makeStream(of: Void.self)
    queue.async { isOver.continuation.finish() }
    for await _ in isOver.stream {}
    try database.execute("INSERT INTO player (id) VALUES (3)")
    #expect(try database.observerCount == 0)
    #expect(log.values == [0, 1])
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `an observation may be cancelled before its first value`(kind: EncryptedDatabase.Kind)
    async throws
  {
    let database = try ObservedDatabase(kind)
    let log = ValueLog<Int>()
    let isBegun = DispatchSemaphore(value: 0)
    try database.writeWithoutTransaction { _ in
      let cancellable = ValueObservation.tracking { db in
        isBegun.signal()
        return 1
      }.start(in: database.writer, log)
      // On a pool, the first fetch doesn't wait for this write, but tracking does.
      if kind == .pool { isBegun.wait() }
      cancellable.cancel()
    }
    #expect(try database.observerCount == 0)
    try database.execute("INSERT INTO player (id) VALUES (3)")
    #expect(log.values.count <= (kind == .pool ? 1 : 0))
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases, CountTracking.allCases)
  func `cancellations at any moment leave a usable database`(
    kind: EncryptedDatabase.Kind, tracking: CountTracking
  ) async throws {
    let database = try ObservedDatabase(kind)
    let writer = database.writer
    let isOver = Atomic(false)
    let group = DispatchGroup()
    detachThread(group: group) {
      while !isOver.load(ordering: .relaxed) {
        try? writer.write { try $0.execute(sql: "INSERT INTO player (id) VALUES (NULL)") }
      }
    }
    let failures = Atomic(0)
    let cancellers = DispatchGroup()
    for _ in 0..<4 {
      detachThread(group: cancellers) {
        for round in 0..<20 {
          let values = Atomic(0)
          let cancellable = tracking.observation.start(in: writer, scheduling: .task) { _ in
            failures.add(1, ordering: .relaxed)
          } onChange: { _ in
            values.add(1, ordering: .relaxed)
          }
          // Now before the first value, now after some.
          for _ in 0..<(round * 4) where values.load(ordering: .relaxed) < round % 5 {
            _ = try? writer.read { try Int.fetchOne($0, sql: "SELECT 1") }
          }
          cancellable.cancel()
        }
      }
    }
    await withCheckedContinuation { continuation in
      cancellers.notify(queue: DispatchQueue(label: "over")) {
        isOver.store(true, ordering: .relaxed)
        group.notify(queue: DispatchQueue(label: "over")) { continuation.resume() }
      }
    }
    #expect(failures.load(ordering: .relaxed) == 0)
    #expect(try database.observerCount == 0)
    let log = ValueLog<Int>()
    try database.execute("DELETE FROM player")
    let cancellable = tracking.observation.start(in: writer, log)
    _ = await log.values(until: 0)
    try database.execute("INSERT INTO player (id) VALUES (1)")
    #expect(await log.values(until: 1) == [0, 1])
    cancellable.cancel()
  }

  // MARK: Retention

  private final class Token: Sendable {}

  @Test(arguments: EncryptedDatabase.Kind.allCases, CountTracking.allCases)
  func `an observation that is over retains nothing`(
    kind: EncryptedDatabase.Kind, tracking: CountTracking
  ) async throws {
    let database = try ObservedDatabase(kind)
    let log = ValueLog<Int>()
    weak var weakToken: Token?
    let cancellable: AnyDatabaseCancellable
    do {
      let token = Token()
      weakToken = token
      cancellable = tracking.observation.map { [token] in
        withExtendedLifetime(token) {}
        return $0
      }.start(in: database.writer, scheduling: .task) { [token] _ in
        withExtendedLifetime(token) {}
      } onChange: { [token] in
        log.append($0)
        withExtendedLifetime(token) {}
      }
    }
    _ = await log.values(until: 0)
    try database.execute("INSERT INTO player (id) VALUES (1)")
    _ = await log.values(until: 1)
    #expect(weakToken != nil)
    cancellable.cancel()
    #expect(try database.observerCount == 0)
    // The last access may be letting go yet.
    while weakToken != nil { await Task.yield() }
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `an observation retains the database until it is over`(kind: EncryptedDatabase.Kind)
    async throws
  {
    let log = ValueLog<Int>()
    weak var weakWriter: (any DatabaseWriter)?
    let cancellable: AnyDatabaseCancellable
    do {
      let database = try ObservedDatabase(kind)
      weakWriter = database.writer
      cancellable = CountTracking.firstFetch.observation.start(in: database.writer, log)
      _ = await log.values(until: 0)
    }
    #expect(weakWriter != nil)
    cancellable.cancel()
    while weakWriter != nil { await Task.yield() }
  }
}
