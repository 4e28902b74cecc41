import CFloor
import CSQLCipher
import Coffer
import Foundation

/// Returns the benchmarks of `Codable` records.
func codableBenchmarks(_ fixture: Fixture) -> [Benchmark] {
  let records = RecordFixture(fixture)
  return codableReadingBenchmarks(fixture) + codableWritingBenchmarks(fixture)
    + [codablePersonBenchmark(records), codableJoinBenchmark(records)]
    + [codablePrefetchBenchmark(records)]
}

private struct CodableInts: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "target"
  var i0: Int64, i1: Int, i2: Int, i3: Int, i4: Int, i5: Int, i6: Int, i7: Int, i8: Int, i9: Int
}

private func codableReadingBenchmarks(_ fixture: Fixture) -> [Benchmark] {
  let (queue, floor, rows) = (fixture.queue, fixture.floor, fixture.rows)
  return [
    Benchmark(
      name: "Codable records, cursor of 10 integer columns", count: rows, goal: 1.45,
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
      name: "Codable records, fetchAll of 10 integer columns", count: rows, goal: 1.45,
      floor: { floor_collect_ten(floor, "SELECT * FROM ints") }
    ) {
      try queue.unsafeRead { db in
        Int64(try CodableInts.fetchAll(db, sql: "SELECT * FROM ints").count * 10)
      }
    },
  ]
}

private func codableWritingBenchmarks(_ fixture: Fixture) -> [Benchmark] {
  let (queue, floor, rows) = (fixture.queue, fixture.floor, fixture.rows)
  let insertSQL = "INSERT INTO target VALUES (?,?,?,?,?,?,?,?,?,?)"
  return [
    Benchmark(
      name: "Codable records, insert of 10 integers", count: rows, goal: 1.40,
      prepare: { try queue.write { try $0.execute(sql: "DELETE FROM target") } },
      floor: { Int64(floor_insert_ten(floor, insertSQL, Int64(rows))) }
    ) {
      try queue.write { db in
        for row in 0..<rows {
          let n = row &* 10
          let record = CodableInts(
            i0: Int64(n), i1: n + 1, i2: n + 2, i3: n + 3, i4: n + 4, i5: n + 5, i6: n + 6,
            i7: n + 7, i8: n + 8, i9: n + 9)
          try record.insert(db)
        }
      }
      return 0
    }
  ]
}

// MARK: - Other types

private struct CodablePerson: Codable, FetchableRecord {
  var id: Int64
  var name: String
  var email: String
  var nickname: String?
  var created: Date
  var score: Double

  var checksum: Int64 {
    id &+ Int64(name.utf8.count &+ email.utf8.count &+ (nickname?.utf8.count ?? 0))
      &+ Int64(created.timeIntervalSince1970) &+ Int64(score)
  }
}

private func codablePersonBenchmark(_ records: RecordFixture) -> Benchmark {
  Benchmark(
    name: "Codable records, 3 strings, a date and 2 numbers", count: records.fixture.rows,
    goal: 1.45, prepare: { try records.fill() },
    floor: {
      var people: [CodablePerson] = []
      records.forEachRow("SELECT * FROM person") { row in
        people.append(
          CodablePerson(
            id: sqlite3_column_int64(row, 0), name: text(row, 1)!, email: text(row, 2)!,
            nickname: text(row, 3), created: date(row, 4)!, score: sqlite3_column_double(row, 5)))
      }
      return people.reduce(0) { $0 &+ $1.checksum }
    }
  ) {
    try records.fixture.queue.unsafeRead { db in
      try CodablePerson.fetchAll(db, sql: "SELECT * FROM person").reduce(0) { $0 &+ $1.checksum }
    }
  }
}

// MARK: - Associations

private struct CodableAuthor: Codable, FetchableRecord {
  var id: Int64, name: String, country: String
}

private struct CodableBook: Codable, FetchableRecord {
  var id: Int64, title: String, year: Int, authorId: Int64
}

private struct CodableBookInfo: Decodable, FetchableRecord {
  var book: CodableBook, author: CodableAuthor

  var checksum: Int64 {
    book.id &+ author.id &+ Int64(book.title.utf8.count &+ book.year &+ author.name.utf8.count)
  }
}

private func codableJoinBenchmark(_ records: RecordFixture) -> Benchmark {
  let sql = "SELECT book.*, author.* FROM book JOIN author ON author.id = book.authorId"
  return Benchmark(
    name: "Codable records, a joined record in each", count: records.fixture.rows, goal: 1.5,
    prepare: { try records.fill() },
    floor: {
      var infos: [CodableBookInfo] = []
      records.forEachRow(sql) { row in
        infos.append(
          CodableBookInfo(
            book: CodableBook(
              id: sqlite3_column_int64(row, 0), title: text(row, 1)!,
              year: Int(sqlite3_column_int64(row, 2)), authorId: sqlite3_column_int64(row, 3)),
            author: CodableAuthor(
              id: sqlite3_column_int64(row, 4), name: text(row, 5)!, country: text(row, 6)!)))
      }
      return infos.reduce(0) { $0 &+ $1.checksum }
    }
  ) {
    try records.fixture.queue.unsafeRead { db in
      let adapter = ScopeAdapter(
        base: RangeRowAdapter(0..<4), scopes: ["author": SuffixRowAdapter(fromIndex: 4)])
      return try CodableBookInfo.fetchAll(db, sql: sql, adapter: adapter)
        .reduce(0) { $0 &+ $1.checksum }
    }
  }
}

private struct CodableChild: Codable, FetchableRecord {
  var id: Int64, parentId: Int64, name: String, score: Int
}

/// Decodes copied rows by `init(row:)`, as for prefetched associations.
private func codablePrefetchBenchmark(_ records: RecordFixture) -> Benchmark {
  let sql = "SELECT * FROM child LIMIT 100000"
  return Benchmark(
    name: "Codable records of copied rows", count: 100_000, goal: nil,
    prepare: { try records.fill() },
    floor: {
      var children: [CodableChild] = []
      records.forEachRow(sql) { row in
        children.append(
          CodableChild(
            id: sqlite3_column_int64(row, 0), parentId: sqlite3_column_int64(row, 1),
            name: text(row, 2)!, score: Int(sqlite3_column_int64(row, 3))))
      }
      return Int64(children.count)
    }
  ) {
    try records.fixture.queue.unsafeRead { db in
      Int64(try Row.fetchAll(db, sql: sql).map(CodableChild.init(row:)).count)
    }
  }
}
