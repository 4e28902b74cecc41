import CofferExpectations
import CofferTestSupport
import Dispatch
import Synchronization
import Testing

@testable import Coffer

@Suite("Values as asynchronous sequences", .timeLimit(.minutes(15)))
struct AsyncValueObservationTests {
  @Test(arguments: EncryptedDatabase.Kind.allCases, CountTracking.allCases)
  func `a loop gets the values, and ends the observation with its end`(
    kind: EncryptedDatabase.Kind, tracking: CountTracking
  ) async throws {
    let database = try ObservedDatabase(kind)
    var values: [Int] = []
    for try await value in tracking.observation.values(in: database.writer) {
      values.append(value)
      if value == 3 { break }
      try database.execute("INSERT INTO player (id) VALUES (NULL)")
    }
    #expect(values == [0, 1, 2, 3])
    #expect(try database.observerCount == 0)
  }

  @Test func `each iteration is an observation of its own`() async throws {
    let database = try ObservedDatabase(.pool)
    let values = CountTracking.eachFetch.observation.values(in: database.writer)
    var first = values.makeAsyncIterator()
    #expect(try await first.next() == 0)
    try database.execute("INSERT INTO player (id) VALUES (NULL)")
    var second = values.makeAsyncIterator()
    #expect(try await second.next() == 1)
    #expect(try await first.next() == 1)
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a loop throws the error, and is over`(kind: EncryptedDatabase.Kind) async throws {
    let database = try ObservedDatabase(kind)
    let observation = CountTracking.eachFetch.observation.map { value in
      if value == 1 { throw TestError() }
      return value
    }
    var iterator = observation.values(in: database.writer).makeAsyncIterator()
    #expect(try await iterator.next() == 0)
    try database.execute("INSERT INTO player (id) VALUES (NULL)")
    await #expect(throws: TestError.self) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
    #expect(try database.observerCount == 0)
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `the cancellation of the task ends the loop and the observation`(
    kind: EncryptedDatabase.Kind
  ) async throws {
    let database = try ObservedDatabase(kind)
    let log = ValueLog<Int>()
    let task = Task {
      for try await value in CountTracking.eachFetch.observation.values(in: database.writer) {
        log.append(value)
      }
    }
    _ = await log.values(until: 0)
    task.cancel()
    try await task.value
    #expect(try database.observerCount == 0)
    // A task that is cancelled from the start.
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      for try await _ in CountTracking.eachFetch.observation.values(in: database.writer) {
        Issue.record("a value came")
      }
    }
    try await cancelled.value
    #expect(try database.observerCount == 0)
  }

  @Test func `an iterator ends its observation when it is released`() async throws {
    let database = try ObservedDatabase(.queue)
    let values = CountTracking.eachFetch.observation.values(in: database.writer)
    do {
      var iterator = values.makeAsyncIterator()
      #expect(try await iterator.next() == 0)
      #expect(try database.observerCount == 1)
    }
    #expect(try database.observerCount == 0)
  }

  /// Logs the actions that it has executed.
  private struct LoggingScheduler: ValueObservationScheduler {
    let queue = DispatchQueue(label: "test")
    let log = ValueLog<Void>()

    func immediateInitialValue() -> Bool { false }

    func schedule(_ action: @escaping @Sendable () -> Void) {
      queue.async {
        action()
        log.append(())
      }
    }
  }

  @Test func `values that weren't asked for are kept as the policy says`() async throws {
    let database = try ObservedDatabase(.queue)
    let policies: [(AsyncValueObservation<Int>.BufferingPolicy, [Int])] = [
      (.unbounded, [0, 1, 2, 3, 4]), (.bufferingNewest(1), [4]), (.bufferingOldest(2), [0, 1]),
    ]
    for (policy, expected) in policies {
      try database.execute("DELETE FROM player")
      let scheduler = LoggingScheduler()
      var iterator = CountTracking.eachFetch.observation.values(
        in: database.writer, scheduling: scheduler, bufferingPolicy: policy
      ).makeAsyncIterator()
      _ = await scheduler.log.values(atLeast: 1)
      for _ in 1...4 { try database.execute("INSERT INTO player (id) VALUES (NULL)") }
      _ = await scheduler.log.values(atLeast: 5)
      var values: [Int] = []
      while values.count < expected.count, let value = try await iterator.next() {
        values.append(value)
      }
      #expect(values == expected)
    }
  }

  @MainActor @Test func `a loop on the main actor may have its first value at once`() async throws {
    let database = try ObservedDatabase(.pool)
    let values = CountTracking.eachFetch.observation.values(
      in: database.writer, scheduling: .immediate)
    var iterator = values.makeAsyncIterator()
    #expect(try await iterator.next() == 0)
    try database.execute("INSERT INTO player (id) VALUES (NULL)")
    #expect(try await iterator.next() == 1)
  }
}
