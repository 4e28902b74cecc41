import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@testable import Coffer

@Suite("References between collections")
struct ReferenceTests {
  struct Author: Codable, Identifiable, Equatable {
    var id: UUID
    var name: String
    @Unique var email: String? = nil
  }

  struct Book: Codable, Identifiable, Equatable, MigratingDocument {
    var id: Int
    var title: String
    var authorID: UUID
    static var migrationRules: [MigrationRule<Book>] {
      [.references(\.authorID, Author.self, onDelete: .cascade)]
    }
  }

  struct Award: Codable, MigratingDocument {
    var name: String
    var winner: UUID?
    static var migrationRules: [MigrationRule<Award>] {
      [.references(\.winner, Author.self, onDelete: .setNull)]
    }
  }

  struct Contract: Codable, MigratingDocument {
    var author: UUID
    var book: Int?
    static var migrationRules: [MigrationRule<Contract>] {
      [
        .references(\.author, Author.self, onDelete: .restrict),
        .references(\.book, Book.self, onDelete: .restrict),
      ]
    }
  }

  private let encrypted: EncryptedStore
  private var store: DocumentStore { encrypted.store }
  private let melville = Author(id: UUID.seeded(), name: "Melville")
  private let verne = Author(id: UUID.seeded(), name: "Verne")

  init() throws { encrypted = try EncryptedStore() }

  private func library() throws -> (
    DocumentCollection<Author>, DocumentCollection<Book>
  ) {
    let books = try store.collection(Book.self)
    let authors = try store.collection(Author.self)
    try authors.insert([melville, verne])
    try books.insert([
      Book(id: 1, title: "Moby-Dick", authorID: melville.id),
      Book(id: 2, title: "Typee", authorID: melville.id),
      Book(id: 3, title: "L'Ile", authorID: verne.id),
    ])
    return (authors, books)
  }

  // MARK: Rules

  @Test func `with cascade, the documents of a deleted one go too`() throws {
    let (authors, books) = try library()
    #expect(try authors.filter(id: melville.id).delete() == 1)
    #expect(try books.all().fetchMany(\.id) == [3])
  }

  @Test func `with setNull, the property becomes nil`() throws {
    let (authors, _) = try library()
    let awards = try store.collection(Award.self)
    try awards.insert([Award(name: "a", winner: verne.id), Award(name: "b", winner: nil)])
    try authors.filter(id: verne.id).delete()
    #expect(try awards.all().fetchMany(\.winner) == [nil, nil])
  }

  @Test func `with restrict, the deletion fails and names what refers`() throws {
    let (authors, books) = try library()
    let contracts = try store.collection(Contract.self)
    try contracts.insert(Contract(author: verne.id, book: 1))
    let error = databaseError { try authors.filter(id: verne.id).delete() }
    #expect(error?.resultCode == .SQLITE_CONSTRAINT)
    let message = error.map { "\($0)" } ?? ""
    #expect(message.contains("collection Contract") && message.contains("property author"))
    #expect(!message.contains(verne.id.uuidString))
    let other = databaseError { try books.filter(id: 1).delete() }
    #expect(other.map { "\($0)" }?.contains("property book") == true)
    #expect(try authors.all().fetchCount() == 2)
    #expect(try books.filter(id: 2).delete() == 1)
  }

  @Test func `with restrict, a replacement fails and names what refers`() throws {
    let (authors, _) = try library()
    try store.collection(Contract.self).insert(Contract(author: verne.id, book: nil))
    try authors.filter(id: verne.id).update(\.email, "jules@example.com")
    let other = Author(id: UUID.seeded(), name: "Jules", email: "jules@example.com")
    let ways = [
      { try authors.insert(other, onConflict: .replace) },
      { try authors.insert([other], onConflict: .replace) },
    ]
    for replace in ways {
      let error = databaseError { try replace() }
      #expect(error?.resultCode == .SQLITE_CONSTRAINT)
      let message = error.map { "\($0)" } ?? ""
      #expect(message.contains("collection Contract") && message.contains("property author"))
      #expect(!message.contains("jules@"))
    }
    #expect(try authors.all().fetchCount() == 2)
  }

