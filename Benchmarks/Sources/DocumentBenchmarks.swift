import CFloor
import Coffer

/// The benchmarks of documents, against C loops over their tables.
func documentBenchmarks(_ fixture: Fixture) -> [Benchmark] {
  let (floor, rows, ids) = (fixture.floor, fixture.rows, fixture.ids)
  let documents = DocumentFixture(fixture)
  let insertSQL = "INSERT INTO TargetDocument VALUES (?,?,?,?,?,?,?,?,?,?)"
  return [
    Benchmark(
      name: "documents, insert of 10 integers in a batch", count: rows, goal: 1.8,
      prepare: { try documents.clearTarget() },
      floor: { Int64(floor_insert_ten(floor, insertSQL, Int64(rows))) }
    ) {
      let batch = (0..<rows).map { TargetDocument($0 &* 10) }
      try documents.target().insert(batch)
      return 0
    },
    Benchmark(
      name: "documents, fetchMany of 10 integers", count: rows, goal: 1.8,
      prepare: { try documents.fill() },
      floor: { floor_collect_ten(floor, "SELECT * FROM TenDocument") }
    ) {
      Int64(try documents.tens().all().fetchMany().count * 10)
    },
    Benchmark(
      name: "documents, filter(id:).fetchOne()", count: ids.count, goal: 2,
      prepare: { try documents.fill() },
      floor: {
        floor_look_up_tens(
          floor, "SELECT * FROM TenDocument WHERE id = ?", ids, Int64(ids.count), 1)
      }
    ) {
      let tens = try documents.tens()
      var sum: Int64 = 0
      for id in ids { sum &+= try tens.filter(id: id).fetchOne()?.sum ?? 0 }
      return sum
    },
  ]
}

private struct TenDocument: Codable, Identifiable {
  var id: Int64, i1: Int, i2: Int, i3: Int, i4: Int, i5: Int, i6: Int, i7: Int, i8: Int, i9: Int

  init(_ n: Int) {
    (id, i1, i2, i3, i4) = (Int64(n), n &* 3, n &* 5, n &* 7, n &* 9)
    (i5, i6, i7, i8, i9) = (n &* 11, n &* 13, n &* 15, n &* 17, n &* 19)
  }

  var sum: Int64 {
    id &+ Int64(i1 &+ i2 &+ i3 &+ i4) &+ Int64(i5 &+ i6 &+ i7 &+ i8 &+ i9)
  }
}

private struct TargetDocument: Codable {
  var i0: Int, i1: Int, i2: Int, i3: Int, i4: Int, i5: Int, i6: Int, i7: Int, i8: Int, i9: Int

  init(_ n: Int) {
    (i0, i1, i2, i3, i4) = (n, n + 1, n + 2, n + 3, n + 4)
    (i5, i6, i7, i8, i9) = (n + 5, n + 6, n + 7, n + 8, n + 9)
  }
}

/// The collections, in the file of the other benchmarks.
private final class DocumentFixture {
  private let fixture: Fixture
  private let store: DocumentStore

  init(_ fixture: Fixture) {
    self.fixture = fixture
    store = DocumentStore(fixture.queue)
  }

  func tens() throws -> DocumentCollection<TenDocument> { try store.collection(TenDocument.self) }

  func target() throws -> DocumentCollection<TargetDocument> {
    try store.collection(TargetDocument.self)
  }

  func clearTarget() throws { try target().all().delete() }

  func fill() throws {
    guard try tens().all().fetchCount() == 0 else { return }
    try tens().insert((1...fixture.rows).map(TenDocument.init))
  }
}
