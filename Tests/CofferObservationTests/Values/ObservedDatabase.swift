import Synchronization
import Testing

@testable import Coffer
@testable import CofferCore

/// The kinds of databases that are written and observed.
enum DatabaseKind: String, CaseIterable, Sendable {
  case queue, pool
}

/// An encrypted database with a table of players, their teams, and what nobody observes.
final class ObservedDatabase: Sendable {
  static let schema = """
    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER,
      team INTEGER REFERENCES team(id) ON DELETE CASCADE);
    CREATE TABLE other (id INTEGER PRIMARY KEY);
    """

  let writer: any DatabaseWriter
  private let owner: AnyObject & Sendable

  init(_ kind: DatabaseKind, _ configure: (inout Configuration) -> Void = { _ in }) throws {
    switch kind {
    case .queue:
      let database = try EncryptedQueue(Self.schema, configure: configure)
      (writer, owner) = (database.queue, database)
    case .pool:
      let database = try EncryptedPool(Self.schema, configure: configure)
      (writer, owner) = (database.pool, database)
    }
  }

  // Not the asynchronous forms, in asynchronous tests either.

  func write<T>(_ updates: (Database) throws -> T) throws -> T { try writer.write(updates) }

  func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
    try writer.writeWithoutTransaction(updates)
  }

  func read<T>(_ value: (Database) throws -> T) throws -> T { try writer.read(value) }

  func execute(_ sql: String) throws {
    try writer.writeWithoutTransaction { try $0.execute(sql: sql) }
  }

  /// How many observers the connection that writes has.
  var observerCount: Int {
    get throws {
      try writer.unsafeReentrantWrite { db in
        db.observation.registrations.count { $0.observer != nil }
      }
    }
  }
}

/// The ways to observe the number of players.
enum CountTracking: String, CaseIterable, Sendable {
  case eachFetch, firstFetch, regions

  var observation: ValueObservation<ValueReducers.Fetch<Int>> {
    let fetch: @Sendable (Database) throws -> Int = { db in
      try Int.fetchOne(db, sql: "SELECT count(id) FROM player") ?? -1
    }
    return switch self {
    case .eachFetch: .tracking(fetch)
    case .firstFetch: .trackingConstantRegion(fetch)
    case .regions:
      .tracking(region: SQLRequest<Row>(sql: "SELECT id FROM player"), fetch: fetch)
    }
  }
}

/// What an observation has delivered.
final class ValueLog<Value: Sendable>: Sendable {
  private struct State {
    var values: [Value] = []
    var errors: [any Error] = []
    var waiters: [(isDone: @Sendable ([Value], Int) -> Bool, CheckedContinuation<Void, Never>)] =
      []
  }

  private let state = Mutex(State())

  var values: [Value] { state.withLock(\.values) }

  var errors: [any Error] { state.withLock(\.errors) }

  func append(_ value: Value) { change { $0.values.append(value) } }

  func fail(_ error: any Error) { change { $0.errors.append(error) } }

  private func change(_ change: (inout State) -> Void) {
    let done = state.withLock { state in
      change(&state)
      let done = state.waiters.filter { $0.isDone(state.values, state.errors.count) }
      state.waiters.removeAll { $0.isDone(state.values, state.errors.count) }
      return done
    }
    for (_, continuation) in done { continuation.resume() }
  }

  private func wait(_ isDone: @escaping @Sendable ([Value], Int) -> Bool) async {
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        if isDone(state.values, state.errors.count) { return true }
        state.waiters.append((isDone, continuation))
        return false
      }
      if isDone { continuation.resume() }
    }
  }

  /// Waits for a number of values, and returns all that have come.
  func values(atLeast count: Int) async -> [Value] {
    await wait { values, _ in values.count >= count }
    return values
  }

  /// Waits for the error.
  func error() async -> any Error {
    await errors(atLeast: 1)[0]
  }

  /// Waits for a number of errors, and returns all that have come.
  func errors(atLeast count: Int) async -> [any Error] {
    await wait { _, errors in errors >= count }
    return errors
  }
}

extension ValueLog where Value: Equatable {
  /// Waits for a value, and returns all that have come.
  func values(until last: Value) async -> [Value] {
    await wait { values, _ in values.last == last }
    return values
  }
}

extension ValueObservation {
  /// Starts the observation in a task, with what it delivers in a log.
  func start(
    in reader: any DatabaseReader, _ log: ValueLog<Reducer.Value>,
    scheduling scheduler: some ValueObservationScheduler = .task
  ) -> AnyDatabaseCancellable {
    start(in: reader, scheduling: scheduler, onError: log.fail, onChange: log.append)
  }
}

struct TestError: Error, Equatable {}
