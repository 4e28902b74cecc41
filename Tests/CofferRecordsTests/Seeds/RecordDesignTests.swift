import Coffer
import CofferExpectations
import CofferTestSupport
import Testing

/// The records, requests and managers of a library of books and their authors.
@Suite struct RecordDesignTests {
  // MARK: Records

  fileprivate struct Author: Codable, Equatable {
    var id: Int64?
    var name: String
    var country: String?
  }

  fileprivate struct Book: Codable, Equatable {
    var id: Int64?
    var authorId: Int64
    var title: String
  }

  fileprivate struct AuthorInfo: Decodable, FetchableRecord {
    var author: Author
    var bookCount: Int
  }

  fileprivate struct AuthorBooks: Codable, FetchableRecord {
    var author: Author
    var books: [Book]
  }

  fileprivate struct Authorship: Decodable, FetchableRecord {
    var book: Book
    var author: Author
  }

  private let database: EncryptedQueue

  init() throws {
    database = try EncryptedQueue()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("createLibrary") { db in
      try db.create(table: "author") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
        t.column("country", .text)
      }
      try db.create(table: "book") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("title", .text).notNull()
        t.column("authorId", .integer)
          .notNull()
          .indexed()
          .references("author", onDelete: .cascade)
      }
    }
    try migrator.migrate(database.queue)
    try database.queue.write { db in
      var melville = Author(id: nil, name: "Herman Melville", country: "United States")
      try melville.insert(db)
      var verne = Author(id: nil, name: "jules Verne", country: "France")
      try verne.insert(db)
      var calvino = Author(id: nil, name: "Italo Calvino", country: "Italy")
      try calvino.insert(db)
      var unknown = Author(id: nil, name: "Anonymous", country: nil)
      try unknown.insert(db)
      for (id, title) in [
        (melville.id, "Moby-Dick"), (melville.id, "Bartleby"), (verne.id, "Michel Strogoff"),
        (calvino.id, "Palomar"), (calvino.id, "Il barone rampante"),
      ] {
        var book = Book(id: nil, authorId: try #require(id), title: title)
        try book.insert(db)
      }
    }
  }

  @Test func `an inserted record has its identifier`() throws {
    try database.queue.write { db throws in
      var author = Author(id: nil, name: "Hermann Melville", country: "United States")
      try author.insert(db)
      #expect(author.id == 5)
      #expect(try Author.fetchOne(db, key: 5) == author)
    }
  }

  @Test func `the schema keeps books without an author away`() throws {
    let error = databaseError {
      try database.queue.write { db in
        var book = Book(id: nil, authorId: 99, title: "Nobody's")
        try book.insert(db)
      }
    }
    #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
    try database.queue.write { db throws in
      let author = try #require(try Author.fetchOne(db, key: 1))
      #expect(try author.delete(db))
      #expect(try Book.fetchCount(db) == 3)
    }
  }

  // MARK: Requests

  @Test func `requests are defined once, and composed`() throws {
    try database.queue.read { db throws in
      #expect(
        try Author.all().orderByName().fetchAll(db).map(\.name)
          == ["Anonymous", "Herman Melville", "Italo Calvino", "jules Verne"])
      #expect(
        try Author.all().filter(country: "France").fetchAll(db).map(\.name) == ["jules Verne"])
      #expect(
        try Author.all().filter(country: "Spain").orderByName().fetchAll(db).isEmpty)
      #expect(
        try Book.all().filter(authorCountry: "Italy").orderByTitle().fetchAll(db).map(\.title)
          == ["Il barone rampante", "Palomar"])
      #expect(
        try Author.all().filter(country: "France").havingBooks().orderByName().fetchAll(db)
          .map(\.name) == ["jules Verne"])
      #expect(
        try Author.all().havingBooks().orderByName().fetchAll(db).count == 3)
      #expect(try Author.first.fetchOne(db)?.id == 1)
    }
  }

  // MARK: Composed records

  @Test func `authors come with the number of their books`() throws {
    let infos: [AuthorInfo] = try database.queue.read { db in
      let request = Author.annotated(with: Author.books.count)
      return try AuthorInfo.fetchAll(db, request)
    }
    #expect(infos.map(\.author.name).count == 4)
    #expect(infos.map(\.bookCount) == [2, 1, 2, 0])
  }

  @Test func `books come with their authors`() throws {
    let authorships: [Authorship] = try database.queue.read { db in
      let request = Book.including(required: Book.author.filter(Column("country") == "Italy"))
      return try Authorship.fetchAll(db, request)
    }
    #expect(authorships.map(\.book.title) == ["Palomar", "Il barone rampante"])
    #expect(authorships.allSatisfy { $0.author.name == "Italo Calvino" })
    let authorship = try database.queue.read { db in
      try Authorship.fetchOne(db, Book.filter(key: 1).including(required: Book.author))
    }
    #expect(authorship?.author.name == "Herman Melville")
  }

  @Test func `an author comes with her books`() throws {
    let authorId = 1
    let info: AuthorBooks? = try database.queue.read { db in
      let request =
        Author
        .filter(key: authorId)
        .including(all: Author.books)
      return try AuthorBooks.fetchOne(db, request)
    }
    #expect(info?.author.name == "Herman Melville")
    #expect(info?.books.map(\.title) == ["Moby-Dick", "Bartleby"])
    let nobody = try database.queue.read { db in
      try AuthorBooks.fetchOne(db, Author.filter(key: 4).including(all: Author.books))
    }
    #expect(nobody?.books == [])
  }

  @Test func `records lead to associated ones`() throws {
    try database.queue.read { db throws in
      let author = try #require(try Author.fetchOne(db, key: 3))
      let books = try author.books.fetchAll(db)
      #expect(books.map(\.title) == ["Palomar", "Il barone rampante"])
      #expect(try books[0].author.fetchOne(db) == author)
      #expect(try author.books.orderByTitle().fetchOne(db)?.title == "Il barone rampante")
      let unsaved = Author(id: nil, name: "Nobody", country: nil)
      #expect(try unsaved.books.fetchAll(db).isEmpty)
    }
  }

  // MARK: Managers

  /// A manager that fetches the data of each screen in one access.
  fileprivate struct LibraryManager {
    let dbQueue: DatabaseQueue

    struct BookInfo {
      var book: Book
      var author: Author
    }

    struct AuthorDetails {
      var author: Author
      var books: [Book]
    }

    struct AuthorListItem: Decodable, FetchableRecord {
      let author: Author
      let bookCount: Int
    }

    func authorList() throws -> [AuthorListItem] {
      try dbQueue.read { db in
        let request =
          Author
          .annotated(with: Author.books.count)
          .orderByName()
        return try AuthorListItem.fetchAll(db, request)
      }
    }

    func bookInfo(bookId: Int64) throws -> BookInfo? {
      try dbQueue.read { db in
        guard let book = try Book.fetchOne(db, key: bookId) else { return nil }
        guard let author = try book.author.fetchOne(db) else { return nil }
        return BookInfo(book: book, author: author)
      }
    }

    func authorDetails(authorId: Int64) throws -> AuthorDetails? {
      try dbQueue.read { db in
        guard let author = try Author.fetchOne(db, key: authorId) else { return nil }
        return AuthorDetails(author: author, books: try author.books.fetchAll(db))
      }
    }
  }

  @Test func `a manager feeds screens`() throws {
    let manager = LibraryManager(dbQueue: database.queue)
    #expect(try manager.authorList().map(\.bookCount) == [0, 2, 2, 1])
    #expect(try manager.bookInfo(bookId: 3)?.author.name == "jules Verne")
    #expect(try manager.bookInfo(bookId: 99) == nil)
    #expect(try manager.authorDetails(authorId: 3)?.books.count == 2)
    #expect(try manager.authorDetails(authorId: 99) == nil)
  }

  @Test func `a manager shows errors`() throws {
    let manager = LibraryManager(dbQueue: database.queue)
    try database.queue.close()
    #expect(throws: DatabaseError.self) { try manager.authorList() }
  }

  @Test func `one read never sees an author without the books that were deleted with her`()
    async throws
  {
    let manager = LibraryManager(dbQueue: database.queue)
    let queue = database.queue
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for _ in 0..<50 {
          try await queue.write { db in
            _ = try Author.deleteOne(db, key: 3)
            var calvino = Author(id: 3, name: "Italo Calvino", country: "Italy")
            try calvino.insert(db)
            for title in ["Palomar", "Marcovaldo"] {
              var book = Book(id: nil, authorId: 3, title: title)
              try book.insert(db)
            }
          }
        }
      }
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<50 {
            let details = try manager.authorDetails(authorId: 3)
            #expect(details?.books.count == 2)
          }
        }
      }
      try await group.waitForAll()
    }
  }
}

