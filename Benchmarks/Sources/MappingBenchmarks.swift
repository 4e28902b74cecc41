import CFloor
import CSQLCipher
import Coffer
import Foundation

/// Returns the benchmarks of records with declared mappings.
func mappingBenchmarks(_ fixture: Fixture) -> [Benchmark] {
  let records = RecordFixture(fixture)
  return mappedTenBenchmarks(fixture) + [insertTenBenchmark(fixture)]
    + [fetchPersonBenchmark(records), insertPersonBenchmark(records)]
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
      name: "records, mapping, cursor", count: rows, goal: 1.08,
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
      name: "records, mapping, fetchAll", count: rows, goal: 1.08,
      floor: { floor_collect_ten(floor, "SELECT * FROM ints") }
    ) {
      try queue.unsafeRead { Int64(try MappedTen.fetchAll($0).count * 10) }
    },
  ]
}

/// The same record in another table.
private struct TargetTen: MappedRecord {
  static let databaseTableName = "target"
  var i0, i1, i2, i3, i4, i5, i6, i7, i8, i9: Int64

  static let mapping = Mapping(
    TargetTen.init(i0:i1:i2:i3:i4:i5:i6:i7:i8:i9:), Field("i0", \.i0), Field("i1", \.i1),
    Field("i2", \.i2), Field("i3", \.i3), Field("i4", \.i4), Field("i5", \.i5), Field("i6", \.i6),
    Field("i7", \.i7), Field("i8", \.i8), Field("i9", \.i9))
}

private func insertTenBenchmark(_ fixture: Fixture) -> Benchmark {
  let (queue, floor, rows) = (fixture.queue, fixture.floor, fixture.rows)
  let sql = "INSERT INTO target VALUES (?,?,?,?,?,?,?,?,?,?)"
  return Benchmark(
    name: "insert of records, mapping", count: rows, goal: 1.15,
    prepare: { try queue.write { try $0.execute(sql: "DELETE FROM target") } },
    floor: { Int64(floor_insert_ten(floor, sql, Int64(rows))) }
  ) {
    try queue.write { db in
      for row in 0..<Int64(rows) {
        let n = row &* 10
        var record = TargetTen(
          i0: n, i1: n + 1, i2: n + 2, i3: n + 3, i4: n + 4, i5: n + 5, i6: n + 6, i7: n + 7,
          i8: n + 8, i9: n + 9)
        try record.insert(db)
      }
    }
    return 0
  }
}

// MARK: - Texts, an optional and a date

private struct MappedPerson: MappedRecord {
  static let databaseTableName = "person"
  var id: Int64
  var name: String
  var email: String
  var nickname: String?
  var created: Date
  var score: Double

  static let mapping = Mapping(
    MappedPerson.init(id:name:email:nickname:created:score:), Field("id", \.id),
    Field("name", \.name), Field("email", \.email), Field("nickname", \.nickname),
    Field("created", \.created), Field("score", \.score))

  init(id: Int64, name: String, email: String, nickname: String?, created: Date, score: Double) {
    self.id = id
    self.name = name
    self.email = email
    self.nickname = nickname
    self.created = created
    self.score = score
  }

  init(statement: OpaquePointer) {
    id = sqlite3_column_int64(statement, 0)
    name = text(statement, 1) ?? ""
    email = text(statement, 2) ?? ""
    nickname = text(statement, 3)
    created = date(statement, 4) ?? .distantPast
    score = sqlite3_column_double(statement, 5)
  }

  init(number: Int) {
    id = Int64(number)
    name = "Person number \(number)"
    email = "person.\(number)@example.com"
    nickname = number % 3 == 0 ? nil : "nick \(number)"
    created = Date(timeIntervalSince1970: Double(1_600_000_000 + number * 61))
    score = Double(number) / 4
  }

  var checksum: Int64 {
    id &+ Int64(name.utf8.count + email.utf8.count + (nickname?.utf8.count ?? 0))
      &+ Int64(created.timeIntervalSince1970) &+ Int64(score)
  }
}

