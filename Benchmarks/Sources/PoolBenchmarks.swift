import Coffer
import Dispatch
import Foundation
import Synchronization

/// Returns the benchmarks of a pool. The C column shows the case after the slash in the name.
func poolBenchmarks(_ fixture: Fixture) throws -> [Benchmark] {
  let pool = try fixture.makePool()
  return readerBenchmarks(pool, fixture)
}

/// Sums all rows of ten columns, the work of one reader.
@Sendable private func sum(_ pool: DatabasePool) throws -> Int64 {
  try pool.read { db in
    var sum: Int64 = 0
    let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM ints")
    while let row = try cursor.next() {
      for index in 0..<10 { sum &+= row[index] as Int64 }
    }
    return sum
  }
}

private func readerBenchmarks(_ pool: DatabasePool, _ fixture: Fixture) -> [Benchmark] {
  let (queue, ids) = (fixture.queue, fixture.ids)
  let oneColumn = Table("ints").select(Column("i1"), as: Int.self)
  return [
    // Two readers must be at least 1.8 times as fast as one.
    Benchmark(
      name: "two readers at once / one after the other", count: 2 * fixture.rows,
      goal: 1 / 1.8,
      floor: { try sum(pool) &+ sum(pool) },
      library: {
        let other = Mutex<Result<Int64, any Error>?>(nil)
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {
          let result = Result { try sum(pool) }
          other.withLock { $0 = result }
        }
        let own = try sum(pool)
        group.wait()
        return own &+ (try other.withLock(\.self)?.get() ?? 0)
      }),
    // With two cores. Two must be at least 1.8 times as fast as one.
    Benchmark(
      name: "one scan on all cores, Row / plain", count: fixture.rows, goal: 1 / 1.8,
      floor: { try pool.read { Int64(try Table("ints").fetchAll($0).count) } },
      library: { Int64(try pool.concurrentFetchAll(Table("ints")).count) }),
    Benchmark(
      name: "one scan on all cores, Int / plain", count: fixture.rows, goal: 1 / 1.8,
      floor: { try pool.read { Int64(try oneColumn.fetchAll($0).count) } },
      library: { Int64(try pool.concurrentFetchAll(oneColumn).count) }),
    Benchmark(
      name: "one scan on all cores, forEach / plain", count: fixture.rows, goal: 1 / 1.8,
      floor: {
        var sum: Int64 = 0
        try pool.read { db in
          let cursor = try oneColumn.fetchCursor(db)
          while let value = try cursor.next() { sum &+= Int64(value) }
        }
        return sum
      },
      library: {
        var sum: Int64 = 0
        try pool.concurrentForEach(oneColumn) { sum &+= Int64($0) }
        return sum
      }),
    Benchmark(
      name: "read {} of a pool / of a queue", count: ids.count, goal: nil,
      floor: { try lookUp(ids, in: queue) }, library: { try lookUp(ids, in: pool) }),
    Benchmark(
      name: "read {} during a write / without one", count: ids.count, goal: nil,
      floor: { try lookUp(ids, in: pool) }, library: { try lookUpDuringWrite(ids, in: pool) }),
  ]
}

/// Reads one row by its key for each identifier, each in a separate access.
private func lookUp(_ ids: [Int64], in reader: some DatabaseReader) throws -> Int64 {
  var sum: Int64 = 0
  for id in ids {
    sum &+= try reader.read { db in
      try Int64.fetchOne(
        db.cachedStatement(sql: "SELECT i1 FROM ints WHERE i0 = ?"), arguments: [id]) ?? 0
    }
  }
  return sum
}

/// Looks up rows during a write that has changed some. If reads waited for it, this would deadlock.
private func lookUpDuringWrite(_ ids: [Int64], in pool: DatabasePool) throws -> Int64 {
  let sum = Mutex<Result<Int64, any Error>>(.success(0))
  try pool.writeInTransaction { db in
    try db.execute(sql: "UPDATE ints SET i1 = i1 + 1 WHERE i0 <= 1000")
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) {
      let result = Result { try lookUp(ids, in: pool) }
      sum.withLock { $0 = result }
    }
    group.wait()
    return .rollback
  }
  return try sum.withLock(\.self).get()
}

extension Fixture {
  /// Creates a pool on a copy of the file.
  func makePool() throws -> DatabasePool {
    var configuration = Configuration()
    // SQLite's default for each of three connections.
    configuration.cacheSize = 3 * 2_000 << 10
    configuration.prepareDatabase { db in
      if !db.configuration.readonly { try db.execute(sql: "PRAGMA synchronous = OFF") }
    }
    let path = directory.appendingPathComponent("pool.db").path
    let pool = try DatabasePool(
      path: path, key: .raw((0..<32).map { UInt8($0) }), configuration: configuration)
    try queue.backup(to: pool)
    return pool
  }
}
