import Coffer
@testable import CofferCore
import CofferTestSupport
import Foundation
import Testing

@Suite struct NestedRecordDecodingTests {
  struct Author: Codable, FetchableRecord, Equatable { var id: Int, name: String }
  struct Book: Codable, FetchableRecord, Equatable { var id: Int, title: String, authorId: Int? }
  struct BookInfo: Decodable, FetchableRecord, Equatable { var book: Book, author: Author }
  struct BookAndMaybe: Decodable, FetchableRecord, Equatable { var book: Book, author: Author? }

  static let sql = """
    SELECT 1 AS id, 'Emma' AS title, 7 AS authorId, 7 AS id, 'Jane' AS name, NULL AS city
    UNION ALL SELECT 2, 'Beowulf', NULL, NULL, NULL, NULL
    UNION ALL SELECT 3, 'Persuasion', 7, 7, 'Jane', 'Bath'
    """

  static let adapter = ScopeAdapter(
    base: RangeRowAdapter(0..<3),
    scopes: [
      "author": ScopeAdapter(
        base: RangeRowAdapter(3..<5), scopes: ["city": SuffixRowAdapter(fromIndex: 5)])
    ])

  /// Records of a cursor, and those of copied rows.
  func both<R: FetchableRecord & Equatable>(
    _ type: R.Type, _ db: Database, _ sql: String = sql
  ) throws -> [R] {
    let live = try R.fetchAll(db, sql: sql, adapter: Self.adapter)
    let copies = try Row.fetchAll(db, sql: sql, adapter: Self.adapter).map(R.init(row:))
    #expect(live == copies)
    return live
  }

