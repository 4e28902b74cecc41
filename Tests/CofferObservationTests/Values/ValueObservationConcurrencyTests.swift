import CofferExpectations
import CofferTestSupport
import Dispatch
import Synchronization
import Testing

@testable import Coffer

@Suite("Observations and concurrent writes", .timeLimit(.minutes(15)))
struct ValueObservationConcurrencyTests {
  @Test(arguments: EncryptedDatabase.Kind.allCases, CountTracking.allCases)
  func `values come in the order of commits, and the last is the final state`(
    kind: EncryptedDatabase.Kind, tracking: CountTracking
  ) async throws {
    let database = try ObservedDatabase(kind)
    let writer = database.writer
    let group = DispatchGroup()
    for _ in 0..<3 {
      detachThread(group: group) {
        for _ in 0..<60 {
          try? writer.write { try $0.execute(sql: "INSERT INTO player (id) VALUES (NULL)") }
        }
      }
    }
    // They begin while others write.
    let logs = (0..<10).map { _ in ValueLog<Int>() }
    let cancellables = logs.map { tracking.observation.start(in: writer, $0) }
    for log in logs {
      let values = await log.values(until: 180)
      #expect(values == values.sorted())
      // No value is repeated; in a pool, a fetch may see a later commit.
      if kind == .queue || tracking == .eachFetch { #expect(Set(values).count == values.count) }
      #expect(log.errors.isEmpty)
    }
    for cancellable in cancellables { cancellable.cancel() }
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a slow observer gets all values`(kind: EncryptedDatabase.Kind) async throws {
    let database = try ObservedDatabase(kind)
    let log = ValueLog<Int>()
    let isReady = DispatchSemaphore(value: 0)
    let queue = DispatchQueue(label: "test")
    let cancellable = CountTracking.eachFetch.observation.start(
      in: database.writer, scheduling: .async(onQueue: queue), onError: log.fail
    ) { value in
      log.append(value)
      if value == 1 { isReady.wait() }
    }
    _ = await log.values(until: 0)
    // A pool's first value can come before its writer is observed.
    try database.execute("INSERT INTO player (id) VALUES (NULL)")
    _ = await log.values(until: 1)
    for _ in 0..<99 { try database.execute("INSERT INTO player (id) VALUES (NULL)") }
    #expect(log.values.last == 1)
    isReady.signal()
    let values = await log.values(until: 100)
    #expect(Array(values.drop { $0 == 0 }) == Array(1...100))
    cancellable.cancel()
  }

  @Test func `fetches of a constant region block no writer`() async throws {
    let database = try ObservedDatabase(.pool)
    let log = ValueLog<Int>()
    let isFetching = DispatchSemaphore(value: 0)
    let isWritten = DispatchSemaphore(value: 0)
    let cancellable = ValueObservation.trackingConstantRegion { db in
      let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM player") ?? -1
      if count == 1 {
        isFetching.signal()
        isWritten.wait()
      }
      return count
    }.start(in: database.writer, log)
    _ = await log.values(until: 0)
    try database.execute("INSERT INTO player (id) VALUES (1)")
    isFetching.wait()
    // While the fetch lasts, others write; they share the next one.
    for id in 2...9 { try database.execute("INSERT INTO player (id) VALUES (\(id))") }
    isWritten.signal()
    #expect(await log.values(until: 9) == [0, 1, 9])
    cancellable.cancel()
  }

  @Test(arguments: CountTracking.allCases)
  func `readers that are all in use block no writer`(
    tracking: CountTracking
  ) async throws {
    let database = try ObservedDatabase(.pool) { $0.maximumReaderCount = 1 }
    let log = ValueLog<Int>()
    let cancellable = tracking.observation.start(in: database.writer, log)
    _ = await log.values(until: 0)
    let isReading = DispatchSemaphore(value: 0)
    let isWritten = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    detachThread(group: group) {
      try? database.read { db in
        _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM player")
        isReading.signal()
        isWritten.wait()
      }
    }
    isReading.wait()
    try database.execute("INSERT INTO player (id) VALUES (1)")
    isWritten.signal()
    #expect(await log.values(until: 1) == [0, 1])
    cancellable.cancel()
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases, CountTracking.allCases)
  func `a transaction that another observer begins isn't read from`(
    kind: EncryptedDatabase.Kind, tracking: CountTracking
  ) async throws {
    let database = try ObservedDatabase(kind)
    let log = ValueLog<Int>()
    let cancellable = tracking.observation.start(in: database.writer, log)
    _ = await log.values(until: 0)
    for completion in [Database.TransactionCompletion.rollback, .commit] {
      try database.writeWithoutTransaction { db in
        db.afterNextTransaction { db in
          try? db.beginTransaction()
          try? db.execute(sql: "INSERT INTO player (id) VALUES (NULL)")
        }
        try db.execute(sql: "INSERT INTO player (id) VALUES (NULL)")
        #expect(db.isInsideTransaction)
        try completion == .rollback ? db.rollback() : db.commit()
      }
      _ = await log.values(until: completion == .rollback ? 1 : 3)
    }
    let values = log.values
    #expect(values == values.sorted() && !values.contains(2), "\(values)")
    cancellable.cancel()
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases, CountTracking.allCases)
  func `five hundred observations of one table all get its values`(
    kind: EncryptedDatabase.Kind, tracking: CountTracking
  ) async throws {
    let database = try ObservedDatabase(kind)
    let logs = (0..<500).map { _ in ValueLog<Int>() }
    var cancellables = logs.map { tracking.observation.start(in: database.writer, $0) }
    for log in logs { #expect(await log.values(until: 0) == [0]) }
    try database.execute("INSERT INTO player (id) VALUES (1)")
    for log in logs { #expect(await log.values(until: 1) == [0, 1]) }
    #expect(try database.observerCount == 500)
    withExtendedLifetime(cancellables) {}
    cancellables = []
    #expect(try database.observerCount == 0)
  }
}
