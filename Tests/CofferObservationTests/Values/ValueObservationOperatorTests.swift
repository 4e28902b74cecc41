import CofferExpectations
import CofferTestSupport
import Synchronization
import Testing

@testable import Coffer

@Suite("Operators of observations", .timeLimit(.minutes(15)))
struct ValueObservationOperatorTests {
  private let names = ValueObservation.tracking { db in
    try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY id")
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `values are mapped outside of the database`(kind: EncryptedDatabase.Kind) async throws {
    let database = try ObservedDatabase(kind)
    let log = ValueLog<Int>()
    let writer = database.writer
    let cancellable = names.map { names in
      // Inside of an access, this would throw.
      try writer.write { _ in names.count * 10 }
    }.map { $0 + 1 }.start(in: database.writer, log)
    _ = await log.values(until: 1)
    try database.execute("INSERT INTO player (id, name) VALUES (1, 'Arthur')")
    #expect(await log.values(until: 11) == [1, 11])
    cancellable.cancel()
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a value that equals the one before is left out`(kind: EncryptedDatabase.Kind) async throws {
    let database = try ObservedDatabase(kind)
    let all = ValueLog<[String]>()
    let distinct = ValueLog<[String]>()
    let counts = ValueLog<[String]>()
    let cancellables = [
      names.start(in: database.writer, all),
      names.removeDuplicates().start(in: database.writer, distinct),
      names.removeDuplicates { $0.count == $1.count }.start(in: database.writer, counts),
    ]
    _ = await (all.values(atLeast: 1), distinct.values(atLeast: 1), counts.values(atLeast: 1))
    try database.execute("INSERT INTO player (id, name) VALUES (1, 'a')")
    try database.execute("UPDATE player SET name = 'a'")
    try database.execute("UPDATE player SET name = 'b'")
    try database.execute("INSERT INTO player (id, name) VALUES (2, 'c')")
    #expect(await all.values(until: ["b", "c"]) == [[], ["a"], ["a"], ["b"], ["b", "c"]])
    #expect(await distinct.values(until: ["b", "c"]) == [[], ["a"], ["b"], ["b", "c"]])
    #expect(await counts.values(until: ["b", "c"]) == [[], ["a"], ["b", "c"]])
    for cancellable in cancellables { cancellable.cancel() }
  }

  @Test func `each start begins anew with duplicates`() async throws {
    let database = try ObservedDatabase(.queue)
    let observation = names.removeDuplicates()
    for _ in 0..<3 {
      let log = ValueLog<[String]>()
      let cancellable = observation.start(in: database.writer, log)
      #expect(await log.values(atLeast: 1) == [[]])
      cancellable.cancel()
    }
  }

  // MARK: Events

  private struct Output: TextOutputStream, Sendable {
    let log: ValueLog<String>

    func write(_ string: String) { log.append(string) }
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `the events of an observation can be printed`(kind: EncryptedDatabase.Kind) async throws {
    let database = try ObservedDatabase(kind)
    let lines = ValueLog<String>()
    let log = ValueLog<[String]>()
    let cancellable = names.print("names", to: Output(log: lines)).start(in: database.writer, log)
    _ = await log.values(until: [])
    while try database.observerCount == 0 { await Task.yield() }
    try database.execute("INSERT INTO player (id, name) VALUES (1, 'Arthur')")
    _ = await log.values(until: ["Arthur"])
    cancellable.cancel()
    let beginning = ["names: tracked region: player(id,name)", "names: value: []"]
    #expect(lines.values.prefix(2) == ["names: start", "names: fetch"])
    // A pool reports the region when it is tracked, which may be after the value.
    #expect(
      kind == .queue
        ? lines.values[2...3] == beginning[...] : lines.values[2...3].sorted() == beginning)
    #expect(
      lines.values.dropFirst(4).joined(separator: "\n") == """
        names: database did change
        names: fetch
        names: value: ["Arthur"]
        names: cancel
        """)
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `no region is tracked where nothing can change`(kind: EncryptedDatabase.Kind) async throws {
    let database = try ObservedDatabase(kind)
    func events(_ reader: any DatabaseReader) async -> [String] {
      let lines = ValueLog<String>()
      let log = ValueLog<[String]>()
      let cancellable = names.print(to: Output(log: lines)).start(in: reader, log)
      _ = await log.values(until: [])
      cancellable.cancel()
      return lines.values
    }
    let expected = ["start", "fetch", "value: []", "cancel"]
    if let pool = database.writer as? DatabasePool {
      #expect(await events(try pool.makeSnapshot()) == expected)
    }
    var configuration = database.writer.configuration
    configuration.readonly = true
    let reader: any DatabaseReader =
      switch kind {
      case .queue: try DatabaseQueue(path: database.writer.path, configuration: configuration)
      case .pool: try DatabasePool(path: database.writer.path, configuration: configuration)
      }
    #expect(await events(reader) == expected)
  }

  @MainActor @Test func `a change while a pool's observation begins is fetched once`() async throws
  {
    let database = try ObservedDatabase(.pool)
    let isFirst = Atomic(true)
    let lines = ValueLog<String>()
    let log = ValueLog<[String]>()
    let cancellable = ValueObservation.trackingConstantRegion { db -> [String] in
      let names = try String.fetchAll(db, sql: "SELECT name FROM player")
      if isFirst.exchange(false, ordering: .relaxed) {
        try database.execute("INSERT INTO player (id, name) VALUES (1, 'Arthur')")
      }
      return names
    }.print(to: Output(log: lines)).start(
      in: database.writer, scheduling: .immediate, onError: { log.fail($0) },
      onChange: { log.append($0) })
    _ = await log.values(until: ["Arthur"])
    cancellable.cancel()
    #expect(lines.values.prefix(2) == ["start", "fetch"])
    #expect(
      lines.values.filter { $0 != "value: []" }.dropFirst(2) == [
        "database did change", "fetch", "tracked region: player(name)", "value: [\"Arthur\"]",
        "cancel",
      ])
  }

  @Test func `a failure is printed, and no cancellation after it`() async throws {
    let database = try ObservedDatabase(.queue)
    let lines = ValueLog<String>()
    let log = ValueLog<Int>()
    let cancellable = ValueObservation.tracking { _ -> Int in throw TestError() }
      .print(to: Output(log: lines)).start(in: database.writer, log)
    _ = await log.error()
    cancellable.cancel()
    #expect(lines.values == ["start", "fetch", "failure: \(TestError())"])
  }

  @Test func `functions are called for all events, the inner ones first`() async throws {
    let database = try ObservedDatabase(.queue)
    let events = ValueLog<String>()
    let log = ValueLog<Int>()
    let observation = CountTracking.eachFetch.observation
      .handleEvents(
        willStart: { events.append("start") }, willFetch: { events.append("fetch") },
        willTrackRegion: { events.append("\($0)") }, databaseDidChange: { events.append("change") },
        didReceiveValue: { events.append("\($0)") }, didCancel: { events.append("cancel") }
      )
      .map { $0 * 10 }
      .handleEvents(
        willStart: { events.append("start 2") }, willFetch: { events.append("fetch 2") },
        didReceiveValue: { events.append("\($0)") }, didFail: { _ in events.append("fail") },
        didCancel: { events.append("cancel 2") })
    let cancellable = observation.start(in: database.writer, log)
    _ = await log.values(atLeast: 1)
    try database.execute("INSERT INTO player (id) VALUES (1)")
    _ = await log.values(until: 10)
    cancellable.cancel()
    #expect(
      events.values == [
        "start", "start 2", "fetch 2", "fetch", "player(id)", "0", "0", "change", "fetch 2",
        "fetch", "1", "10", "cancel", "cancel 2",
      ])
  }
}
