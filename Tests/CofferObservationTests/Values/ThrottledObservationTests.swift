import CofferTestSupport
import Dispatch
import Synchronization
import Testing

@testable import Coffer

@Suite("Throttled observations", .timeLimit(.minutes(15)))
struct ThrottledObservationTests {
  private static let interval = Duration.milliseconds(150)

  /// The values with the times of their arrival.
  private final class Arrivals: Sendable {
    private let times = Mutex<[ContinuousClock.Instant]>([])

    func note() { times.withLock { $0.append(.now) } }

    /// The shortest time between two arrivals.
    var shortestPause: Duration? {
      let times = times.withLock(\.self)
      return zip(times, times.dropFirst()).map { $0.duration(to: $1) }.min()
    }
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases, CountTracking.allCases)
  func `values keep their distance, and the last one comes`(
    kind: EncryptedDatabase.Kind, tracking: CountTracking
  ) async throws {
    let database = try ObservedDatabase(kind)
    let (log, arrivals, fetches) = (ValueLog<Int>(), Arrivals(), Arrivals())
    let cancellable = tracking.observation.handleEvents(willFetch: { fetches.note() })
      .throttle(for: Self.interval)
      .start(in: database.writer, scheduling: .task, onError: log.fail) { count in
        arrivals.note()
        log.append(count)
      }
    // The first one comes at once, as does that of a change after a quiet interval.
    _ = await log.values(until: 0)
    let begin = ContinuousClock.now
    for id in 1...40 {
      try database.execute("INSERT INTO player (id) VALUES (\(id))")
      try await Task.sleep(for: .milliseconds(10))
    }
    let values = await log.values(until: 40)
    let intervals = Int(begin.duration(to: .now) / Self.interval)
    #expect(values == values.sorted() && values.count <= intervals + 2)
    #expect(try #require(arrivals.shortestPause) >= Self.interval)
    // What isn't delivered isn't fetched.
    #expect(try #require(fetches.shortestPause) >= Self.interval)
    cancellable.cancel()
  }

  @Test func `a value that is left out begins no interval`() async throws {
    let database = try ObservedDatabase(.queue)
    let log = ValueLog<Bool>()
    let cancellable = CountTracking.eachFetch.observation.map { $0 > 2 }.removeDuplicates()
      .throttle(for: .milliseconds(1)).start(in: database.writer, log)
    _ = await log.values(until: false)
    for id in 1...3 { try database.execute("INSERT INTO player (id) VALUES (\(id))") }
    #expect(await log.values(until: true) == [false, true])
    cancellable.cancel()
  }

  @Test @MainActor func `the first value comes before the start returns`() async throws {
    let database = try ObservedDatabase(.pool)
    let log = ValueLog<Int>()
    let cancellable = CountTracking.eachFetch.observation.throttle(for: .milliseconds(1))
      .start(
        in: database.writer, scheduling: .immediate, onError: { log.fail($0) },
        onChange: { log.append($0) })
    #expect(log.values == [0])
    try database.execute("INSERT INTO player (id) VALUES (1)")
    #expect(await log.values(until: 1) == [0, 1])
    cancellable.cancel()
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `sequences and shared observations are throttled`(kind: EncryptedDatabase.Kind) async throws
  {
    let database = try ObservedDatabase(kind)
    let observation = CountTracking.regions.observation.throttle(for: .milliseconds(50))
    let log = ValueLog<Int>()
    let shared = observation.shared(in: database.writer, scheduling: .task)
    let client = shared.start(onError: log.fail, onChange: log.append)
    _ = await log.values(until: 0)
    var values: [Int] = []
    for try await value in observation.values(in: database.writer) {
      values.append(value)
      if value == 0 {
        for id in 1...20 { try database.execute("INSERT INTO player (id) VALUES (\(id))") }
      }
      if value == 20 { break }
    }
    #expect(values.count < 10)
    #expect(await log.values(until: 20).count < 10)
    client.cancel()
  }

  @Test func `a cancelled observation delivers no late value`() async throws {
    let database = try ObservedDatabase(.queue)
    let (cancelled, other) = (ValueLog<Int>(), ValueLog<Int>())
    let observation = CountTracking.eachFetch.observation.throttle(for: .milliseconds(300))
    let cancellable = observation.start(in: database.writer, cancelled)
    _ = await cancelled.values(until: 0)
    let start = ContinuousClock.now
    try database.execute("INSERT INTO player (id) VALUES (1)")
    cancellable.cancel()
    // On a machine that is so slow, the value wasn't late.
    guard start.duration(to: .now) < .milliseconds(200) else { return }
    let second = observation.start(in: database.writer, other)
    _ = await other.values(until: 1)
    try database.execute("INSERT INTO player (id) VALUES (2)")
    _ = await other.values(until: 2)
    #expect(cancelled.values == [0])
    second.cancel()
  }

  @Test func `closing the database in an interval is no error`() async throws {
    let database = try ObservedDatabase(.queue)
    let log = ValueLog<Int>()
    let cancellable = CountTracking.eachFetch.observation.throttle(for: .milliseconds(50))
      .start(in: database.writer, log)
    _ = await log.values(until: 0)
    try database.execute("INSERT INTO player (id) VALUES (1)")
    try database.writer.close()
    // Time for the interval to end.
    try await Task.sleep(for: .milliseconds(150))
    #expect(log.errors.isEmpty)
    cancellable.cancel()
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `an error comes, and an interval of zero is none`(kind: EncryptedDatabase.Kind) async throws
  {
    let database = try ObservedDatabase(kind)
    let log = ValueLog<Int>()
    let cancellables = [
      CountTracking.firstFetch.observation.throttle(for: .zero).start(in: database.writer, log),
      CountTracking.firstFetch.observation.throttle(for: .milliseconds(20))
        .start(in: database.writer, log),
    ]
    _ = await log.values(atLeast: 2)
    try database.execute("DROP TABLE player")
    #expect(await log.errors(atLeast: 2).allSatisfy { $0 is DatabaseError })
    for cancellable in cancellables { cancellable.cancel() }
  }
}
