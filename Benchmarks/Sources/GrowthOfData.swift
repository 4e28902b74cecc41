import Coffer
import Foundation
import Synchronization

/// Creates the table `n` of integers, with rows.
private func fill(_ queue: DatabaseQueue, rows: Int) throws {
  try queue.write { db in
    try db.execute(sql: "CREATE TABLE n (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER)")
    let insertion = try db.makeStatement(sql: "INSERT INTO n VALUES (?, ?, ?)")
    for row in 1...rows { try insertion.execute(values: row, row &* 7, row % 1000) }
  }
}

/// Reads all rows by a cursor, which takes the same memory for any number of them.
@Sendable func measureCursor(_ size: Int, _ folder: String) throws -> [GrowthCase.Value] {
  let queue = try DatabaseQueue(path: "\(folder)/growth.db", configuration: .growth)
  try fill(queue, rows: size)
  var time: GrowthCase.Value?
  let memory = try ProcessStatus.peakMemory {
    time = try .time(of: "cursor", per: "row", count: size) {
      let sum = try queue.read { db in
        var sum: Int64 = 0
        let rows = try Row.fetchCursor(db, sql: "SELECT id, a, b FROM n")
        while let row = try rows.next() { sum &+= row[0] &+ row[1] &+ row[2] }
        return sum
      }
      blackHole(sum)
    }
  }
  try queue.close()
  return [time, GrowthCase.Value("cursor, peak of memory", "row", .totalMemory, memory)]
    .compactMap(\.self)
}

/// Fetches rows by a list of their keys, as an argument.
@Sendable func measureList(_ size: Int, _ folder: String) throws -> [GrowthCase.Value] {
  let queue = try DatabaseQueue(path: "\(folder)/growth.db", configuration: .growth)
  try fill(queue, rows: size)
  let ids = Array(1...size)
  let values = try queue.read { db in
    try [
      GrowthCase.Value.time(of: "IN with a list as argument", per: "element", count: size) {
        blackHole(
          try Int.fetchOne(db, sql: "SELECT count(*) FROM n WHERE id IN (?)", arguments: [ids]))
      },
      .time(of: "contains of a request", per: "element", count: size) {
        blackHole(try Table("n").filter(ids.contains(Column("id"))).fetchCount(db))
      },
    ]
  }
  try queue.close()
  return values
}

/// Changes rows in one transaction that a ``ValueObservation`` and an observer of all changes
/// follow.
@Sendable func measureChanges(_ size: Int, _ folder: String) throws -> [GrowthCase.Value] {
  let queue = try DatabaseQueue(path: "\(folder)/growth.db", configuration: .growth)
  try fill(queue, rows: size)
  let changes = ChangeCounter()
  let isDelivered = DispatchSemaphore(value: 0)
  queue.add(transactionObserver: changes)
  let observation = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT sum(b) FROM n") }
  let cancellable = observation.start(
    in: queue, scheduling: .async(onQueue: DispatchQueue(label: "growth"))
  ) { _ in
  } onChange: { _ in
    isDelivered.signal()
  }
  isDelivered.wait()
  var values: [GrowthCase.Value] = []
  func measure(_ work: String, _ body: (Database) throws -> Void) throws {
    let memory = try ProcessStatus.peakMemory {
      values.append(
        try .time(of: work, per: "change", count: size) {
          try queue.write { try body($0) }
          isDelivered.wait()
        })
    }
    values.append(GrowthCase.Value(work + ", peak of memory", "change", .totalMemory, memory))
  }
  try measure("observed transaction") { db in
    for id in 1...size {
      try db.execute(sql: "UPDATE n SET b = b + 1 WHERE id = ?", arguments: [id])
    }
  }
  try measure("observed transaction, in a savepoint") { db in
    try db.inSavepoint {
      for id in 1...size {
        try db.execute(sql: "UPDATE n SET b = b + 1 WHERE id = ?", arguments: [id])
      }
      return .commit
    }
  }
  guard changes.count == 2 * size else {
    throw WrongResult(description: "\(changes.count) of \(2 * size) changes were observed")
  }
  cancellable.cancel()
  try queue.close()
  return values
}

/// Counts all changes.
private final class ChangeCounter: TransactionObserver {
  private let total = Mutex(0)
  var count: Int { total.withLock(\.self) }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
  func databaseDidChange(with event: DatabaseEvent) { total.withLock { $0 += 1 } }
  func databaseDidCommit(_ db: Database) {}
  func databaseDidRollback(_ db: Database) {}
}

/// Works on a file of that many pages of 4 KiB.
@Sendable func measurePages(_ size: Int, _ folder: String) throws -> [GrowthCase.Value] {
  let queue = try DatabaseQueue(path: "\(folder)/growth.db", configuration: .growth)
  // Each row fills most of a page.
  try queue.write { try $0.execute(sql: "CREATE TABLE page (id INTEGER PRIMARY KEY, bytes BLOB)") }
  var values: [GrowthCase.Value] = []
  values.append(
    try .time(of: "large file: insertion", per: "page", count: size) {
      for start in stride(from: 1, through: size, by: 10_000) {
        try queue.write { db in
          let insertion = try db.makeStatement(sql: "INSERT INTO page VALUES (?, randomblob(3800))")
          for id in start...min(size, start + 9_999) { try insertion.execute(values: id) }
        }
      }
    })
  values.append(
    try .time(of: "large file: lookup", per: "lookup", count: 20_000) {
      let ids = Fixture.ids(rows: size)
      try queue.read { db in
        for id in ids {
          blackHole(
            try Int.fetchOne(
              db, sql: "SELECT length(bytes) FROM page WHERE id = ?", arguments: [id]))
        }
      }
    })
  // What was measured is a lookup in a file of this size.
  values[1].count = size
  values[1].sizeUnit = "page"
  values.append(
    try .time(of: "large file: scan", per: "page", count: size) {
      blackHole(try queue.read { try Int.fetchOne($0, sql: "SELECT sum(length(bytes)) FROM page") })
    })
  func measure(_ work: String, _ body: () throws -> Void) throws {
    let memory = try ProcessStatus.peakMemory {
      values.append(try .time(of: "large file: \(work)", per: "page", count: size, body))
    }
    values.append(
      GrowthCase.Value("large file: \(work), peak of memory", "page", .totalMemory, memory))
  }
  try measure("changeKey") { try queue.changeKey(to: .raw([UInt8](repeating: 8, count: 32))) }
  try measure("vacuum") { try queue.vacuum() }
  try queue.close()
  return values
}
