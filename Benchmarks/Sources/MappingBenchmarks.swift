import CFloor
import CSQLCipher
import Coffer
import Foundation

/// The benchmarks of records with declared mappings.
func mappingBenchmarks(_ fixture: Fixture) -> [Benchmark] {
  mappedTenBenchmarks(fixture)
}

// MARK: - Ten integers

struct MappedTen: MappedRecord {
  static let databaseTableName = "ints"
  var i0, i1, i2, i3, i4, i5, i6, i7, i8, i9: Int64

  static let mapping = Mapping(
    MappedTen.init(i0:i1:i2:i3:i4:i5:i6:i7:i8:i9:), Field("i0", \.i0), Field("i1", \.i1),
    Field("i2", \.i2), Field("i3", \.i3), Field("i4", \.i4), Field("i5", \.i5), Field("i6", \.i6),
    Field("i7", \.i7), Field("i8", \.i8), Field("i9", \.i9))

  var sum: Int64 { i0 &+ i1 &+ i2 &+ i3 &+ i4 &+ i5 &+ i6 &+ i7 &+ i8 &+ i9 }
}

private func mappedTenBenchmarks(_ fixture: Fixture) -> [Benchmark] {
  let (queue, floor, rows) = (fixture.queue, fixture.floor, fixture.rows)
  return [
    Benchmark(
      name: "records, mapping, cursor", count: rows, goal: 1.15,
      floor: { floor_sum_ten(floor, "SELECT * FROM ints") }
    ) {
      try queue.unsafeRead { db in
        var sum: Int64 = 0
        let cursor = try MappedTen.fetchCursor(db)
        while let record = try cursor.next() { sum &+= record.sum }
        return sum
      }
    },
    Benchmark(
      name: "records, mapping, fetchAll", count: rows, goal: 1.15,
      floor: { floor_collect_ten(floor, "SELECT * FROM ints") }
    ) {
      try queue.unsafeRead { Int64(try MappedTen.fetchAll($0).count * 10) }
    },
  ]
}

