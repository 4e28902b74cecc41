import CofferExpectations
import CofferTestSupport
import Dispatch
import Synchronization
import Testing

@testable import Coffer

extension SharedValueObservationExtent {
  fileprivate static let all: [SharedValueObservationExtent] = [
    .observationLifetime, .whileObserved,
  ]
}

@Suite("Shared observations", .timeLimit(.minutes(15)))
struct SharedValueObservationTests {
  private final class Fetches: Sendable {
    private let counter = Atomic(0)
    var count: Int { counter.load(ordering: .relaxed) }

    var observation: ValueObservation<ValueReducers.Trace<ValueReducers.Fetch<Int>>> {
      CountTracking.eachFetch.observation.handleEvents(willFetch: { [self] in
        counter.add(1, ordering: .relaxed)
      })
    }
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `all share the fetches, and a later observer gets the last value`(
    kind: EncryptedDatabase.Kind
  ) async throws {
    let database = try ObservedDatabase(kind)
    let fetches = Fetches()
    let shared = fetches.observation.shared(in: database.writer, scheduling: .task)
    let first = ValueLog<Int>()
    let second = ValueLog<Int>()
    let one = shared.start(onError: first.fail, onChange: first.append)
    _ = await first.values(until: 0)
    try database.execute("INSERT INTO player (id) VALUES (1)")
    _ = await first.values(until: 1)
    let two = shared.start(onError: second.fail, onChange: second.append)
    #expect(await second.values(atLeast: 1) == [1])
    try database.execute("INSERT INTO player (id) VALUES (2)")
    #expect(await first.values(until: 2) == [0, 1, 2])
    #expect(await second.values(until: 2) == [1, 2])
    #expect(fetches.count == 3)
    #expect(try database.observerCount == 1)
    one.cancel()
    try database.execute("INSERT INTO player (id) VALUES (3)")
    #expect(await second.values(until: 3) == [1, 2, 3])
    #expect(first.values == [0, 1, 2])
    two.cancel()
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `an observation lasts while it has observers`(kind: EncryptedDatabase.Kind) async throws {
    let database = try ObservedDatabase(kind)
    let fetches = Fetches()
    let shared = fetches.observation.shared(in: database.writer, scheduling: .task)
    for count in 1...3 {
      let log = ValueLog<Int>()
      let cancellable = shared.start(onError: log.fail, onChange: log.append)
      #expect(await log.values(atLeast: 1) == [0])
      #expect(fetches.count == count)
      #expect(try database.observerCount == 1)
      cancellable.cancel()
      #expect(try database.observerCount == 0)
    }
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `an observation may last until the shared one is released`(kind: EncryptedDatabase.Kind)
    async throws
  {
    let database = try ObservedDatabase(kind)
    let fetches = Fetches()
    var shared: SharedValueObservation<Int>? = fetches.observation.shared(
      in: database.writer, scheduling: .task, extent: .observationLifetime)
    #expect(fetches.count == 0)
    for _ in 1...3 {
      let log = ValueLog<Int>()
      let cancellable = shared?.start(onError: log.fail, onChange: log.append)
      #expect(await log.values(atLeast: 1) == [0])
      #expect(fetches.count == 1)
      cancellable?.cancel()
    }
    #expect(try database.observerCount == 1)
    shared = nil
    #expect(try database.observerCount == 0)
  }

  @Test(arguments: SharedValueObservationExtent.all)
  func `an observation released while a value is delivered is cancelled at once`(
    extent: SharedValueObservationExtent
  ) async throws {
    let database = try ObservedDatabase(.queue)
    let ends = Atomic(0)
    var shared: SharedValueObservation<Int>? = CountTracking.eachFetch.observation
      .handleEvents(didCancel: { ends.add(1, ordering: .relaxed) })
      .shared(
        in: database.writer, scheduling: .async(onQueue: DispatchQueue(label: "test")),
        extent: extent)
    weak let dead = shared
    let (began, end) = (ValueLog<Int>(), DispatchSemaphore(value: 0))
    var cancellable = shared?.start(onError: began.fail) { value in
      began.append(value)
      end.wait()
    }
    _ = await began.values(atLeast: 1)
    // The delivery is under way until the semaphore is signalled.
    withExtendedLifetime(cancellable) {}
    cancellable = nil
    shared = nil
    #expect(dead == nil)
    #expect(ends.load(ordering: .relaxed) == 1)
    #expect(try database.observerCount == 0)
    end.signal()
  }

  @Test func `observers retain the shared observation`() async throws {
    let database = try ObservedDatabase(.queue)
    let log = ValueLog<Int>()
    let cancellable = CountTracking.eachFetch.observation
      .shared(in: database.writer, scheduling: .task)
      .start(onError: log.fail, onChange: log.append)
    _ = await log.values(until: 0)
    try database.execute("INSERT INTO player (id) VALUES (1)")
    #expect(await log.values(until: 1) == [0, 1])
    cancellable.cancel()
    #expect(try database.observerCount == 0)
  }

  @MainActor @Test
  func `an immediate observation gives all observers a value before start returns`()
    async throws
  {
    let database = try ObservedDatabase(.pool)
    let shared = CountTracking.eachFetch.observation.shared(
      in: database.writer, scheduling: .immediate)
    let first = ValueLog<Int>()
    let second = ValueLog<Int>()
    let one = shared.start(onError: first.fail, onChange: first.append)
    #expect(first.values == [0])
    let two = shared.start(onError: second.fail, onChange: second.append)
    #expect(second.values == [0])
    // Inside the delivery of a value.
    let inner = ValueLog<Int>()
    let cancellable = Mutex<AnyDatabaseCancellable?>(nil)
    let three = shared.start(onError: first.fail) { _ in
      let new = shared.start(onError: inner.fail, onChange: inner.append)
      cancellable.withLock { $0 = new }
    }
    #expect(inner.values == [0])
    for cancellable in [one, two, three] { cancellable.cancel() }
    cancellable.withLock(\.self)?.cancel()
    #expect(try database.observerCount == 0)
  }

  @Test(arguments: SharedExtents.allCases)
  func `an error ends the observation for all, and the next start begins anew`(
    extent: SharedExtents
  ) async throws {
    let database = try ObservedDatabase(.queue)
    let shared = CountTracking.eachFetch.observation.map { value in
      if value == 1 { throw TestError() }
      return value
    }.shared(in: database.writer, scheduling: .task, extent: extent.value)
    let logs = [ValueLog<Int>(), ValueLog<Int>()]
    let cancellables = logs.map { shared.start(onError: $0.fail, onChange: $0.append) }
    for log in logs { _ = await log.values(atLeast: 1) }
    try database.execute("INSERT INTO player (id) VALUES (1)")
    for log in logs { #expect(await log.error() is TestError) }
    try database.execute("INSERT INTO player (id) VALUES (2)")
    let log = ValueLog<Int>()
    let cancellable = shared.start(onError: log.fail, onChange: log.append)
    #expect(await log.values(atLeast: 1) == [2])
    for log in logs {
      #expect(log.values == [0])
      #expect(log.errors.count == 1)
    }
    for cancellable in cancellables + [cancellable] { cancellable.cancel() }
  }

  enum SharedExtents: CaseIterable, Sendable {
    case short, long

    var value: SharedValueObservationExtent {
      self == .short ? .whileObserved : .observationLifetime
    }
  }

  @Test func `each loop gets its own sequence of values`() async throws {
    let database = try ObservedDatabase(.pool)
    let fetches = Fetches()
    let shared = fetches.observation.shared(in: database.writer, scheduling: .task)
    var first = shared.values().makeAsyncIterator()
    var second = shared.values(bufferingPolicy: .bufferingNewest(1)).makeAsyncIterator()
    #expect(try await first.next() == 0)
    #expect(try await second.next() == 0)
    try database.execute("INSERT INTO player (id) VALUES (1)")
    #expect(try await first.next() == 1)
    #expect(try await second.next() == 1)
    #expect(fetches.count == 2)
  }

  @Test func `starts and cancellations from many threads leave nothing`() async throws {
    let database = try ObservedDatabase(.pool)
    let shared = CountTracking.eachFetch.observation.shared(
      in: database.writer, scheduling: .task)
    let failures = Atomic(0)
    let group = DispatchGroup()
    for _ in 0..<4 {
      detachThread(group: group) {
        for _ in 0..<50 {
          let last = Atomic(-1)
          let cancellable = shared.start { _ in
            failures.add(1, ordering: .relaxed)
          } onChange: { value in
            if last.exchange(value, ordering: .relaxed) >= value {
              failures.add(1, ordering: .relaxed)
            }
          }
          try? database.execute("INSERT INTO player (id) VALUES (NULL)")
          cancellable.cancel()
        }
      }
    }
    await withCheckedContinuation { continuation in
      group.notify(queue: DispatchQueue(label: "over")) { continuation.resume() }
    }
    #expect(failures.load(ordering: .relaxed) == 0)
    #expect(try database.observerCount == 0)
    let log = ValueLog<Int>()
    let cancellable = shared.start(onError: log.fail, onChange: log.append)
    #expect(await log.values(atLeast: 1) == [200])
    cancellable.cancel()
  }
}
