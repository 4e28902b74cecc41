import CFloor
import CSQLCipher
import Coffer
import Foundation

/// Returns the benchmarks of fetched records with `init(row:)`.
func recordBenchmarks(_ fixture: Fixture) -> [Benchmark] {
  let records = RecordFixture(fixture)
  return tenBenchmarks(fixture) + keyBenchmarks(fixture) + filterBenchmarks(fixture)
    + [personBenchmark(records)]
    + [joinBenchmark(records), groupBenchmark(records)]
}

// MARK: - Ten integers

struct Ten: FetchableRecord, TableRecord {
  static let databaseTableName = "ints"
  var i0, i1, i2, i3, i4, i5, i6, i7, i8, i9: Int64

  init(row: Row) {
    i0 = row["i0"]
    i1 = row["i1"]
    i2 = row["i2"]
    i3 = row["i3"]
    i4 = row["i4"]
    i5 = row["i5"]
    i6 = row["i6"]
    i7 = row["i7"]
    i8 = row["i8"]
    i9 = row["i9"]
  }

  var sum: Int64 { i0 &+ i1 &+ i2 &+ i3 &+ i4 &+ i5 &+ i6 &+ i7 &+ i8 &+ i9 }
}

/// Two of the columns, with the table name derived from the type.
private struct Ints: FetchableRecord, TableRecord {
  var id, value: Int64

  init(row: Row) {
    id = row["i0"]
    value = row["i1"]
  }
}

private func tenBenchmarks(_ fixture: Fixture) -> [Benchmark] {
  let (queue, floor, rows) = (fixture.queue, fixture.floor, fixture.rows)
  return [
    Benchmark(
      name: "records, init(row:) by name, cursor", count: rows, goal: 1.08,
      floor: { floor_sum_ten(floor, "SELECT * FROM ints") }
    ) {
      try queue.unsafeRead { db in
        var sum: Int64 = 0
        let cursor = try Ten.fetchCursor(db)
        while let record = try cursor.next() { sum &+= record.sum }
        return sum
      }
    },
    Benchmark(
      name: "records, init(row:) by name, fetchAll", count: rows, goal: 1.08,
      floor: { floor_collect_ten(floor, "SELECT * FROM ints") }
    ) {
      try queue.unsafeRead { Int64(try Ten.fetchAll($0).count * 10) }
    },
  ]
}

// MARK: - By key

private func keyBenchmarks(_ fixture: Fixture) -> [Benchmark] {
  let (queue, floor, ids) = (fixture.queue, fixture.floor, fixture.ids)
  let sql = "SELECT * FROM ints WHERE i0 = ?"
  return [
    Benchmark(
      name: "fetchOne(key:), 10 columns", count: ids.count, goal: 1.08,
      floor: { floor_look_up_tens(floor, sql, ids, Int64(ids.count), 0) }
    ) {
      try queue.read { db in
        var sum: Int64 = 0
        for id in ids { sum &+= try Ten.fetchOne(db, key: id)?.sum ?? 0 }
        return sum
      }
    },
    Benchmark(
      name: "fetchOne(key:), 10 columns, each in its own read {}", count: ids.count, goal: 1.12,
      floor: { floor_look_up_tens(floor, sql, ids, Int64(ids.count), 1) }
    ) {
      var sum: Int64 = 0
      for id in ids { sum &+= try queue.read { try Ten.fetchOne($0, key: id) }?.sum ?? 0 }
      return sum
    },
    Benchmark(
      name: "fetchOne(key:), 2 columns", count: ids.count, goal: 1.08,
      floor: { floor_look_up(floor, "SELECT i1, i0 FROM ints WHERE i0 = ?", ids, Int64(ids.count)) }
    ) {
      try queue.read { db in
        var sum: Int64 = 0
        for id in ids { sum &+= try Ints.fetchOne(db, key: id)?.value ?? 0 }
        return sum
      }
    },
  ]
}

private func filterBenchmarks(_ fixture: Fixture) -> [Benchmark] {
  let (queue, floor, ids) = (fixture.queue, fixture.floor, fixture.ids)
  let sql = "SELECT * FROM ints WHERE i0 = ?"
  return [
    Benchmark(
      name: "one row by a request, filter { $0.i0 == id }", count: ids.count, goal: 1.15,
      floor: { floor_look_up_tens(floor, sql, ids, Int64(ids.count), 0) }
    ) {
      try queue.read { db in
        var sum: Int64 = 0
        for id in ids { sum &+= try Ten.filter { $0.i0 == id }.fetchOne(db)?.sum ?? 0 }
        return sum
      }
    },
    Benchmark(
      name: "one row by a request, filter(key:)", count: ids.count, goal: 1.15,
      floor: { floor_look_up_tens(floor, sql, ids, Int64(ids.count), 0) }
    ) {
      try queue.read { db in
        var sum: Int64 = 0
        for id in ids { sum &+= try Ten.filter(key: id).fetchOne(db)?.sum ?? 0 }
        return sum
      }
    },
  ]
}

// MARK: - Texts, an optional and a date

private struct Person: FetchableRecord, TableRecord {
  var id: Int64
  var name: String
  var email: String
  var nickname: String?
  var created: Date
  var score: Double

  init(row: Row) {
    id = row["id"]
    name = row["name"]
    email = row["email"]
    nickname = row["nickname"]
    created = row["created"]
    score = row["score"]
  }

