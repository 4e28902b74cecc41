import CFloor
import CSQLCipher
import Coffer
import Foundation

/// Returns the benchmarks of documents.
func documentBenchmarks(_ fixture: Fixture) throws -> [Benchmark] {
  let documents = try DocumentFixture(fixture)
  return [
    insertion(documents), personInsertion(documents), saving(documents), fetch(documents),
    personFetch(documents), property(documents),
  ] + lookups(documents)
}

private struct TenDocument: Codable, Identifiable, CustomCollectionName {
  static let collectionName = "documentTen"
  var id: Int, i1: Int, i2: Int, i3: Int, i4: Int, i5: Int, i6: Int, i7: Int, i8: Int, i9: Int

  init(_ row: Int) {
    let n = row &* 10
    (id, i1, i2, i3, i4) = (n, n + 1, n + 2, n + 3, n + 4)
    (i5, i6, i7, i8, i9) = (n + 5, n + 6, n + 7, n + 8, n + 9)
  }

  var sum: Int64 {
    Int64(id &+ i1 &+ i2 &+ i3 &+ i4 &+ i5 &+ i6 &+ i7 &+ i8 &+ i9)
  }
}

/// The same integers for insertions, since the collection of ``TenDocument`` is already filled.
private struct NewTen: Codable, CustomCollectionName {
  static let collectionName = "documentNewTen"
  var i0: Int, i1: Int, i2: Int, i3: Int, i4: Int, i5: Int, i6: Int, i7: Int, i8: Int, i9: Int

  init(_ row: Int) {
    let n = row &* 10
    (i0, i1, i2, i3, i4) = (n, n + 1, n + 2, n + 3, n + 4)
    (i5, i6, i7, i8, i9) = (n + 5, n + 6, n + 7, n + 8, n + 9)
  }
}

private struct PersonDocument: Codable, CustomCollectionName {
  static let collectionName = "documentPerson"
  var id: Int
  var name: String
  var email: String
  var nickname: String?
  var score: Double

  init(_ row: Int) {
    id = row
    name = "Person number \(row)"
    email = "person.\(row)@example.com"
    nickname = row % 3 == 0 ? nil : "nick \(row)"
    score = Double(row) / 4
  }

  init(_ statement: OpaquePointer) {
    id = Int(sqlite3_column_int64(statement, 0))
    name = text(statement, 1)!
    email = text(statement, 2)!
    nickname = text(statement, 3)
    score = sqlite3_column_double(statement, 4)
  }

  var checksum: Int64 {
    Int64(id &+ name.utf8.count &+ email.utf8.count &+ (nickname?.utf8.count ?? 0)) &+ Int64(score)
  }
}

/// The collections, filled on demand, and the documents to insert.
private final class DocumentFixture {
  let fixture: Fixture
  let records: RecordFixture
  let store: DocumentStore
  let tens: DocumentCollection<TenDocument>
  let newTens: DocumentCollection<NewTen>
  let people: DocumentCollection<PersonDocument>
  lazy var tenDocuments = (0..<fixture.rows).map(NewTen.init)
  lazy var savedTens = (0..<fixture.rows).map(TenDocument.init)
  lazy var personDocuments = (0..<fixture.rows).map(PersonDocument.init)

  init(_ fixture: Fixture) throws {
    self.fixture = fixture
    records = RecordFixture(fixture)
    store = DocumentStore(fixture.queue)
    tens = try store.collection(TenDocument.self)
    newTens = try store.collection(NewTen.self)
    people = try store.collection(PersonDocument.self)
  }

  func fill() throws {
    if try tens.all().fetchCount() == 0 {
      try tens.insert(savedTens)
    }
    if try people.all().fetchCount() == 0 { try people.insert(personDocuments) }
  }
}

// MARK: - Writing

private func insertion(_ documents: DocumentFixture) -> Benchmark {
  let (floor, rows) = (documents.fixture.floor, documents.fixture.rows)
  let sql = "INSERT INTO documentNewTen VALUES (?,?,?,?,?,?,?,?,?,?)"
  return Benchmark(
    name: "documents, bulk insert of 10 integers", count: rows, goal: 1.45,
    prepare: {
      _ = documents.tenDocuments
      _ = try documents.newTens.all().delete()
    },
    floor: { Int64(floor_insert_ten(floor, sql, Int64(rows))) }
  ) {
    try documents.newTens.insert(documents.tenDocuments)
    return 0
  }
}

/// Saves documents that already exist.
private func saving(_ documents: DocumentFixture) -> Benchmark {
  let (floor, rows) = (documents.fixture.floor, documents.fixture.rows)
  let sql = """
    UPDATE documentTen SET i1 = ?2, i2 = ?3, i3 = ?4, i4 = ?5, i5 = ?6, i6 = ?7, i7 = ?8, i8 = ?9,
      i9 = ?10 WHERE id = ?1
    """
  return Benchmark(
    name: "documents, bulk save of existing ones", count: rows,
    prepare: {
      _ = documents.savedTens
      try documents.fill()
    },
    floor: { Int64(floor_insert_ten(floor, sql, Int64(rows))) }
  ) {
    try documents.tens.save(documents.savedTens)
    return 0
  }
}

