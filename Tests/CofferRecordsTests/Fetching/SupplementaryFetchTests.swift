@testable import CofferCore
import CofferExpectations
@testable import CofferRecords
import CofferTestSupport
import Testing

@Suite struct SupplementaryFetchTests {
  private let schema = """
    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE book (title TEXT, authorId INTEGER);
    INSERT INTO author VALUES (1, 'Ann'), (2, 'Bob'), (3, 'Ann');
    INSERT INTO book VALUES ('A1', 1), ('B1', 2), ('A2', 1);
    """
  private let all = WithBooks<Author>(base: "SELECT id, name FROM author ORDER BY id")

  @Test func `records are made after the supplementary fetch`() throws {
    let authors = [
      Author(name: "Ann", books: ["A1", "A2"]), Author(name: "Bob", books: ["B1"]),
      Author(name: "Ann", books: []),
    ]
    try EncryptedQueue.with(schema) { db in
      #expect(try Author.fetchAll(db, all) == authors)
      #expect(try all.fetchOne(db) == authors[0])
      #expect(try all.fetchSet(db) == Set(authors))
      let cursor = try all.fetchCursor(db)
      #expect(cursor.columnNames == ["id", "name"])
      for author in authors { #expect(try cursor.next() == author) }
      #expect(try cursor.next() == nil)
      #expect(try cursor.next() == nil)
    }
  }

  @Test func `rows have the values that the supplementary fetch stores`() throws {
    let request = WithBooks<Row>(base: all.base.asRequest(of: Row.self))
    try EncryptedQueue.with(schema) { db in
      let rows = try request.fetchAll(db)
      #expect(rows.map { $0.prefetchedRows["books"]?.count } == [2, 1, 0])
      #expect(try request.fetchSet(db) == Set(rows))
      #expect(try request.fetchOne(db)?.prefetchedRows["books"]?.count == 2)
      let cursor = try request.fetchCursor(db)
      #expect(try cursor.next() === cursor.row)
      var counts: [Int?] = []
      try cursor.forEach { counts.append($0.prefetchedRows["books"]?.count) }
      #expect(counts == [1, 0])
    }
  }

  @Test func `rows of a cursor are copies that can be kept`() throws {
    let request = WithBooks<Row>(base: all.base.asRequest(of: Row.self))
    try EncryptedQueue.with(schema) { db in
      let rows = try Array(request.fetchCursor(db))
      #expect(rows.map { $0["name"] as String } == ["Ann", "Bob", "Ann"])
      try db.execute(sql: "DROP TABLE author")
      #expect(rows.map { $0["id"] as Int } == [1, 2, 3])
    }
  }

  @Test func `the supplementary fetch is called once, with all rows, and not for none`() throws {
    let calls = Locked<[Int]>([])
    func request(_ sql: String) -> WithBooks<Author> {
      WithBooks(base: SQLRequest(sql: sql)) { _, rows in calls.append(rows.count) }
    }
    try EncryptedQueue.with(schema) { db in
      _ = try request("SELECT * FROM author").fetchAll(db)
      _ = try request("SELECT * FROM author").fetchOne(db)
      _ = try request("SELECT * FROM author").fetchCursor(db)
      #expect(calls.value == [3, 1, 3])
      #expect(try request("SELECT * FROM author WHERE 0").fetchAll(db).isEmpty)
      #expect(try request("SELECT * FROM author WHERE 0").fetchOne(db) == nil)
      #expect(try request("SELECT * FROM author WHERE 0").fetchCursor(db).next() == nil)
      #expect(calls.value == [3, 1, 3])
    }
  }

  @Test func `errors of the supplementary fetch and of records end the fetch`() throws {
    let failing = WithBooks<Author>(base: all.base) { _, _ in throw TestError() }
    let strict = WithBooks<Strict>(base: "SELECT id, NULLIF(name, 'Bob') AS name FROM author")
    try EncryptedQueue.with(schema) { db in
      #expect(throws: TestError.self) { try failing.fetchAll(db) }
      #expect(throws: TestError.self) { try failing.fetchCursor(db) }
      #expect(throws: RowDecodingError.self) { try strict.fetchAll(db) }
      let cursor = try strict.fetchCursor(db)
      #expect(try cursor.next()?.name == "Ann")
      #expect(throws: RowDecodingError.self) { try cursor.next() }
      #expect(try cursor.next()?.name == "Ann")
      #expect(try cursor.next() == nil)
    }
  }
}

private struct Author: FetchableRecord, Hashable {
  var name: String
  var books: [String]
}

extension Author {
  init(row: Row) throws {
    name = row["name"]
    books = row.prefetchedRows["books"]?.map { $0["title"] } ?? []
  }
}

private struct Strict: FetchableRecord {
  var name: String

  init(row: Row) throws { name = try row.decode(forColumn: "name") }
}

/// A request for authors, with their books.
private struct WithBooks<RowDecoder>: FetchRequest {
  var base: SQLRequest<RowDecoder>
  var complete: @Sendable (Database, [Row]) throws -> Void = fetchBooks

  func makePreparedRequest(
    _ db: Database, forSingleResult singleResult: Bool
  ) throws -> PreparedRequest {
    var request = try base.makePreparedRequest(db, forSingleResult: singleResult)
    request.supplementaryFetch = complete
    return request
  }

  func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }

  var sqlSubquery: SQLSubquery { base.sqlSubquery }
}

@Sendable private func fetchBooks(_ db: Database, _ authors: [Row]) throws {
  let books = try Row.fetchAll(db, sql: "SELECT * FROM book ORDER BY title")
  let byAuthor = Dictionary(grouping: books) { $0["authorId"] as Int }
  for author in authors {
    var prefetched = author.prefetched ?? PrefetchedRows()
    prefetched.setRows(RowList(byAuthor[author["id"]] ?? []), forKeyPath: ["books"])
    author.prefetched = prefetched
  }
}