private func fetchPersonBenchmark(_ records: RecordFixture) -> Benchmark {
  Benchmark(
    name: "records, mapping, 3 strings, a date and 2 numbers", count: records.fixture.rows,
    goal: 1.3, prepare: records.fill,
    floor: {
      var people: [MappedPerson] = []
      records.forEachRow("SELECT * FROM person") { people.append(MappedPerson(statement: $0)) }
      return people.reduce(0) { $0 &+ $1.checksum }
    }
  ) {
    try records.fixture.queue.unsafeRead {
      try MappedPerson.fetchAll($0).reduce(0) { $0 &+ $1.checksum }
    }
  }
}

/// The same record in another table.
private struct StoredPerson: MappedRecord {
  static let databaseTableName = "storedPerson"
  let person: MappedPerson

  static let mapping = Mapping(StoredPerson.init(person:), Field.nested(\.person))
}

private func insertPersonBenchmark(_ records: RecordFixture) -> Benchmark {
  let (fixture, count) = (records.fixture, records.fixture.rows)
  let people = (1...count).map { MappedPerson(number: $0) }
  return Benchmark(
    name: "insert of records, mapping, 3 strings, a date and 2 numbers", count: count, goal: 1.3,
    prepare: {
      try fixture.queue.write { db in
        try db.execute(sql: "DROP TABLE IF EXISTS storedPerson")
        try StoredPerson.createTable(db)
      }
    },
    floor: {
      records.insert(people.count, "INSERT INTO storedPerson VALUES (?,?,?,?,?,?)") {
        bind(people[$1], to: $0)
      }
    }
  ) {
    try fixture.queue.write { db in
      for person in people {
        var record = StoredPerson(person: person)
        try record.insert(db)
      }
    }
    return 0
  }
}

/// Binds with the C API, as a Swift programmer would.
private func bind(_ person: MappedPerson, to statement: OpaquePointer) {
  sqlite3_bind_int64(statement, 1, person.id)
  bind(person.name, to: statement, 2)
  bind(person.email, to: statement, 3)
  if let nickname = person.nickname {
    bind(nickname, to: statement, 4)
  } else {
    sqlite3_bind_null(statement, 4)
  }
  bind(dateText(person.created), to: statement, 5)
  sqlite3_bind_double(statement, 6, person.score)
}

@inline(__always)
private func bind(_ text: String, to statement: OpaquePointer, _ index: CInt) {
  var text = text
  text.withUTF8 { utf8 in
    utf8.withMemoryRebound(to: CChar.self) { characters in
      // -1 is SQLITE_TRANSIENT: SQLite copies the text.
      _ = sqlite3_bind_text(
        statement, index, characters.baseAddress, CInt(characters.count),
        unsafeBitCast(-1, to: sqlite3_destructor_type.self))  // SAFETY: SQLITE_TRANSIENT.
    }
  }
}

/// Returns text of the form `YYYY-MM-DD HH:MM:SS.SSS`.
private func dateText(_ date: Date) -> String {
  let milliseconds = Int((date.timeIntervalSince1970 * 1000).rounded())
  let (days, time) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
  let shifted = days + 719_468
  let era = shifted / 146_097
  let day = shifted - era * 146_097
  let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
  let yearDay = day - (365 * year + year / 4 - year / 100)
  let month = (5 * yearDay + 2) / 153
  let numbers = [
    (year + era * 400 + (month < 10 ? 0 : 1), 4, 45), (month < 10 ? month + 3 : month - 9, 2, 45),
    (yearDay - (153 * month + 2) / 5 + 1, 2, 32), (time / 3_600_000, 2, 58),
    (time / 60_000 % 60, 2, 58), (time / 1000 % 60, 2, 46), (time % 1000, 3, 0),
  ]
  return String(unsafeUninitializedCapacity: 23) { buffer in
    var position = 0
    for (number, digits, separator) in numbers {
      var rest = number
      for index in stride(from: position + digits - 1, through: position, by: -1) {
        buffer[index] = UInt8(48 + rest % 10)
        rest /= 10
      }
      position += digits
      if separator != 0 {
        buffer[position] = UInt8(separator)
        position += 1
      }
    }
    return position
  }
}
