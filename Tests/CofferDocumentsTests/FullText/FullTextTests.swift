import CofferExpectations
import Foundation
import Testing

@testable import Coffer
@testable import CofferCore

@Suite("Full-text search in documents")
struct FullTextTests {
  struct Book: Codable, Identifiable, Equatable, MigratingDocument {
    var id: Int
    @Unique var title: String
    var text: String?
    var year = 1851

    static var migrationRules: [MigrationRule<Book>] { [.fullText(\.title, \.text)] }
  }

  private let encrypted: EncryptedStore
  private let books: DocumentCollection<Book>

  init() throws {
    encrypted = try EncryptedStore()
    books = try encrypted.store.collection(Book.self)
    try books.insert([
      Book(id: 1, title: "Moby-Dick", text: "Call me Ishmael. A white whale."),
      Book(id: 2, title: "Bartleby", text: "I would prefer not to. Ah, humanity!"),
      Book(id: 3, title: "Candide", text: "Il faut cultiver notre jardin; où est la baleine?"),
      Book(id: 4, title: "White Noise", text: nil),
    ])
  }

  private func ids(_ query: QueryBuilder<Book>) throws -> [Int] {
    try query.orderBy(\.id).fetchMany(\.id)
  }

  private func violations() throws -> [String] {
    // SQLite 3.44 can't check FTS4 on a connection that only reads.
    try encrypted.store.writer.write { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
  }

  @Test func `all words have to be there, in any property and case`() throws {
    #expect(try ids(books.matching("white")) == [1, 4])
    #expect(try ids(books.matching("WHALE white")) == [1])
    #expect(try ids(books.matching("moby ishmael")) == [1])
    #expect(try ids(books.matching("moby bartleby")) == [])
    #expect(try ids(books.matching("ou baleine")) == [3])
    #expect(try ids(books.matching("OÙ — “baleine”?")) == [3])
    #expect(try ids(books.matching("ou\u{300} baleine")) == [3])
  }

  @Test func `searches take any word, prefixes, phrases and single properties`() throws {
    #expect(try ids(books.matching("moby bartleby", .anyWord)) == [1, 2])
    #expect(try ids(books.matching("mob dic", .prefixes)) == [1])
    #expect(try ids(books.matching("hum", .prefixes)) == [2])
    #expect(try ids(books.matching("white whale", .phrase)) == [1])
    #expect(try ids(books.matching("whale white", .phrase)) == [])
    #expect(try ids(books.matching("white", in: \.title)) == [4])
    #expect(try ids(books.matching("whi", .prefixes, in: \.text)) == [1])
  }

  @Test(arguments: [
    "\"", "'", "whale\"", "* whale", "title:", "-whale", "(", "whale)", "^whale", "{whale}",
    "“whale”", "whale — white", "NEAR/2 whale", "whale AND", "OR whale", "whale NOT",
    "'; DROP TABLE Book; --", "\0whale", "whale —", "— whale", "—", "“ ”", "\u{301}", "🐳 whale",
    "whale 🐳", "\u{301}whale", "whale … …",
  ])
  func `text typed by a user isn't syntax`(text: String) throws {
    for match in [TextMatch.allWords, .anyWord, .prefixes, .phrase] {
      _ = try books.matching(text, match).fetchMany()
      _ = try books.matching(text, match, in: \.text).fetchCount()
    }
    #expect(try books.all().fetchCount() == 4)
  }

  @Test func `words that look like operators are words`() throws {
    try books.insert(Book(id: 5, title: "Not or and near"))
    #expect(try ids(books.matching("NOT")) == [2, 5])
    #expect(try ids(books.matching("NOT AND")) == [5])
    #expect(try ids(books.matching("NEAR/2")) == [])
  }

  @Test(arguments: ["", " ", "!?", "\n\t"])
  func `a text without words finds nothing`(text: String) throws {
    #expect(try books.matching(text).fetchMany() == [])
    #expect(try books.matching(text).fetchCount() == 0)
    #expect(try books.matching(text).fetchOne() == nil)
    #expect(try books.matching(text).delete() == 0)
  }

  @Test func `searches join other conditions, counts, updates and deletions`() throws {
    let white = books.matching("white").filter(\.year, equalTo: 1851)
    #expect(try white.fetchCount() == 2)
    #expect(try white.limit(1).fetchCount() == 1)
    #expect(try white.matching("noise").fetchOne()?.id == 4)
    #expect(try books.filter { $0.id > 1 }.matching("white").fetchMany(\.title) == ["White Noise"])
    #expect(try white.update(\.year, 1985) == 2)
    #expect(try books.matching("whale").delete() == 1)
    #expect(try ids(books.matching("white")) == [4])
  }

  @Test func `the index follows insertions, updates, replacements and deletions`() throws {
    try books.insert(Book(id: 5, title: "Typee", text: "cannibals"))
    #expect(try ids(books.matching("cannibals")) == [5])
    try books.filter(id: 5).update(\.text, "islands")
    #expect(try ids(books.matching("cannibals")) == [])
    #expect(try ids(books.matching("islands")) == [5])
    try books.save(Book(id: 5, title: "Omoo", text: "sailors"))
    #expect(try ids(books.matching("islands")) == [])
    #expect(try ids(books.matching("typee")) == [])
    #expect(try ids(books.matching("omoo sailors")) == [5])
    try books.filter(id: 5).delete()
    #expect(try ids(books.matching("sailors")) == [])
    try books.insert(
      [Book(id: 1, title: "ignored", text: ""), Book(id: 6, title: "Mardi", text: "sea")],
      onConflict: .ignore)
    #expect(try ids(books.matching("ignored")) == [])
    #expect(try ids(books.matching("mardi")) == [6])
    #expect(try ids(books.matching("ishmael")) == [1])
    try encrypted.store.execute("UPDATE Book SET text = 'by SQL' WHERE id = 6")
    #expect(try ids(books.matching("SQL")) == [6])
  }

  @Test func `a document that was replaced by a unique property can't be found`() throws {
    try books.insert(
      [Book(id: 9, title: "Moby-Dick", text: "another text")], onConflict: .replace)
    #expect(try books.all().fetchCount() == 4)
    #expect(try ids(books.matching("ishmael")) == [])
    #expect(try ids(books.matching("moby")) == [9])
    try books.insert(Book(id: 9, title: "Bartleby", text: "both"), onConflict: .replace)
    #expect(try ids(books.matching("humanity")) == [])
    #expect(try ids(books.matching("both")) == [9])
    #expect(try books.all().fetchCount() == 3)
    try books.rebuildFullText()
    #expect(try ids(books.matching("both")) == [9])
    #expect(try violations() == ["ok"])
  }

  @Test func `a rollback takes the words back`() throws {
    #expect(throws: TestError.self) { () throws in
      try encrypted.store.transaction {
        try books.insert(Book(id: 5, title: "Typee"))
        #expect(try ids(books.matching("typee")) == [5])
        throw TestError()
      }
    }
    #expect(try ids(books.matching("typee")) == [])
  }