private func personInsertion(_ documents: DocumentFixture) -> Benchmark {
  Benchmark(
    name: "documents, bulk insert of 3 strings and 2 numbers", count: documents.fixture.rows,
    goal: 1.8, prepare: { _ = try documents.people.all().delete() },
    floor: {
      let people = documents.personDocuments
      return documents.records.insert(
        people.count, "INSERT INTO documentPerson VALUES (?,?,?,?,?)"
      ) { statement, index in
        let person = people[index]
        sqlite3_bind_int64(statement, 1, Int64(person.id))
        bind(person.name, to: statement, at: 2)
        bind(person.email, to: statement, at: 3)
        if let nickname = person.nickname {
          bind(nickname, to: statement, at: 4)
        } else {
          sqlite3_bind_null(statement, 4)
        }
        sqlite3_bind_double(statement, 5, person.score)
      }
    }
  ) {
    try documents.people.insert(documents.personDocuments)
    return 0
  }
}

private func bind(_ text: String, to statement: OpaquePointer, at index: CInt) {
  var text = text
  text.withUTF8 { utf8 in
    utf8.withMemoryRebound(to: CChar.self) { bytes in
      _ = sqlite3_bind_text(
        statement, index, bytes.baseAddress, CInt(bytes.count),
        unsafeBitCast(-1, to: sqlite3_destructor_type.self))  // SAFETY: SQLITE_TRANSIENT.
    }
  }
}

// MARK: - Reading

private func fetch(_ documents: DocumentFixture) -> Benchmark {
  let floor = documents.fixture.floor
  return Benchmark(
    name: "documents, fetchMany of 10 integers", count: documents.fixture.rows, goal: 1.45,
    prepare: { try documents.fill() },
    floor: { floor_collect_ten(floor, "SELECT * FROM documentTen") }
  ) {
    Int64(try documents.tens.all().fetchMany().count * 10)
  }
}

private func personFetch(_ documents: DocumentFixture) -> Benchmark {
  Benchmark(
    name: "documents, fetchMany of 3 strings and 2 numbers", count: documents.fixture.rows,
    goal: 1.8, prepare: { try documents.fill() },
    floor: {
      var people: [PersonDocument] = []
      documents.records.forEachRow("SELECT * FROM documentPerson") {
        people.append(PersonDocument($0))
      }
      return people.reduce(0) { $0 &+ $1.checksum }
    }
  ) {
    try documents.people.all().fetchMany().reduce(0) { $0 &+ $1.checksum }
  }
}

private func property(_ documents: DocumentFixture) -> Benchmark {
  let floor = documents.fixture.floor
  return Benchmark(
    name: "documents, fetchMany of one property", count: documents.fixture.rows, goal: 1.8,
    prepare: { try documents.fill() },
    floor: { floor_collect_one(floor, "SELECT i1 FROM documentTen") }
  ) {
    Int64(try documents.tens.all().fetchMany(\.i1).count)
  }
}

private func lookups(_ documents: DocumentFixture) -> [Benchmark] {
  let floor = documents.fixture.floor
  let ids = documents.fixture.ids.map { ($0 - 1) * 10 }
  let sql = "SELECT * FROM documentTen WHERE id = ?"
  return [
    Benchmark(
      name: "documents, filter(id:).fetchOne()", count: ids.count, goal: 1.15,
      prepare: { try documents.fill() },
      floor: { floor_look_up_tens(floor, sql, ids, Int64(ids.count), 1) }
    ) {
      var sum: Int64 = 0
      for id in ids { sum &+= try documents.tens.filter(id: Int(id)).fetchOne()?.sum ?? 0 }
      return sum
    },
    Benchmark(
      name: "documents, filter(id:).fetchOne(), all in one read {}", count: ids.count, goal: 1.15,
      prepare: { try documents.fill() },
      floor: { floor_look_up_tens(floor, sql, ids, Int64(ids.count), 0) }
    ) {
      try documents.store.read { _ in
        var sum: Int64 = 0
        for id in ids { sum &+= try documents.tens.filter(id: Int(id)).fetchOne()?.sum ?? 0 }
        return sum
      }
    },
    Benchmark(
      name: "documents, filter(_:equalTo:).fetchOne(), all in one read {}", count: ids.count,
      goal: 1.15, prepare: { try documents.fill() },
      floor: { floor_look_up_tens(floor, sql, ids, Int64(ids.count), 0) }
    ) {
      try documents.store.read { _ in
        var sum: Int64 = 0
        for id in ids {
          sum &+= try documents.tens.filter(\.id, equalTo: Int(id)).fetchOne()?.sum ?? 0
        }
        return sum
      }
    },
    Benchmark(
      name: "documents, filter { $0.id == id }.fetchOne(), all in one read {}", count: ids.count,
      goal: 1.15, prepare: { try documents.fill() },
      floor: { floor_look_up_tens(floor, sql, ids, Int64(ids.count), 0) }
    ) {
      try documents.store.read { _ in
        var sum: Int64 = 0
        for id in ids {
          let id = Int(id)
          sum &+= try documents.tens.filter { $0.id == id }.fetchOne()?.sum ?? 0
        }
        return sum
      }
    },
  ]
}
