import Coffer
@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

/// The forms of a type, one after the other.
private enum V1 {
  struct Book: Codable, Identifiable, CustomCollectionName {
    static let collectionName = "Book"
    var id: Int
    var title: String
    @Index var author: String
  }
}

private enum V2 {
  struct Book: Codable, Identifiable, CustomCollectionName, Equatable {
    static let collectionName = "Book"
    var id: Int
    var title: String
    @Unique var author: String
    var pages: Int?
  }
}

private enum V3 {
  struct Book: Codable, Identifiable, CustomCollectionName, MigratingDocument, Equatable {
    static let collectionName = "Book"
    var id: Int
    var name: String
    var language: String
    var pages: Int?

    static var migrationRules: [MigrationRule<Book>] {
      [.renamed("title", to: \.name), .defaultValue("en", for: \.language)]
    }
  }
}

@Suite("Migrating collections") struct MigrationTests {
  private let encrypted: EncryptedStore

  init() throws {
    encrypted = try EncryptedStore()
    let books = try encrypted.store.collection(V1.Book.self)
    try books.insert([
      V1.Book(id: 1, title: "Emma", author: "Austen"),
      V1.Book(id: 2, title: "Nana", author: "Zola"),
    ])
  }

  @Test func `a new property adds a column`() throws {
    let books = try encrypted.again().collection(V2.Book.self)
    #expect(try encrypted.columns("Book") == ["id", "title", "author", "pages"])
    #expect(
      try books.filter(id: 1).fetchOne()
        == V2.Book(id: 1, title: "Emma", author: "Austen", pages: nil))
    try books.save(V2.Book(id: 1, title: "Emma", author: "Austen", pages: 474))
    // The older form still works on the same file.
    let old = try encrypted.again().collection(V1.Book.self)
    try old.insert(V1.Book(id: 3, title: "Ulysses", author: "Joyce"))
    #expect(try old.all().fetchCount() == 3)
    #expect(try books.all().orderBy(\.id).fetchMany(\.pages) == [474, nil, nil])
  }

  @Test func `indexes follow the type, and those of the user stay`() throws {
    try encrypted.store.execute("CREATE INDEX mine ON Book (title)")
    #expect(try encrypted.indexes("Book") == ["Book-index-author", "Book-unique-id", "mine"])
    _ = try encrypted.again().collection(V2.Book.self)
    #expect(try encrypted.indexes("Book") == ["Book-unique-author", "Book-unique-id", "mine"])
    _ = try encrypted.again().collection(V1.Book.self)
    #expect(try encrypted.indexes("Book") == ["Book-index-author", "Book-unique-id", "mine"])
  }

  private enum Letters {
    struct Small: Codable, Identifiable, CustomCollectionName {
      static let collectionName = "things"
      var id: Int
      @Index var name: String
    }
    struct Capital: Codable, Identifiable, CustomCollectionName {
      static let collectionName = "THINGS"
      var id: Int
      @Index var name: String
    }
  }

  @Test func `the letters of a collection's name may change`() throws {
    let encrypted = try EncryptedStore()
    try encrypted.store.collection(Letters.Small.self).insert(Letters.Small(id: 1, name: "x"))
    for _ in 0..<2 {
      let capital = try encrypted.again().collection(Letters.Capital.self)
      #expect(try capital.filter(id: 1).fetchCount() == 1)
      let small = try encrypted.again().collection(Letters.Small.self)
      #expect(try small.filter(id: 1).fetchCount() == 1)
    }
    #expect(try encrypted.indexes("things") == ["things-index-name", "things-unique-id"])
  }

  @Test func `a property can't become unique over duplicates, and nothing changes`() throws {
    try encrypted.store.collection(V1.Book.self)
      .insert(V1.Book(id: 3, title: "Persuasion", author: "Austen"))
    let error = documentError { try encrypted.again().collection(V2.Book.self) }
    #expect(error?.contains("property author") == true)
    #expect(error.map { "\($0)".contains("Austen") } == false)
    #expect(try encrypted.columns("Book") == ["id", "title", "author"])
    #expect(try encrypted.indexes("Book") == ["Book-index-author", "Book-unique-id"])
  }

  @Test func `rules keep the values of renamed properties, and give defaults`() throws {
    let books = try encrypted.again().collection(V3.Book.self)
    #expect(
      try books.all().orderBy(\.id).fetchMany() == [
        V3.Book(id: 1, name: "Emma", language: "en", pages: nil),
        V3.Book(id: 2, name: "Nana", language: "en", pages: nil),
      ])
    let isRenamed = SQLiteFeatures.linked.hasColumnRenaming
    #expect(try encrypted.columns("Book").contains("title") == !isRenamed)
    try books.insert(V3.Book(id: 3, name: "Ulysses", language: "ga", pages: 730))
    // The rules stay, and have nothing to do any more.
    let again = try encrypted.again().collection(V3.Book.self)
    #expect(try again.all().orderBy(\.id).fetchMany(\.language) == ["en", "en", "ga"])
    #expect(try again.all().orderBy(\.id).fetchMany(\.name) == ["Emma", "Nana", "Ulysses"])
  }

  @Test func `a default value is given to documents that lack one later`() throws {
    let books = try encrypted.again().collection(V3.Book.self)
    try encrypted.store.execute("INSERT INTO Book (id, name) VALUES (4, 'by SQL')")
    #expect(throws: RowDecodingError.self) { try books.all().fetchMany() }
    let again = try encrypted.again().collection(V3.Book.self)
    #expect(try again.filter(id: 4).fetchOne()?.language == "en")
  }

  @Test func `a value that no longer decodes is an error that shows no value`() throws {
    struct Book: Codable, Identifiable {
      var id: Int
      var title: [Int]
    }
    let books = try encrypted.again().collection(Book.self)
    do {
      _ = try books.all().fetchMany()
      Issue.record("nothing was thrown")
    } catch {
      #expect(error is RowDecodingError)
      #expect("\(error)".contains("title"))
      #expect(!"\(error)".contains("Emma"))
    }
    #expect(try encrypted.store.execute(Int.self, "SELECT count(*) FROM Book") == 2)
  }

  fileprivate struct Title: Codable, CustomCollectionName {
    static let collectionName = "Book"
    var title: String
  }

  @Test func `columns are dropped when they are to be`() throws {
    let titles = try encrypted.again().collection(Title.self)
    #expect(try encrypted.columns("Book") == ["id", "title", "author"])
    try encrypted.store.execute("CREATE INDEX mine ON Book (title)")
    try encrypted.store.execute("CREATE TABLE log (title)")
    try encrypted.store.execute(
      """
      CREATE TRIGGER logging AFTER INSERT ON Book BEGIN INSERT INTO log VALUES (NEW.title); END
      """)
    try titles.migrate(dropColumns: true)
    #expect(try encrypted.columns("Book") == ["title"])
    #expect(try encrypted.indexes("Book") == ["mine"])
    #expect(try titles.all().fetchMany(\.title) == ["Emma", "Nana"])
    try titles.insert(Title(title: "Ulysses"))
    #expect(try encrypted.store.execute([String].self, "SELECT title FROM log") == ["Ulysses"])
  }

  @Test func `a store can drop columns by itself`() throws {
    _ = try encrypted.again(autoDropColumns: true).collection(Title.self)
    #expect(try encrypted.columns("Book") == ["title"])
    #expect(try encrypted.indexes("Book") == [])
  }

  @Test func `two stores may migrate at once`() throws {
    let group = DispatchGroup()
    for index in 0..<8 {
      detachThread(group: group) {
        let store = encrypted.again()
        if index.isMultiple(of: 2) {
          _ = try store.collection(V2.Book.self).all().fetchMany()
        } else {
          _ = try store.collection(V1.Book.self).all().fetchMany()
        }
      }
    }
    group.wait()
    #expect(try encrypted.columns("Book") == ["id", "title", "author", "pages"])
  }

  @Test func `another connection migrates the same file`() throws {
    let database = try EncryptedPool()
    let (one, two) = (
      DocumentStore(database.pool),
      DocumentStore(try DatabasePool(path: database.path, configuration: database.configuration))
    )
    let old = try one.collection(V1.Book.self)
    try old.insert(V1.Book(id: 1, title: "Emma", author: "Austen"))
    #expect(try old.filter(id: 1).fetchOne()?.title == "Emma")
    let new = try two.collection(V2.Book.self)
    try new.save(V2.Book(id: 1, title: "Emma", author: "Jane Austen", pages: 474))
    #expect(try old.filter(id: 1).fetchOne()?.author == "Jane Austen")
    try old.insert(V1.Book(id: 2, title: "Nana", author: "Zola"))
    #expect(try new.filter(id: 2).fetchOne()?.pages == nil)
    #expect(try new.all().fetchCount() == 2)
  }

  @Test(.timeLimit(.minutes(15)))
  func `separate connections may migrate at once`() throws {
    let database = try EncryptedPool()
    let group = DispatchGroup()
    for index in 0..<4 {
      detachThread(group: group) {
        let pool = try DatabasePool(path: database.path, configuration: database.configuration)
        let store = DocumentStore(pool)
        if index.isMultiple(of: 2) {
          try store.collection(V1.Book.self)
            .insert(V1.Book(id: index, title: "\(index)", author: "\(index)"))
        } else {
          try store.collection(V2.Book.self)
            .insert(V2.Book(id: index, title: "\(index)", author: "\(index)", pages: index))
        }
      }
    }
    group.wait()
    let books = try DocumentStore(database.pool).collection(V2.Book.self)
    #expect(try books.all().orderBy(\.id).fetchMany(\.pages) == [nil, 1, nil, 3])
  }

  @Test func `a type whose table couldn't be made leaves the name to others`() throws {
    let store = encrypted.again()
    try encrypted.store.collection(V1.Book.self)
      .insert(V1.Book(id: 3, title: "Persuasion", author: "Austen"))
    #expect(documentError { try store.collection(V2.Book.self) } != nil)
    #expect(try store.collection(V1.Book.self).all().fetchCount() == 3)
    #expect(documentError { try store.collection(V3.Book.self) } != nil)
  }
}
