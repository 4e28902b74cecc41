import Coffer
import Dispatch
import Foundation
import Testing

// An application in the language mode of Swift 5, without any marks for concurrency. It must
// compile without a warning.

struct Player: Codable, FetchableRecord, PersistableRecord {
  var id: Int64
  var name: String
}

final class PlayerList {
  var players: [Player] = []
  var changes = 0
  var errors: [Error] = []
  var cancellables: [AnyDatabaseCancellable] = []
  let database: DatabaseWriter

  init(_ database: DatabaseWriter) { self.database = database }

  func fetch(_ db: Database) throws -> [Player] {
    try Player.order(Column("name")).fetchAll(db)
  }

  /// On no actor, as far as the compiler knows, and called on the main thread.
  func observe() {
    let observation = ValueObservation.tracking { db in try Player.fetchAll(db) }
    cancellables.append(
      observation.start(
        in: database, scheduling: .immediate, onError: { self.errors.append($0) },
        onChange: { [weak self] players in self?.players = players }))
    cancellables.append(
      observation.start(in: database) { error in
        self.errors.append(error)
      } onChange: { players in
        self.players = players
      })
  }

  func observe(
    on queue: DispatchQueue, fetch: @escaping (Database) throws -> Int,
    onError: @escaping (Error) -> Void, onChange: @escaping (Int) -> Void
  ) {
    let observations = [
      ValueObservation.tracking(fetch), .trackingConstantRegion(fetch),
      .tracking(region: Player.all(), fetch: fetch),
      .tracking(regions: [Player.all()], fetch: fetch),
    ]
    for observation in observations {
      cancellables.append(
        observation.start(
          in: database, scheduling: .async(onQueue: queue), onError: onError, onChange: onChange))
    }
    let shared = observations[0].shared(in: database, scheduling: .async(onQueue: queue))
    cancellables.append(shared.start(onError: onError, onChange: onChange))
    cancellables.append(
      DatabaseRegionObservation(tracking: Player.all()).start(
        in: database, onError: onError, onChange: { _ in self.changes += 1 }))
  }

  func save(_ player: Player) {
    database.asyncWrite {
      try player.save($0)
    } completion: { _, result in
      if case .failure(let error) = result { self.errors.append(error) }
    }
    database.asyncRead { result in
      do { self.players = try self.fetch(result.get()) } catch { self.errors.append(error) }
    }
  }

  func reload() async throws {
    players = try await database.read { try self.fetch($0) }
    try await database.write { try Player(id: 9, name: "Zoe").save($0) }
  }

  func reloadInTask() -> Task<Int, Error> {
    Task {
      let players = try self.database.read { try self.fetch($0) }
      try self.database.write { try Player(id: 8, name: "Yves").save($0) }
      return players.count
    }
  }
}

struct Swift5ClientTests {
  private func makeQueue() throws -> DatabaseQueue {
    var configuration = Configuration()
    var count = 0
    configuration.key = try .raw([UInt8](repeating: 0x5A, count: 32))
    configuration.prepareDatabase { db in
      db.add(function: DatabaseFunction("one", argumentCount: 0) { _ in 1 })
    }
    let queue = try DatabaseQueue(configuration: configuration)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in
      try db.create(table: "player") { table in
        table.primaryKey("id", .integer)
        table.column("name", .text)
      }
    }
    try migrator.migrate(queue)
    try queue.write { db in
      count += 1
      try Player(id: 1, name: "Arthur").insert(db)
    }
    #expect(count == 1)
    return queue
  }

  @MainActor @Test func `values come to code that is on no actor`() async throws {
    let list = PlayerList(try makeQueue())
    list.observe()
    #expect(list.players.map(\.name) == ["Arthur"])
    list.cancellables = []
  }

  @Test func `functions without a mark observe and fetch`() async throws {
    let queue = try makeQueue()
    let list = PlayerList(queue)
    let serial = DispatchQueue(label: "values")
    let values = DispatchSemaphore(value: 0)
    serial.sync {
      list.observe(
        on: serial, fetch: { try Player.fetchCount($0) }, onError: { list.errors.append($0) },
        onChange: { if $0 == 2 { values.signal() } })
    }
    list.save(Player(id: 2, name: "Barbara"))
    for _ in 0..<5 { await wait(for: values) }
    try await list.reload()
    #expect(try await list.reloadInTask().value == 3)
    #expect(list.errors.isEmpty)
    #expect(list.changes > 0)
    list.cancellables = []
  }

  private func wait(for semaphore: DispatchSemaphore) async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        semaphore.wait()
        continuation.resume()
      }
    }
  }
}
