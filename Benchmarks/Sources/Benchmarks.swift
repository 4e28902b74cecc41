import CFloor
import Coffer
import Foundation

/// Returns all benchmarks, in execution order.
func coreBenchmarks(_ fixture: Fixture) throws -> [Benchmark] {
  try readingBenchmarks(fixture) + bytesBenchmarks(fixture) + writingBenchmarks(fixture)
    + accessBenchmarks(fixture) + requestBenchmarks(fixture) + arrayBenchmarks(fixture)
    + recordBenchmarks(fixture) + mappingBenchmarks(fixture) + codableBenchmarks(fixture)
    + leastCodableBenchmarks(fixture)
    + persistenceBenchmarks(fixture) + associationBenchmarks(fixture)
    + connectionBenchmarks(fixture) + freshnessBenchmarks(fixture) + archiveBenchmarks(fixture)
    + poolBenchmarks(fixture) + processorBenchmarks(fixture)
    + observationBenchmarks(fixture)
    + documentBenchmarks(fixture)
}

private let insertSQL = "INSERT INTO target VALUES (?,?,?,?,?,?,?,?,?,?)"

private func readingBenchmarks(_ fixture: Fixture) -> [Benchmark] {
  let (queue, floor, rows) = (fixture.queue, fixture.floor, fixture.rows)
  return [
    Benchmark(
      name: "cursor, 10 integer columns by index", count: rows, goal: 1.03,
      floor: { floor_sum_ten(floor, "SELECT * FROM ints") }
    ) {
      try queue.unsafeRead { db in
        var sum: Int64 = 0
        let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM ints")
        while let row = try cursor.next() {
          for index in 0..<10 { sum &+= row[index] as Int64 }
        }
        return sum
      }
    },
    Benchmark(
      name: "cursor, 10 integer columns by name", count: rows, goal: 1.05,
      floor: { floor_sum_ten(floor, "SELECT * FROM ints") }
    ) {
      try queue.unsafeRead { db in
        var sum: Int64 = 0
        let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM ints")
        while let row = try cursor.next() {
          let i0: Int64 = row["i0"]
          let i1: Int64 = row["i1"]
          let i2: Int64 = row["i2"]
          let i3: Int64 = row["i3"]
          let i4: Int64 = row["i4"]
          let i5: Int64 = row["i5"]
          let i6: Int64 = row["i6"]
          let i7: Int64 = row["i7"]
          let i8: Int64 = row["i8"]
          let i9: Int64 = row["i9"]
          sum &+= i0 &+ i1 &+ i2 &+ i3 &+ i4
          sum &+= i5 &+ i6 &+ i7 &+ i8 &+ i9
        }
        return sum
      }
    },
    Benchmark(
      name: "one integer column, Int.fetchAll", count: rows, goal: 1.05,
      floor: { floor_collect_one(floor, "SELECT i1 FROM ints") }
    ) {
      try queue.unsafeRead { db in
        Int64(try Int.fetchAll(db, sql: "SELECT i1 FROM ints").count)
      }
    },
    Benchmark(
      name: "Row.fetchAll, 10 integer columns", count: rows, goal: 1.25,
      floor: { floor_collect_ten(floor, "SELECT * FROM ints") }
    ) {
      try queue.unsafeRead { db in
        Int64(try Row.fetchAll(db, sql: "SELECT * FROM ints").count * 10)
      }
    },
  ]
}

private func bytesBenchmarks(_ fixture: Fixture) -> [Benchmark] {
  let (queue, floor, rows) = (fixture.queue, fixture.floor, fixture.rows)
  return [
    Benchmark(
      name: "3 strings, String", count: rows, goal: 1.12,
      floor: { floor_copy_lengths(floor, "SELECT * FROM texts", 1) }
    ) {
      try queue.unsafeRead { db in
        var sum: Int64 = 0
        let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM texts")
        while let row = try cursor.next() {
          for index in 0..<3 {
            let text: String = row[index]
            sum &+= Int64(text.utf8.count) &+ Int64(text.utf8.last ?? 0)
          }
        }
        return sum
      }
    },
    Benchmark(
      name: "3 strings in place, withUTF8(at:)", count: rows, goal: nil,
      floor: { floor_sum_lengths(floor, "SELECT * FROM texts", 1) }
    ) {
      try queue.unsafeRead { db in
        var sum: Int64 = 0
        let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM texts")
        while let row = try cursor.next() {
          for index in 0..<3 {
            row.withUTF8(at: index) { utf8 in
              if let utf8 { sum &+= Int64(utf8.count) &+ Int64(utf8.last ?? 0) }
            }
          }
        }
        return sum
      }
    },
    Benchmark(
      name: "2 blobs, Data", count: rows, goal: 1.12,
      floor: { floor_copy_lengths(floor, "SELECT * FROM blobs", 0) }
    ) {
      try queue.unsafeRead { db in
        var sum: Int64 = 0
        let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM blobs")
        while let row = try cursor.next() {
          for index in 0..<2 {
            let data: Data = row[index]
            sum &+= Int64(data.count) &+ Int64(data.last ?? 0)
          }
        }
        return sum
      }
    },
    Benchmark(
      name: "2 blobs in place, withUnsafeBytes(at:)", count: rows, goal: nil,
      floor: { floor_sum_lengths(floor, "SELECT * FROM blobs", 0) }
    ) {
      try queue.unsafeRead { db in
        var sum: Int64 = 0
        let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM blobs")
        while let row = try cursor.next() {
          for index in 0..<2 {
            row.withUnsafeBytes(at: index) { bytes in
              if let bytes { sum &+= Int64(bytes.count) &+ Int64(bytes.last ?? 0) }
            }
          }
        }
        return sum
      }
    },
  ]
}