  @Test func `VACUUM leaves the documents their words`() throws {
    try books.filter(id: 1).delete()
    try encrypted.store.writer.vacuum()
    #expect(try ids(books.matching("humanity")) == [2])
    #expect(try ids(books.matching("noise")) == [4])
    try books.filter(id: 2).delete()
    #expect(try ids(books.matching("humanity")) == [])
    #expect(try violations() == ["ok"])
  }

  @Test(.enabled(if: SQLiteFeatures.linked.hasFTS5)) func `results are ordered by relevance`()
    throws
  {
    try books.insert(Book(id: 5, title: "Whale", text: "whale whale whale"))
    let whales = books.matching("whale").orderByRelevance()
    #expect(try whales.fetchMany(\.id) == [5, 1])
    #expect(try whales.fetchOne()?.id == 5)
    #expect(try whales.offset(1).limit(5).fetchMany().map(\.id) == [1])
    #expect(try whales.fetchCount() == 2)
    #expect(try whales.limit(1).fetchCount() == 1)
    #expect(try books.matching("?").orderByRelevance().fetchMany() == [])
    #expect(try whales.limit(1).delete() == 1)
    #expect(try ids(books.matching("whale")) == [1])
  }

  @Test func `an order by relevance without a search, or without FTS5, is an error`() throws {
    let error = documentError { try books.all().orderByRelevance().fetchMany() }
    #expect(error?.contains(SQLiteFeatures.linked.hasFTS5 ? "no search" : "SQLCipher") == true)
  }

  @Test func `searches are observed`() async throws {
    var found: [[Int]] = []
    for try await whales in books.matching("whale").orderBy(\.id).values(\.id) {
      found.append(whales)
      switch found.count {
      case 1: try await books.insert(Book(id: 5, title: "Whale"))
      case 2: try await books.filter(id: 1).update(\.text, "a fish")
      default: break
      }
      if found.count == 3 { break }
    }
    #expect(found == [[1], [1, 5], [5]])
  }

  // MARK: Invalid searches

  @Test func `a type or a property without the rule says what to add`() throws {
    struct Plain: Codable { var text: String }
    let plain = try encrypted.store.collection(Plain.self)
    #expect(documentError { try plain.matching("a").fetchMany() }?.contains(".fullText") == true)
    #expect(documentError { try plain.rebuildFullText() }?.contains(".fullText") == true)
    let error = documentError { try books.matching("a", in: \.year).fetchMany() }
    #expect(error?.contains("the property year of Book") == true)
  }

  struct Nested: Codable, MigratingDocument {
    struct Inside: Codable { var text: String }
    var inside: Inside
    static var migrationRules: [MigrationRule<Nested>] { [.fullText(\.inside.text)] }
  }

  struct Listed: Codable, MigratingDocument {
    var tags: [String]
    static var migrationRules: [MigrationRule<Listed>] { [.fullText(\.tags)] }
  }

  struct Ranked: Codable, MigratingDocument {
    var rank: String
    static var migrationRules: [MigrationRule<Ranked>] { [.fullText(\.rank)] }
  }

  struct Twice: Codable, MigratingDocument {
    var a: String, b: String
    static var migrationRules: [MigrationRule<Twice>] { [.fullText(\.a), .fullText(\.b)] }
  }

  @Test func `parts of columns, lists, and SQLite's own names are refused`() throws {
    let store = encrypted.store
    #expect(documentError { try store.collection(Nested.self) }?.contains("inside.text") == true)
    #expect(documentError { try store.collection(Listed.self) }?.contains("no String") == true)
    #expect(documentError { try store.collection(Ranked.self) }?.contains("rank") == true)
    #expect(documentError { try store.collection(Twice.self) }?.contains("twice") == true)
    #expect(try store.read { try !$0.tableExists("Nested") && !$0.tableExists("Listed") })
  }
}
