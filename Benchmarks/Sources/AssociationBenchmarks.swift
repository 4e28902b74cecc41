import CSQLCipher
import Coffer

/// Returns the benchmarks of associations, compared with handwritten SQL whose rows Swift decodes
/// with the C API.
func associationBenchmarks(_ fixture: Fixture) -> [Benchmark] {
  let records = RecordFixture(fixture)
  return [
    joinBenchmark(records, "init(row:)", of: RowBookInfo.self, goal: 1.15),
    joinBenchmark(records, "Codable", of: CodableBookInfo.self, goal: 1.50),
    prefetchBenchmark(records, "init(row:)", of: RowParentInfo.self, goal: 1.25),
    prefetchBenchmark(records, "Codable", of: CodableParentInfo.self, goal: 1.60),
  ]
}

private enum BookTable: TableRecord {
  static let databaseTableName = "book"
  static let author = belongsTo(AuthorTable.self, using: ForeignKey(["authorId"]))
}

private enum AuthorTable: TableRecord {
  static let databaseTableName = "author"
}

private enum ParentTable: TableRecord {
  static let databaseTableName = "parent"
  static let children = hasMany(ChildTable.self, using: ForeignKey(["parentId"]))
}

private enum ChildTable: TableRecord {
  static let databaseTableName = "child"
}

// MARK: - One joined row

private protocol BookInfo: FetchableRecord {
  init(_ statement: OpaquePointer)
  var checksum: Int64 { get }
}

private func joinBenchmark<Info: BookInfo>(
  _ records: RecordFixture, _ kind: String, of type: Info.Type, goal: Double
) -> Benchmark {
  Benchmark(
    name: "including(required:), \(kind)", count: records.fixture.rows,
    goal: goal, prepare: records.fill,
    floor: {
      var infos: [Info] = []
      records.forEachRow(
        "SELECT book.*, author.* FROM book JOIN author ON author.id = book.authorId"
      ) { infos.append(Info($0)) }
      return infos.reduce(0) { $0 &+ $1.checksum }
    }
  ) {
    try records.fixture.queue.unsafeRead { db in
      try Info.fetchAll(db, BookTable.including(required: BookTable.author))
        .reduce(0) { $0 &+ $1.checksum }
    }
  }
}

private struct RowBook: FetchableRecord {
  var id: Int64, title: String, year: Int, authorID: Int64

  init(row: Row) {
    id = row["id"]
    title = row["title"]
    year = row["year"]
    authorID = row["authorId"]
  }
}

private struct RowAuthor: FetchableRecord {
  var id: Int64, name: String, country: String

  init(row: Row) {
    id = row["id"]
    name = row["name"]
    country = row["country"]
  }
}

private struct RowBookInfo: BookInfo {
  var book: RowBook, author: RowAuthor

  init(row: Row) throws {
    book = RowBook(row: row)
    author = row["author"]
  }

  init(_ statement: OpaquePointer) {
    book = RowBook(
      id: sqlite3_column_int64(statement, 0), title: text(statement, 1) ?? "",
      year: Int(sqlite3_column_int64(statement, 2)), authorID: sqlite3_column_int64(statement, 3))
    author = RowAuthor(
      id: sqlite3_column_int64(statement, 4), name: text(statement, 5) ?? "",
      country: text(statement, 6) ?? "")
  }

  var checksum: Int64 { book.id &+ author.id &+ Int64(book.year + book.title.utf8.count) }
}

extension RowBook {
  fileprivate init(id: Int64, title: String, year: Int, authorID: Int64) {
    (self.id, self.title, self.year, self.authorID) = (id, title, year, authorID)
  }
}

extension RowAuthor {
  fileprivate init(id: Int64, name: String, country: String) {
    (self.id, self.name, self.country) = (id, name, country)
  }
}

private struct CodableBookInfo: BookInfo, Decodable {
  struct Book: Decodable { var id: Int64, title: String, year: Int, authorId: Int64 }
  struct Author: Decodable { var id: Int64, name: String, country: String }

  var book: Book, author: Author

  init(_ statement: OpaquePointer) {
    book = Book(
      id: sqlite3_column_int64(statement, 0), title: text(statement, 1) ?? "",
      year: Int(sqlite3_column_int64(statement, 2)), authorId: sqlite3_column_int64(statement, 3))
    author = Author(
      id: sqlite3_column_int64(statement, 4), name: text(statement, 5) ?? "",
      country: text(statement, 6) ?? "")
  }

  var checksum: Int64 { book.id &+ author.id &+ Int64(book.year + book.title.utf8.count) }
}

// MARK: - Prefetched rows

private protocol ParentInfo: FetchableRecord {
  associatedtype Child

  init(id: Int64, children: [Child])
  static func child(_ statement: OpaquePointer) -> (parentID: Int64, child: Child)
  var checksum: Int64 { get }
}

private func prefetchBenchmark<Info: ParentInfo>(
  _ records: RecordFixture, _ kind: String, of type: Info.Type, goal: Double
) -> Benchmark {
  Benchmark(
    name: "including(all:) of 1,000 times 100 records, \(kind)", count: 100_000,
    goal: goal, prepare: records.fill,
    floor: {
      var groups: [Int64: [Info.Child]] = [:]
      records.forEachRow("SELECT * FROM child WHERE parentId IN (SELECT id FROM parent)") {
        let (parentID, child) = Info.child($0)
        groups[parentID, default: []].append(child)
      }
      var parents: [Info] = []
      records.forEachRow("SELECT * FROM parent") {
        let id = sqlite3_column_int64($0, 0)
        parents.append(Info(id: id, children: groups[id] ?? []))
      }
      return parents.reduce(0) { $0 &+ $1.checksum }
    }
  ) {
    try records.fixture.queue.unsafeRead { db in
      try Info.fetchAll(db, ParentTable.including(all: ParentTable.children))
        .reduce(0) { $0 &+ $1.checksum }
    }
  }
}

private struct RowParentInfo: ParentInfo {
  struct Child: FetchableRecord {
    var id: Int64, parentID: Int64, name: String, score: Int

    init(row: Row) {
      id = row["id"]
      parentID = row["parentId"]
      name = row["name"]
      score = row["score"]
    }

    init(_ statement: OpaquePointer) {
      id = sqlite3_column_int64(statement, 0)
      parentID = sqlite3_column_int64(statement, 1)
      name = text(statement, 2) ?? ""
      score = Int(sqlite3_column_int64(statement, 3))
    }
  }

  var id: Int64, children: [Child]

  init(id: Int64, children: [Child]) { (self.id, self.children) = (id, children) }

  init(row: Row) {
    id = row["id"]
    children = row["children"]
  }

  static func child(_ statement: OpaquePointer) -> (parentID: Int64, child: Child) {
    let child = Child(statement)
    return (child.parentID, child)
  }

  var checksum: Int64 { children.reduce(id) { $0 &+ $1.id &+ Int64($1.score) } }
}

private struct CodableParentInfo: ParentInfo, Decodable {
  struct Child: Codable, FetchableRecord {
    var id: Int64, parentId: Int64, name: String, score: Int
  }

  var id: Int64, children: [Child]

  static func child(_ statement: OpaquePointer) -> (parentID: Int64, child: Child) {
    let child = Child(
      id: sqlite3_column_int64(statement, 0), parentId: sqlite3_column_int64(statement, 1),
      name: text(statement, 2) ?? "", score: Int(sqlite3_column_int64(statement, 3)))
    return (child.parentId, child)
  }

  var checksum: Int64 { children.reduce(id) { $0 &+ $1.id &+ Int64($1.score) } }
}
