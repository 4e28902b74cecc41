import CFloor
import Coffer
import Foundation

/// The benchmarks of records that are `Codable`.
func codableBenchmarks(_ fixture: Fixture) -> [Benchmark] {
  codableDecodingBenchmarks(fixture)
}

struct CodableInts: Codable, FetchableRecord {
  var i0: Int64, i1: Int, i2: Int, i3: Int, i4: Int, i5: Int, i6: Int, i7: Int, i8: Int, i9: Int
}

private func codableDecodingBenchmarks(_ fixture: Fixture) -> [Benchmark] {
  let (queue, floor, rows) = (fixture.queue, fixture.floor, fixture.rows)
  return [
    Benchmark(
      name: "Codable records, cursor of 10 integer columns", count: rows, goal: 1.8,
      floor: { floor_sum_ten(floor, "SELECT * FROM ints") }
    ) {
      try queue.unsafeRead { db in
        var sum: Int64 = 0
        let cursor = try CodableInts.fetchCursor(db, sql: "SELECT * FROM ints")
        while let record = try cursor.next() {
          sum &+= record.i0 &+ Int64(record.i1 &+ record.i2 &+ record.i3 &+ record.i4)
          sum &+= Int64(record.i5 &+ record.i6 &+ record.i7 &+ record.i8 &+ record.i9)
        }
        return sum
      }
    },
    Benchmark(
      name: "Codable records, fetchAll of 10 integer columns", count: rows, goal: 1.8,
      floor: { floor_collect_ten(floor, "SELECT * FROM ints") }
    ) {
      try queue.unsafeRead { db in
        Int64(try CodableInts.fetchAll(db, sql: "SELECT * FROM ints").count * 10)
      }
    },
  ]
}