private func writingBenchmarks(_ fixture: Fixture) -> [Benchmark] {
  let (queue, floor, rows) = (fixture.queue, fixture.floor, fixture.rows)
  let empty = { try queue.write { try $0.execute(sql: "DELETE FROM target") } }
  return [
    Benchmark(
      name: "insert of 10 integers, execute(arguments:)", count: rows, goal: 1.25,
      prepare: empty, floor: { Int64(floor_insert_ten(floor, insertSQL, Int64(rows))) }
    ) {
      try queue.write { db in
        let statement = try db.makeStatement(sql: insertSQL)
        for row in 0..<rows {
          let n = row &* 10
          try statement.execute(
            arguments: [n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8, n + 9])
        }
      }
      return 0
    },
    Benchmark(
      name: "insert of 10 integers, execute(binding:)", count: rows, goal: 1.15,
      prepare: empty, floor: { Int64(floor_insert_ten(floor, insertSQL, Int64(rows))) }
    ) {
      try queue.write { db in
        let statement = try db.makeStatement(sql: insertSQL)
        for row in 0..<rows {
          try statement.execute {
            for column in 0..<10 { $0.bind(row &* 10 &+ column) }
          }
        }
      }
      return 0
    },
    Benchmark(
      name: "insert of 10 integers, execute(values:)", count: rows, goal: nil,
      prepare: empty, floor: { Int64(floor_insert_ten(floor, insertSQL, Int64(rows))) }
    ) {
      try queue.write { db in
        let statement = try db.makeStatement(sql: insertSQL)
        for row in 0..<rows {
          let n = row &* 10
          try statement.execute(
            values: n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8, n + 9)
        }
      }
      return 0
    },
  ]
}

private func requestBenchmarks(_ fixture: Fixture) -> [Benchmark] {
  let (queue, floor, ids) = (fixture.queue, fixture.floor, fixture.ids)
  let sql = "SELECT i1 FROM ints WHERE i0 = ?"
  return [
    Benchmark(
      name: "point lookup, request with a condition", count: ids.count, goal: 1.15,
      floor: { floor_look_up(floor, sql, ids, Int64(ids.count)) }
    ) {
      let ints = Table("ints").select(Column("i1"), as: Int64.self)
      return try queue.read { db in
        var sum: Int64 = 0
        for id in ids { sum &+= try ints.filter(Column("i0") == id).fetchOne(db) ?? 0 }
        return sum
      }
    },
    Benchmark(
      name: "point lookup, request by key", count: ids.count, goal: 1.15,
      floor: { floor_look_up(floor, sql, ids, Int64(ids.count)) }
    ) {
      let ints = Table("ints")
      return try queue.read { db in
        var sum: Int64 = 0
        for id in ids {
          sum &+= try ints.filter(key: id).select(Column("i1"), as: Int64.self).fetchOne(db) ?? 0
        }
        return sum
      }
    },
  ]
}

private func accessBenchmarks(_ fixture: Fixture) -> [Benchmark] {
  let (queue, floor, ids) = (fixture.queue, fixture.floor, fixture.ids)
  let sql = "SELECT i1 FROM ints WHERE i0 = ?"
  return [
    Benchmark(
      name: "point lookup, cached statement", count: ids.count, goal: nil,
      floor: { floor_look_up(floor, sql, ids, Int64(ids.count)) }
    ) {
      try queue.read { db in
        var sum: Int64 = 0
        for id in ids {
          sum &+=
            try Int64.fetchOne(
              db, sql: "SELECT i1 FROM ints WHERE i0 = ?", arguments: [id]) ?? 0
        }
        return sum
      }
    },
    Benchmark(
      name: "point lookup, each in its own read {}", count: ids.count, goal: nil,
      floor: { floor_look_up_isolated(floor, sql, ids, Int64(ids.count)) }
    ) {
      var sum: Int64 = 0
      for id in ids {
        sum &+=
          try queue.read { db in
            try Int64.fetchOne(
              db, sql: "SELECT i1 FROM ints WHERE i0 = ?", arguments: [id])
          } ?? 0
      }
      return sum
    },
    Benchmark(name: "empty read {}", count: 100_000, goal: nil, floor: nil) {
      var sum: Int64 = 0
      for _ in 0..<100_000 { sum &+= try queue.read { _ in 1 } }
      return sum
    },
  ]
}

private func arrayBenchmarks(_ fixture: Fixture) -> [Benchmark] {
  let (queue, floor, rows) = (fixture.queue, fixture.floor, fixture.rows)
  return [10, 1_000, 100_000].filter { $0 <= rows }.map { length in
    let stride = max(1, rows / length)
    let ids = (0..<length).map { $0 * stride + 1 }
    let list = ids.map(String.init).joined(separator: ",")
    let written = "SELECT sum(i1) FROM ints WHERE i0 IN (\(list))"
    let times = max(1, 2_000 / length)
    return Benchmark(
      name: "IN with \(length) elements", count: times, goal: nil,
      floor: { floor_scalar(floor, written, CInt(times)) }
    ) {
      try queue.unsafeRead { db in
        var sum: Int64 = 0
        for _ in 0..<times {
          sum &+=
            try Int64.fetchOne(
              db, sql: "SELECT sum(i1) FROM ints WHERE i0 IN (?)", arguments: [ids]) ?? 0
        }
        return sum
      }
    }
  }
}