// MARK: - Database access

extension RecordDesignTests.Author: FetchableRecord, MutablePersistableRecord {
  fileprivate static let books = hasMany(RecordDesignTests.Book.self)

  // Define database columns from CodingKeys
  fileprivate enum Columns {
    static let id = Column(CodingKeys.id)
    static let name = Column(CodingKeys.name)
    static let country = Column(CodingKeys.country)
  }

  fileprivate static let first = all().limit(1)

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

  fileprivate var books: QueryInterfaceRequest<RecordDesignTests.Book> {
    request(for: RecordDesignTests.Author.books)
  }
}

extension RecordDesignTests.Book: FetchableRecord, MutablePersistableRecord {
  fileprivate static let author = belongsTo(RecordDesignTests.Author.self)

  fileprivate enum Columns {
    static let title = Column(CodingKeys.title)
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

  fileprivate var author: QueryInterfaceRequest<RecordDesignTests.Author> {
    request(for: RecordDesignTests.Book.author)
  }
}

extension DerivableRequest where RowDecoder == RecordDesignTests.Author {
  fileprivate func orderByName() -> Self {
    let name = RecordDesignTests.Author.Columns.name
    return order(name.collating(.localizedCaseInsensitiveCompare))
  }

  fileprivate func filter(country: String) -> Self {
    filter(RecordDesignTests.Author.Columns.country == country)
  }
}

extension DerivableRequest where RowDecoder == RecordDesignTests.Book {
  fileprivate func filter(authorCountry: String) -> Self {
    joining(required: RecordDesignTests.Book.author.filter(country: authorCountry))
  }

  fileprivate func orderByTitle() -> Self {
    let title = RecordDesignTests.Book.Columns.title
    return order(title.collating(.localizedCaseInsensitiveCompare))
  }
}

extension QueryInterfaceRequest where RowDecoder == RecordDesignTests.Author {
  fileprivate func havingBooks() -> QueryInterfaceRequest<RecordDesignTests.Author> {
    having(RecordDesignTests.Author.books.isEmpty == false)
  }
}