  @Test func `saving a document again is no deletion`() throws {
    let (authors, books) = try library()
    _ = try store.collection(Contract.self).insert(Contract(author: verne.id, book: nil))
    var author = melville
    author.name = "Herman Melville"
    try authors.save(author)
    try authors.save([author, verne])
    try authors.insert(verne, onConflict: .replace)
    #expect(try books.all().fetchCount() == 3)
    #expect(try authors.filter(id: melville.id).fetchOne() == author)
  }

  @Test func `a document that another one replaces by a unique property is deleted`() throws {
    let (authors, books) = try library()
    try authors.filter(id: verne.id).update(\.email, "jules@example.com")
    try authors.insert(
      Author(id: UUID.seeded(), name: "Jules", email: "jules@example.com"), onConflict: .replace)
    #expect(try books.all().orderBy(\.id).fetchMany(\.id) == [1, 2])
  }

  // MARK: Errors

  @Test func `an error about a broken reference names property, collection and position`() throws {
    let (_, books) = try library()
    let stray = UUID.seeded()
    let error = databaseError {
      try books.insert([
        Book(id: 4, title: "Omoo", authorID: melville.id),
        Book(id: 5, title: "Stray", authorID: stray),
      ])
    }
    #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
    #expect(error?.batchIndex == 1)
    let message = error.map { "\($0)" } ?? ""
    #expect(message.contains("authorID of Book") && message.contains("collection Author"))
    #expect(!message.contains(stray.uuidString) && !message.contains("Stray"))
    #expect(try books.all().fetchCount() == 3)
  }

  @Test func `the broken one of several references is named`() throws {
    _ = try library()
    let contracts = try store.collection(Contract.self)
    let error = databaseError { try contracts.insert(Contract(author: verne.id, book: 99)) }
    let message = error.map { "\($0)" } ?? ""
    #expect(message.contains("property book of Contract"))
    #expect(!message.contains("property author"))
  }

  @Test func `an update names the property that it has changed`() throws {
    let (_, books) = try library()
    let error = databaseError { try books.filter(id: 1).update(\.authorID, UUID.seeded()) }
    #expect(error.map { "\($0)" }?.contains("property authorID of Book") == true)
    #expect(try books.filter(id: 1).fetchOne()?.authorID == melville.id)
  }

  // MARK: Several documents at once

  @Test func `children may come before their parents, in a batch and in a transaction`() throws {
    let nodes = try store.collection(Node.self)
    let trees = try store.collection(Tree.self)
    try store.transaction {
      try nodes.insert(Node(id: 3, parent: 2, tree: 1))
      try nodes.save([Node(id: 2, parent: 1, tree: 1), Node(id: 1, parent: nil, tree: 1)])
      try trees.insert(Tree(id: 1, root: 3))
    }
    try nodes.insert([
      Node(id: 6, parent: 5, tree: 1), Node(id: 5, parent: 5, tree: 1),
      Node(id: 4, parent: 6, tree: 1),
    ])
    try nodes.save([Node(id: 8, parent: 7, tree: 1), Node(id: 7, parent: nil, tree: 1)])
    #expect(try nodes.all().fetchCount() == 8)
    #expect(try trees.all().fetchMany(\.root) == [3])
    // Alone, a document must find its parent.
    #expect(databaseError { try nodes.insert(Node(id: 9, parent: 10, tree: 1)) } != nil)
  }

