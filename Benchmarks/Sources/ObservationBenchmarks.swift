import Coffer
import Dispatch
import Foundation

/// Returns the benchmarks of observers during commits, and of lists that follow a table.
///
/// C has no equivalent. For commits, its column shows a commit with one observation.
func observationBenchmarks(_ fixture: Fixture) -> [Benchmark] {
  let few = ObservedDatabase(fixture.directory.appendingPathComponent("observed-1.db").path)
  let many = ObservedDatabase(fixture.directory.appendingPathComponent("observed-1001.db").path)
  let list = FollowedList(fixture.directory.appendingPathComponent("list.db").path)
  return [
    Benchmark(
      name: "commit, 1,000 other ValueObservations / none", count: ObservedDatabase.commitCount,
      goal: 2.0,
      prepare: {
        try few.setUp(observedTables: 1)
        try many.setUp(observedTables: 1_001)
      }, floor: { try few.commit() }
    ) { try many.commit() },
    Benchmark(
      name: "controller: 10,000 records, one change", count: FollowedList.changeCount, goal: nil,
      prepare: list.setUp, floor: nil, library: list.change),
  ]
}

/// A database with 1,001 tables, the first of which is written.
private final class ObservedDatabase {
  static let commitCount = 500
  private let path: String
  private let observingQueue = DispatchQueue(label: "observations")
  private var queue: DatabaseQueue?
  private var observations: [AnyDatabaseCancellable] = []

  init(_ path: String) { self.path = path }

  /// Creates the database and its observations, once.
  func setUp(observedTables: Int) throws {
    guard queue == nil else { return }
    let queue = try makeQueue(path)
    try queue.write { db in
      for table in 0..<1_001 {
        try db.execute(sql: "CREATE TABLE t\(table) (id INTEGER PRIMARY KEY, n INTEGER)")
      }
      try db.execute(sql: "INSERT INTO t0 VALUES (1, 0)")
    }
    observations = (0..<observedTables).map { observe("t\($0)", in: queue) }
    self.queue = queue
  }

  /// Observes a number in the table.
  private func observe(_ table: String, in queue: DatabaseQueue) -> AnyDatabaseCancellable {
    let number = ValueObservation.trackingConstantRegion { db in
      try Int64.fetchOne(db, sql: "SELECT n FROM \(table)")
    }
    let hasBegun = DispatchSemaphore(value: 0)
    let cancellable = number.start(in: queue, scheduling: .async(onQueue: observingQueue)) { _ in
    } onChange: { _ in
      hasBegun.signal()
    }
    hasBegun.wait()
    return cancellable
  }

  /// Changes an observed value, in separate transactions.
  func commit() throws -> Int64 {
    for _ in 0..<Self.commitCount {
      try queue?.write { try $0.execute(sql: "UPDATE t0 SET n = n + 1 WHERE id = 1") }
    }
    return Int64(Self.commitCount)
  }
}

/// A controller of 10,000 records.
private final class FollowedList {
  static let changeCount = 10
  private struct Item: MappedRecord {
    var id: Int64, name: String, count: Int64
    static let databaseTableName = "item"
    static let mapping = Mapping(
      Item.init(id:name:count:), Field("id", \.id), Field("name", \.name),
      Field("count", \.count))
  }

  private let path: String
  private let controllerQueue = DispatchQueue(label: "benchmark")
  private let isTold = DispatchSemaphore(value: 0)
  private var queue: DatabaseQueue?
  private var controller: FetchedRecordsController<Item>?

  init(_ path: String) { self.path = path }

  /// Creates the database and its controller, once.
  func setUp() throws {
    guard queue == nil else { return }
    let queue = try makeQueue(path)
    try queue.write { db in
      try Item.createTable(db)
      for id in 1...10_000 {
        var item = Item(id: Int64(id), name: "item \(id)", count: 0)
        try item.insert(db)
      }
    }
    let controller = try FetchedRecordsController(
      queue, request: Item.order(Column("id")), queue: controllerQueue)
    try controllerQueue.sync { [isTold] in
      controller.trackChanges { _ in isTold.signal() }
      try controller.performFetch()
    }
    self.queue = queue
    self.controller = controller
  }

  /// Changes records, and waits after each change until the controller has reported it.
  func change() throws -> Int64 {
    guard let queue else { return 0 }
    for step in 0..<Self.changeCount {
      try queue.write {
        try $0.execute(
          sql: "UPDATE item SET count = count + 1 WHERE id = ?", arguments: [step * 999 + 1])
      }
      isTold.wait()
    }
    return Int64(Self.changeCount)
  }
}

private func makeQueue(_ path: String) throws -> DatabaseQueue {
  // Waiting for the disk isn't part of the measured work.
  var configuration = Configuration()
  configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
  return try DatabaseQueue(
    path: path, key: .raw([UInt8](repeating: 1, count: 32)), configuration: configuration)
}
