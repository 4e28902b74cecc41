import CofferTestSupport
import Testing

@testable import Coffer
@testable import CofferCore

/// An encrypted database with players, their teams, and a table that no test observes.
final class ObservedDatabase: Sendable {
  static let schema = """
    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER,
      team INTEGER REFERENCES team(id) ON DELETE CASCADE);
    CREATE TABLE other (id INTEGER PRIMARY KEY);
    """

  private let database: EncryptedDatabase
  var writer: any DatabaseWriter { database.writer }

  init(_ kind: EncryptedDatabase.Kind, _ configure: (inout Configuration) -> Void = { _ in }) throws
  {
    database = try EncryptedDatabase(kind, Self.schema, configure: configure)
  }

  // The synchronous forms, for asynchronous tests too.

  func write<T>(_ updates: (Database) throws -> T) throws -> T { try writer.write(updates) }

  func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
    try writer.writeWithoutTransaction(updates)
  }

  func read<T>(_ value: (Database) throws -> T) throws -> T { try writer.read(value) }

  func execute(_ sql: String) throws {
    try writer.writeWithoutTransaction { try $0.execute(sql: sql) }
  }

  /// The number of observers on the connection that writes.
  var observerCount: Int {
    get throws {
      try writer.unsafeReentrantWrite { db in
        db.observation.registry.all.items.count { $0.observer != nil }
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

extension ValueObservation {
  /// Starts the observation with a log of its values and errors.
  func start(
    in reader: any DatabaseReader, _ log: ValueLog<Reducer.Value>,
    scheduling scheduler: some ValueObservationScheduler = .task
  ) -> AnyDatabaseCancellable {
    start(in: reader, scheduling: scheduler, onError: log.fail, onChange: log.append)
  }
}
