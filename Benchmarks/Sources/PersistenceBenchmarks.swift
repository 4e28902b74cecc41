import CFloor
import Coffer
import Foundation

/// Returns the benchmarks of records that are written with `encode(to:)`.
func persistenceBenchmarks(_ fixture: Fixture) -> [Benchmark] {
  let (queue, floor, rows) = (fixture.queue, fixture.floor, fixture.rows)
  let empty = { try queue.write { try $0.execute(sql: "DELETE FROM target") } }
  let sql = "INSERT INTO target VALUES (?,?,?,?,?,?,?,?,?,?)"
  let records = (0..<rows).map { TenIntegers(Int64($0) * 10) }
  return [
    Benchmark(
      name: "insert of records of 10 integers, encode(to:)", count: rows, goal: 1.15,
      prepare: empty, floor: { Int64(floor_insert_ten(floor, sql, Int64(rows))) }
    ) {
      try queue.write { db in
        for index in 0..<rows { try TenIntegers(Int64(index) * 10).insert(db) }
      }
      return 0
    },
    Benchmark(
      name: "insertAll of records of 10 integers", count: rows, goal: 1.10,
      prepare: empty, floor: { Int64(floor_insert_ten(floor, sql, Int64(rows))) }
    ) {
      _ = try queue.write { db in try TenIntegers.insertAll(db, records) }
      return 0
    },
  ]
}

private struct TenIntegers: PersistableRecord {
  static let databaseTableName = "target"

  var (i0, i1, i2, i3, i4): (Int64, Int64, Int64, Int64, Int64)
  var (i5, i6, i7, i8, i9): (Int64, Int64, Int64, Int64, Int64)

  init(_ n: Int64) {
    (i0, i1, i2, i3, i4) = (n, n + 1, n + 2, n + 3, n + 4)
    (i5, i6, i7, i8, i9) = (n + 5, n + 6, n + 7, n + 8, n + 9)
  }

  func encode(to container: inout PersistenceContainer) {
    container["i0"] = i0
    container["i1"] = i1
    container["i2"] = i2
    container["i3"] = i3
    container["i4"] = i4
    container["i5"] = i5
    container["i6"] = i6
    container["i7"] = i7
    container["i8"] = i8
    container["i9"] = i9
  }
}
