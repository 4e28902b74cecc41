import CFloor
import Coffer

/// Returns the heap allocations per row of a cursor, without SQLite's own.
func allocationsPerRow(_ fixture: Fixture) throws -> [(name: String, count: Double)] {
  let limits = (fixture.rows / 4, fixture.rows)
  func ofSQLite(_ table: String) -> Double {
    func run(_ limit: Int) -> Int64 {
      let sql = "SELECT * FROM \(table) LIMIT \(limit)"
      return count {
        if table == "ints" {
          blackHole(floor_sum_ten(fixture.floor, sql))
        } else {
          blackHole(floor_sum_lengths(fixture.floor, sql, 1))
        }
      }
    }
    _ = run(limits.1)
    return Double(run(limits.1) - run(limits.0)) / Double(limits.1 - limits.0)
  }
  let sqlite = ["ints": ofSQLite("ints"), "texts": ofSQLite("texts")]
  func perRow(
    _ name: String, of table: String = "ints", _ read: (Database, Int) throws -> Void
  ) throws -> (String, Double) {
    try fixture.queue.unsafeRead { db in
      // The first run fills caches. The difference of the other two excludes the cost per query.
      try read(db, limits.1)
      let few = try count { try read(db, limits.0) }
      let many = try count { try read(db, limits.1) }
      let all = Double(many - few) / Double(limits.1 - limits.0)
      return (name, max(0, all - (sqlite[table] ?? 0)))
    }
  }
  return [
    try perRow("by index") { db, limit in
      var sum: Int64 = 0
      let cursor = try Row.fetchCursor(
        db, sql: "SELECT * FROM ints LIMIT ?", arguments: [limit])
      while let row = try cursor.next() {
        for index in 0..<10 { sum &+= row[index] as Int64 }
      }
      blackHole(sum)
    },
    try perRow("by name") { db, limit in
      var sum: Int64 = 0
      let cursor = try Row.fetchCursor(
        db, sql: "SELECT * FROM ints LIMIT ?", arguments: [limit])
      while let row = try cursor.next() {
        sum &+= row["i0"] as Int64
        sum &+= row["i5"] as Int64
      }
      blackHole(sum)
    },
    try perRow("Int cursor") { db, limit in
      var sum = 0
      let cursor = try Int.fetchCursor(
        db, sql: "SELECT i1 FROM ints LIMIT ?", arguments: [limit])
      while let value = try cursor.next() { sum &+= value }
      blackHole(Int64(sum))
    },
    try perRow("withUTF8(at:)", of: "texts") { db, limit in
      var sum = 0
      let cursor = try Row.fetchCursor(
        db, sql: "SELECT * FROM texts LIMIT ?", arguments: [limit])
      while let row = try cursor.next() {
        row.withUTF8(at: 1) { sum &+= $0?.count ?? 0 }
      }
      blackHole(Int64(sum))
    },
  ]
}

private func count(_ body: () throws -> Void) rethrows -> Int64 {
  floor_start_counting_allocations()
  defer { _ = floor_stop_counting_allocations() }
  try body()
  return floor_stop_counting_allocations()
}
