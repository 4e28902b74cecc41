import Coffer
import CofferTestSupport
import Foundation
import Testing

@Suite("How long stores live") struct StoreLifetimeTests {
  private struct Book: Codable, Identifiable { var id: Int, name: String }
  private struct Author: Codable, Identifiable { var id: Int, name: String }

  private func openFiles() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
  }

  @Test func `a store whose collections are in use is released`() throws {
    let directory = try TemporaryDirectory()
    weak var store: DocumentStore?
    weak var books: DocumentCollection<Book>?
    try {
      let opened = try DocumentStore(
        path: directory.path("store.db"), key: try .raw(Data(repeating: 7, count: 32)))
      let collection = try opened.collection(Book.self)
      _ = try opened.collection(Author.self)
      try collection.insert(Book(id: 1, name: "x"))
      #expect(collection.store === opened)
      (store, books) = (opened, collection)
    }()
    #expect(store == nil)
    #expect(books == nil)
  }

  @Test func `files are closed with their stores`() throws {
    let directory = try TemporaryDirectory()
    // Other tests open and close files meanwhile; a leak would leave many more.
    let before = try openFiles()
    for index in 0..<150 {
      let store = try DocumentStore(
        path: directory.path("store\(index % 3).db"), key: try .raw(Data(repeating: 7, count: 32)))
      #expect(try store.collection(Book.self).all().fetchCount() == 0)
    }
    #expect(try openFiles() < before + 150)
  }

  @Test func `a collection needs no store`() throws {
    let directory = try TemporaryDirectory()
    let books = try DocumentStore(
      path: directory.path("store.db"), key: try .raw(Data(repeating: 7, count: 32))
    ).collection(Book.self)
    try books.save(Book(id: 1, name: "x"))
    #expect(try books.filter(id: 1).fetchOne()?.name == "x")
    #expect(try books.store.collection(Book.self).all().fetchCount() == 1)
  }
}