  @Test func `a reference to no document at the end is an error that names the property`() throws {
    let nodes = try store.collection(Node.self)
    let trees = try store.collection(Tree.self)
    try trees.insert(Tree(id: 1, root: nil))
    let batch = databaseError {
      try nodes.insert([
        Node(id: 3, parent: 2, tree: 1), Node(id: 2, parent: nil, tree: 1),
        Node(id: 4, parent: 9, tree: 1), Node(id: 5, parent: 4, tree: 1),
      ])
    }
    #expect(batch?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
    #expect(batch?.batchIndex == 2)
    #expect(batch.map { "\($0)" }?.contains("property parent of Node") == true)
    let transaction = databaseError {
      try store.transaction {
        try trees.insert(Tree(id: 2, root: nil))
        try nodes.insert(Node(id: 3, parent: 2, tree: 2))
      }
    }
    #expect(transaction?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
    #expect(transaction.map { "\($0)" }?.contains("property parent of Node") == true)
    #expect(try nodes.all().fetchCount() == 0)
    #expect(try trees.all().fetchCount() == 1)
  }

  @Test func `an inner transaction that ends is part of the outer one`() async throws {
    let nodes = try await store.collection(Node.self)
    let trees = try await store.collection(Tree.self)
    try await store.transaction {
      try self.store.transaction { try nodes.insert(Node(id: 2, parent: 1, tree: 1)) }
      try nodes.insert(Node(id: 1, parent: nil, tree: 1))
      try trees.insert(Tree(id: 1, root: nil))
    }
    #expect(try await nodes.all().fetchCount() == 2)
    await #expect(throws: DatabaseError.self) {
      try await store.write { _ in try nodes.insert(Node(id: 9, parent: 8, tree: 1)) }
    }
  }

  // MARK: Making and changing

  @Test func `collections that refer to each other, and to themselves, are made in any order`()
    throws
  {
    let nodes = try store.collection(Node.self)
    let trees = try store.collection(Tree.self)
    try trees.insert(Tree(id: 1, root: nil))
    try nodes.insert([
      Node(id: 1, parent: nil, tree: 1), Node(id: 2, parent: 1, tree: 1),
      Node(id: 3, parent: 2, tree: 1),
    ])
    try trees.filter(id: 1).update(\.root, 1)
    #expect(databaseError { try nodes.insert(Node(id: 4, parent: 9, tree: 1)) } != nil)
    try nodes.filter(id: 1).delete()
    #expect(try nodes.all().fetchCount() == 0)
    #expect(try trees.all().fetchMany(\.root) == [nil])
  }

  struct Node: Codable, Identifiable, MigratingDocument {
    var id: Int, parent: Int?, tree: Int
    static var migrationRules: [MigrationRule<Node>] {
      [
        .references(\.parent, Node.self, onDelete: .cascade),
        .references(\.tree, Tree.self, onDelete: .restrict),
      ]
    }
  }

  struct Tree: Codable, Identifiable, MigratingDocument {
    var id: Int, root: Int?
    static var migrationRules: [MigrationRule<Tree>] {
      [.references(\.root, Node.self, onDelete: .setNull)]
    }
  }

  private enum V1 {
    struct Book: Codable, Identifiable, CustomCollectionName {
      static let collectionName = "Book"
      var id: Int, title: String, authorID: UUID, old: String? = nil
    }
  }

  private enum V3 {
    struct Book: Codable, Identifiable, MigratingDocument, CustomCollectionName {
      static let collectionName = "Book"
      var id: Int, title: String, writer: UUID
      static var migrationRules: [MigrationRule<Book>] {
        [
          .renamed("authorID", to: \.writer),
          .references(\.writer, Author.self, onDelete: .restrict),
        ]
      }
    }
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a reference is added to documents that are there, changed, renamed and removed`(
    kind: EncryptedDatabase.Kind
  ) throws {
    let encrypted = try EncryptedStore(kind)
    let old = try encrypted.store.collection(V1.Book.self)
    try old.insert(V1.Book(id: 1, title: "Moby-Dick", authorID: melville.id, old: "x"))
    try old.insert(V1.Book(id: 2, title: "L'Ile", authorID: verne.id, old: nil))
    try encrypted.store.collection(Author.self).insert(melville)

    // One document leads to no author.
    let error = documentError { try encrypted.again().collection(Book.self) }
    #expect(error?.contains("authorID of Book") == true)
    #expect(error?.contains("Author: in one document") == true)
    #expect(try old.all().fetchCount() == 2)
    try old.insert(V1.Book(id: 3, title: "free still", authorID: UUID.seeded(), old: nil))

    try old.filter(\.id, greaterThan: 1).delete()
    let books = try encrypted.again().collection(Book.self)
    let authors = try encrypted.again().collection(Author.self)
    #expect(try books.all().fetchMany(\.title) == ["Moby-Dick"])
    #expect(
      databaseError { try books.insert(Book(id: 4, title: "", authorID: verne.id)) } != nil)

    let renamed = try encrypted.again().collection(V3.Book.self)
    #expect(try renamed.all().fetchMany(\.writer) == [melville.id])
    let restricted = databaseError { try authors.filter(id: melville.id).delete() }
    #expect(restricted.map { "\($0)" }?.contains("property writer") == true)

    let dropped = try encrypted.again(autoDropColumns: true).collection(V3.Book.self)
    #expect(try encrypted.columns("Book").contains("old") == false)
    #expect(databaseError { try authors.filter(id: melville.id).delete() } != nil)
    #expect(try dropped.all().fetchCount() == 1)

    let free = try encrypted.again().collection(Free.Book.self)
    #expect(try authors.filter(id: melville.id).delete() == 1)
    #expect(try free.all().fetchCount() == 1)
    let integrity = try encrypted.store.read {
      try String.fetchOne($0, sql: "PRAGMA integrity_check")
    }
    #expect(integrity == "ok")
  }

  private enum Free {
    struct Book: Codable, Identifiable, CustomCollectionName {
      static let collectionName = "Book"
      var id: Int, title: String
    }
  }

  @Test func `a collection that is referred to can change`() throws {
    let (_, books) = try library()
    struct Author: Codable, Identifiable {
      var id: UUID, name: String, country: String? = nil
    }
    let authors = try encrypted.again().collection(Author.self)
    try authors.save(Author(id: melville.id, name: "M", country: "US"))
    #expect(try books.all().fetchCount() == 3)
    #expect(try encrypted.columns("Author") == ["id", "name", "email", "country"])
  }

  @Test func `a table that is current isn't migrated again`() throws {
    let (_, books) = try library()
    let version = { () throws -> Int? in
      try encrypted.database.writer.read { try Int.fetchOne($0, sql: "PRAGMA schema_version") }
    }
    let before = try version()
    try books.migrate()
    _ = try encrypted.again().collection(Book.self)
    #expect(try version() == before)
  }

  // MARK: Invalid declarations

  struct Unkept: Codable, MigratingDocument {
    var author: UUID
    static var migrationRules: [MigrationRule<Unkept>] {
      [.references(\.author, Author.self, onDelete: .setNull)]
    }
  }

  struct Place: Codable, Identifiable {
    var x: Int
    var id: String { "\(x)" }
  }

  struct Visit: Codable, MigratingDocument {
    var place: String
    static var migrationRules: [MigrationRule<Visit>] {
      [.references(\.place, Place.self, onDelete: .cascade)]
    }
  }

  struct Letter: Codable, MigratingDocument {
    struct Address: Codable { var author: UUID }
    var address: Address
    static var migrationRules: [MigrationRule<Letter>] {
      [.references(\.address.author, Author.self, onDelete: .cascade)]
    }
  }

  @Test func `a property that can't be a reference is an error that says why`() throws {
    #expect(documentError { try store.collection(Unkept.self) }?.contains("optional") == true)
    #expect(documentError { try store.collection(Visit.self) }?.contains("Place") == true)
    #expect(documentError { try store.collection(Letter.self) }?.contains("address.author") == true)
    #expect(try store.read { try !$0.tableExists("Unkept") && !$0.tableExists("Visit") })
  }
}