  @Test func `the record itself is the row, and others are its scopes`() throws {
    try EncryptedQueue.with { db throws in
      let infos = try both(BookAndMaybe.self, db)
      let jane = Author(id: 7, name: "Jane")
      #expect(infos.map(\.author) == [jane, nil, jane])
      #expect(infos.map(\.book.title) == ["Emma", "Beowulf", "Persuasion"])
      #expect(infos.map(\.book.id) == [1, 2, 3])
      // Where the scope has to be there, NULLs are errors.
      let error = #expect(throws: RowDecodingError.self) {
        try BookInfo.fetchAll(db, sql: Self.sql, adapter: Self.adapter)
      }
      #expect(error?.recordType == "Author" && error?.columnName == "id")
      let some = try both(
        BookInfo.self, db,
        Self.sql.replacingOccurrences(of: "NULL, NULL, NULL, NULL", with: "8, 8, 'X', ''"))
      #expect(some.map(\.author.name) == ["Jane", "X", "Jane"])
    }
  }

  @Test func `scopes of scopes are found, the nearest first`() throws {
    struct City: Decodable, Equatable { var city: String? }
    struct Info: Decodable, FetchableRecord, Equatable { var book: Book, city: City? }
    struct Deep: Decodable, FetchableRecord, Equatable {
      struct Writer: Decodable, Equatable { var author: Author, city: City? }
      var author: Writer?
    }
    try EncryptedQueue.with { db throws in
      #expect(try both(Info.self, db).map(\.city) == [nil, nil, City(city: "Bath")])
      let deep = try both(Deep.self, db)
      #expect(deep.map(\.author?.author.name) == ["Jane", nil, "Jane"])
      #expect(deep.map(\.author?.city?.city) == [nil, nil, "Bath"])
    }
  }

  @Test func `a nested record's own init(row:) is called`() throws {
    struct Custom: Decodable, FetchableRecord, Equatable {
      var text: String
      init(row: Row) throws { text = "row \(row["id"] as Int)" }
    }
    struct Info: Decodable, FetchableRecord, Equatable { var book: Custom, author: Custom? }
    try EncryptedQueue.with { db throws in
      let infos = try both(Info.self, db)
      #expect(infos.map(\.book.text) == ["row 1", "row 2", "row 3"])
      #expect(infos.map(\.author?.text) == ["row 7", nil, "row 7"])
    }
  }

  @Test func `a nested record has its own strategies, another type those around it`() throws {
    struct Plain: Decodable, Equatable { var date: Date }
    struct Own: Decodable, FetchableRecord, Equatable { var date: Date }
    struct Info: Decodable, FetchableRecord, Equatable {
      var plain: Plain, own: Own
      static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .millisecondsSince1970
      }
    }
    let scopes = ScopeAdapter([
      "plain": RangeRowAdapter(0..<1), "own": RangeRowAdapter(1..<2),
    ])
    try EncryptedQueue.with { db throws in
      let info = try Info.fetchOne(
        db, sql: "SELECT 1000 AS date, 1000 AS date", adapter: scopes)
      #expect(info?.plain.date == Date(timeIntervalSince1970: 1))
      #expect(info?.own.date == Date(timeIntervalSince1970: 1000))
    }
  }

  @Test func `a nested record in a column is JSON`() throws {
    struct Shelf: Decodable, FetchableRecord { var author: Author, books: [Book]? }
    let row: Row = ["author": #"{"id":1,"name":"Jane"}"#, "books": nil]
    #expect(try Shelf(row: row).author == Author(id: 1, name: "Jane"))
  }

  // MARK: Prefetched rows

  struct Shelf: Decodable, FetchableRecord, Equatable { var author: Author, books: [Book] }
  struct UniqueShelf: Decodable, FetchableRecord {
    struct Title: Decodable, Hashable { var title: String }
    var author: Author, books: Set<Title>, missing: [Book]?
  }

  func shelf(_ db: Database, bookCount: Int = 3) throws -> Row {
    let author = try #require(try Row.fetchOne(db, sql: "SELECT 7 AS id, 'Jane' AS name"))
    let list = (1...max(bookCount, 1)).map { "(\($0), 'Book \($0)', 7)" }.joined(separator: ", ")
    let books = try Row.fetchAll(
      db, sql: "WITH b(id, title, authorId) AS (VALUES \(list)) SELECT * FROM b")
    author.setPrefetched(Array(books.prefix(bookCount)), forKey: "books")
    return author
  }

  @Test func `prefetched rows are lists of records, or of other types`() throws {
    try EncryptedQueue.with { db throws in
      let row = try shelf(db, bookCount: 100)
      let shelf = try Shelf(row: row)
      #expect(shelf.author == Author(id: 7, name: "Jane"))
      #expect(shelf.books.map(\.id) == Array(1...100))
      #expect(shelf.books.allSatisfy { $0.authorId == 7 && $0.title == "Book \($0.id)" })
      let unique = try UniqueShelf(row: row)
      #expect(unique.books.count == 100 && unique.missing == nil)
      #expect(try Shelf(row: self.shelf(db, bookCount: 0)).books == [])
    }
  }

  @Test func `rows that were not prefetched are an error that names those that were`() throws {
    struct Wrong: Decodable, FetchableRecord { var author: Author, articles: [Book] }
    try EncryptedQueue.with { db throws in
      let row = try shelf(db)
      let error = #expect(throws: RowDecodingError.self) { try Wrong(row: row) }
      #expect(error?.kind == .keyNotFound)
      #expect(error?.message == "key not found: \"articles\" - available keys: books")
      #expect(throws: RowDecodingError.self) { try Wrong(row: ["id": 1, "name": "a"]) }
    }
  }

  @Test func `a type that prefetched rows can't be decoded as is an error`() throws {
    struct Wrong: Decodable, FetchableRecord { var books: Book }
    struct TooShort: Decodable, FetchableRecord {
      var title: String?
      enum CodingKeys: CodingKey { case books }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        var books = try container.nestedUnkeyedContainer(forKey: .books)
        #expect(books.count == 3)
        title = try books.nestedContainer(keyedBy: TitleKeys.self).decode(
          String.self, forKey: .title)
        _ = try books.decode(Book.self)
        _ = try books.decode(Book.self)
        #expect(books.isAtEnd)
        #expect(throws: DecodingError.self) { try books.decode(Book.self) }
      }
      enum TitleKeys: CodingKey { case title }
    }
    try EncryptedQueue.with { db throws in
      let row = try shelf(db)
      #expect(throws: DecodingError.self) { try Wrong(row: row) }
      #expect(try TooShort(row: row).title == "Book 1")
    }
  }
}

extension Row {
  fileprivate func setPrefetched(_ rows: [Row], forKey key: String) {
    var prefetched = self.prefetched ?? PrefetchedRows()
    prefetched.setRows(RowList(rows), forKeyPath: [key])
    self.prefetched = prefetched
  }
}
