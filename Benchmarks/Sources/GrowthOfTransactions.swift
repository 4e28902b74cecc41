import Coffer
import Foundation

private struct Item: MappedRecord {
  var id: Int64, name: String, count: Int64
  static let databaseTableName = "item"
  static let mapping = Mapping(
    Item.init(id:name:count:), Field("id", \.id), Field("name", \.name), Field("count", \.count))

  init(id: Int64, name: String, count: Int64) {
    (self.id, self.name, self.count) = (id, name, count)
  }

  init(_ id: Int) { self.init(id: Int64(id), name: "item \(id)", count: Int64(id &* 7919 % 1000)) }
}

/// Changes many rows in one transaction, whose pages are written before its commit.
@Sendable func measureTransactions(_ size: Int, _ folder: String) throws -> [GrowthCase.Value] {
  let pool = try DatabasePool(path: "\(folder)/growth.db", configuration: .growth)
  try pool.write { try Item.createTable($0) }
  var values: [GrowthCase.Value] = []
  func measure(_ work: String, _ body: (Database) throws -> Void) throws {
    let memory = try ProcessStatus.peakMemory {
      values.append(
        try .time(of: "one transaction: \(work)", per: "row", count: size) {
          try pool.write { try body($0) }
        })
    }
    values.append(
      GrowthCase.Value("one transaction: \(work), peak of memory", "row", .totalMemory, memory))
  }
  try measure("inserted records") { db in
    for id in 1...size {
      var item = Item(id)
      try item.insert(db)
    }
  }
  // The array is made before, and isn't counted.
  var items = (size + 1...2 * size).map(Item.init)
  try measure("insertAll") { try Item.insertAll($0, &items) }
  items = []
  // What a migration does that can't describe the new values in SQL.
  try measure("rewritten rows") { db in
    let update = try db.makeStatement(sql: "UPDATE item SET name = ? WHERE id = ?")
    for id in 1...size { try update.execute(values: "renamed item \(id)", id) }
  }
  func measureLog(_ work: String) throws {
    let log = try FileManager.default.attributesOfItem(atPath: "\(folder)/growth.db-wal")
    values.append(
      GrowthCase.Value(
        "one transaction: \(work)", "row", .totalMemory, (log[.size] as? NSNumber)?.doubleValue ?? 0
      ))
  }
  try measureLog("its log")
  _ = try pool.writeWithoutTransaction { try $0.checkpoint() }
  try pool.write { try $0.execute(sql: "UPDATE item SET count = 0 WHERE id = 1") }
  try measureLog("the log after the next one")
  guard try pool.read({ try Item.fetchCount($0) }) == 2 * size else {
    throw WrongResult(description: "rows are missing")
  }
  try pool.close()
  return values
}

/// Follows a list of records while single rows of it change.
@Sendable func measureObservedLists(_ size: Int, _ folder: String) throws -> [GrowthCase.Value] {
  let changeCount = 200
  let pool = try DatabasePool(path: "\(folder)/growth.db", configuration: .growth)
  try pool.write { db in
    try Item.createTable(db)
    for id in 1...size {
      var item = Item(id)
      try item.insert(db)
    }
  }
  let request = Item.order(Column("count"))
  var values: [GrowthCase.Value] = []
  func change(_ work: String, _ wait: () -> Void, _ change: (Database, Int) throws -> Void) throws {
    // Or one of the commits would make a checkpoint.
    try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    var value = try GrowthCase.Value.time(of: work, per: "change", count: changeCount) {
      for step in 0..<changeCount {
        let id = 1 + step * (size / changeCount) % size
        try pool.write { try change($0, id) }
        wait()
      }
    }
    value.count = size
    value.sizeUnit = "row"
    values.append(value)
  }
  func rename(_ db: Database, _ id: Int) throws {
    try db.execute(sql: "UPDATE item SET name = name || '.' WHERE id = ?", arguments: [id])
  }
  func move(_ db: Database, _ id: Int) throws {
    try db.execute(
      sql: "UPDATE item SET count = (count + 500) % 1000 WHERE id = ?", arguments: [id])
  }
  try change("observed list: a commit that nobody observes", {}, rename)
  values.append(
    try .time(of: "observed list: all rows, fetched", per: "row", count: size) {
      blackHole(try pool.read { try request.fetchAll($0).count })
    })
  let isDelivered = DispatchSemaphore(value: 0)
  let receiver = DispatchQueue(label: "growth")
  // What a value costs at least that arrives on another thread.
  try change(
    "observed list: a commit, and another thread is told",
    {
      receiver.async { isDelivered.signal() }
      isDelivered.wait()
    }, rename)
  var cancellable: AnyDatabaseCancellable?
  let memory = try ProcessStatus.peakMemory {
    values.append(
      .time(of: "observed list: first value", per: "row", count: size) {
        cancellable = ValueObservation.trackingAll(request).start(
          in: pool, scheduling: .async(onQueue: receiver)
        ) { _ in
        } onChange: { _ in
          isDelivered.signal()
        }
        isDelivered.wait()
      })
    // The second array of rows is made by the first change after the writer is observed.
    for id in 1...2 {
      try pool.write { try rename($0, id) }
      isDelivered.wait()
    }
  }
  values.append(GrowthCase.Value("observed list: peak of memory", "row", .totalMemory, memory))
  try change("observed list: one row changes", { isDelivered.wait() }, rename)
  try change("observed list: one row moves", { isDelivered.wait() }, move)
  cancellable?.cancel()
  try pool.close()
  return values
}