  init(statement: OpaquePointer) {
    id = sqlite3_column_int64(statement, 0)
    name = text(statement, 1) ?? ""
    email = text(statement, 2) ?? ""
    nickname = text(statement, 3)
    created = date(statement, 4) ?? .distantPast
    score = sqlite3_column_double(statement, 5)
  }

  var checksum: Int64 {
    id &+ Int64(name.utf8.count + email.utf8.count + (nickname?.utf8.count ?? 0))
      &+ Int64(created.timeIntervalSince1970) &+ Int64(score)
  }
}

private func personBenchmark(_ records: RecordFixture) -> Benchmark {
  Benchmark(
    name: "records, 3 strings, a date and 2 numbers", count: records.fixture.rows, goal: 1.3,
    prepare: records.fill,
    floor: {
      var people: [Person] = []
      records.forEachRow("SELECT * FROM person") { people.append(Person(statement: $0)) }
      return people.reduce(0) { $0 &+ $1.checksum }
    }
  ) {
    try records.fixture.queue.unsafeRead {
      try Person.fetchAll($0).reduce(0) { $0 &+ $1.checksum }
    }
  }
}

// MARK: - Joined and grouped rows

private struct Author: FetchableRecord {
  var id: Int64
  var name: String
  var country: String

  init(row: Row) {
    id = row["id"]
    name = row["name"]
    country = row["country"]
  }

  init(statement: OpaquePointer, at index: CInt) {
    id = sqlite3_column_int64(statement, index)
    name = text(statement, index + 1) ?? ""
    country = text(statement, index + 2) ?? ""
  }
}

private struct Book: FetchableRecord {
  var id: Int64
  var title: String
  var year: Int
  var authorID: Int64

  init(row: Row) {
    id = row["id"]
    title = row["title"]
    year = row["year"]
    authorID = row["authorId"]
  }

  init(statement: OpaquePointer) {
    id = sqlite3_column_int64(statement, 0)
    title = text(statement, 1) ?? ""
    year = Int(sqlite3_column_int64(statement, 2))
    authorID = sqlite3_column_int64(statement, 3)
  }
}

private struct BookInfo: FetchableRecord {
  var book: Book
  var author: Author

  init(row: Row) throws {
    book = Book(row: row)
    guard let authorRow = row.scopes["author"] else {
      throw WrongResult(description: "no author")
    }
    author = Author(row: authorRow)
  }

  init(statement: OpaquePointer) {
    book = Book(statement: statement)
    author = Author(statement: statement, at: 4)
  }

  var checksum: Int64 {
    book.id &+ author.id &+ Int64(book.year + book.title.utf8.count + author.name.utf8.count)
  }
}

private func joinBenchmark(_ records: RecordFixture) -> Benchmark {
  let sql = "SELECT book.*, author.* FROM book JOIN author ON author.id = book.authorId"
  return Benchmark(
    name: "joined records, a scope per row", count: records.fixture.rows, goal: 1.5,
    prepare: records.fill,
    floor: {
      var infos: [BookInfo] = []
      records.forEachRow(sql) { infos.append(BookInfo(statement: $0)) }
      return infos.reduce(0) { $0 &+ $1.checksum }
    }
  ) {
    try records.fixture.queue.unsafeRead { db in
      let adapter = ScopeAdapter(
        base: RangeRowAdapter(0..<4), scopes: ["author": RangeRowAdapter(4..<7)])
      return try BookInfo.fetchAll(db, sql: sql, adapter: adapter).reduce(0) { $0 &+ $1.checksum }
    }
  }
}

private struct Child: FetchableRecord {
  var id: Int64
  var parentID: Int64
  var name: String
  var score: Int

  init(row: Row) {
    id = row["id"]
    parentID = row["parentId"]
    name = row["name"]
    score = row["score"]
  }

  init(statement: OpaquePointer) {
    id = sqlite3_column_int64(statement, 0)
    parentID = sqlite3_column_int64(statement, 1)
    name = text(statement, 2) ?? ""
    score = Int(sqlite3_column_int64(statement, 3))
  }

  var checksum: Int64 { id &+ parentID &+ Int64(score + name.utf8.count) }
}

private func groupBenchmark(_ records: RecordFixture) -> Benchmark {
  let sql = "SELECT * FROM child"
  return Benchmark(
    name: "1,000 times 100 records, grouped copies of rows", count: 100_000, goal: 1.5,
    prepare: records.fill,
    floor: {
      var children: [Child] = []
      records.forEachRow(sql) { children.append(Child(statement: $0)) }
      let groups = Dictionary(grouping: children, by: \.parentID)
      var sum: Int64 = 0
      records.forEachRow("SELECT id FROM parent") { statement in
        for child in groups[sqlite3_column_int64(statement, 0)] ?? [] { sum &+= child.checksum }
      }
      return sum
    }
  ) {
    try records.fixture.queue.unsafeRead { db in
      let groups = Dictionary(grouping: try Row.fetchAll(db, sql: sql)) { row in
        row["parentId"] as Int64
      }
      var sum: Int64 = 0
      for parent in try Int64.fetchAll(db, sql: "SELECT id FROM parent") {
        let children = (groups[parent] ?? []).map { Child(row: $0) }
        for child in children { sum &+= child.checksum }
      }
      return sum
    }
  }
}
