import CofferExpectations
import CofferTestSupport
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Coffer

@Suite("Observed queries", .timeLimit(.minutes(15)))
final class DocumentObservationTests {
  struct Book: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var name: String
    var author = "?"
    var priceCents: Int
  }

  struct Shelf: Codable, Equatable, Sendable {
    var room: String
  }

  private let queue = DispatchQueue(label: "coffer.tests.documents")
  /// The files, which have to be there until the end of the test.
  private let kept = Mutex<[EncryptedStore]>([])

  private func books(_ kind: EncryptedDatabase.Kind) throws -> (
    EncryptedStore, DocumentCollection<Book>
  ) {
    let store = try EncryptedStore(kind)
    kept.withLock { $0.append(store) }
    return (store, try store.store.collection(Book.self))
  }

  // The synchronous forms, in asynchronous tests too.

  private func insert(_ books: DocumentCollection<Book>, _ book: Book) throws {
    try books.insert(book)
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a loop gets the documents of the query after each commit that touches them`(
    kind: EncryptedDatabase.Kind
  ) async throws {
    let (_, books) = try books(kind)
    var names: [[String]] = []
    for try await cheap in books.filter(\.priceCents, lessThan: 1000).orderBy(\.id).values() {
      names.append(cheap.map(\.name))
      switch names.count {
      case 1: try insert(books, Book(id: 1, name: "Emma", priceCents: 850))
      case 2: try insert(books, Book(id: 2, name: "Nana", priceCents: 950))
      case 3: try await books.filter(id: 1).delete()
      default: break
      }
      if names.count == 4 { break }
    }
    #expect(names == [[], ["Emma"], ["Emma", "Nana"], ["Nana"]])
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `changes of the observed property are reported, and those of others aren't`(
    kind: EncryptedDatabase.Kind
  ) throws {
    let (_, books) = try books(kind)
    try books.insert(Book(id: 1, name: "Emma", priceCents: 850))
    let log = ValueLog<[String]>()
    let observation = books.filter(\.priceCents, lessThan: 1000).observation(\.name)
    let cancellable = observation.start(
      in: books.store.writer, scheduling: .async(onQueue: queue), onError: log.fail,
      onChange: log.append)
    log.wait()
    try books.filter(id: 1).update(\.author, "Austen")
    try books.filter(id: 1).update(\.name, "Emma!")
    log.wait()
    queue.sync {}
    #expect(log.values == [["Emma"], ["Emma!"]])
    cancellable.cancel()
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `changes of other collections, and rolled-back ones, aren't reported`(
    kind: EncryptedDatabase.Kind
  ) throws {
    let (encrypted, books) = try books(kind)
    let shelves = try encrypted.store.collection(Shelf.self)
    let log = ValueLog<[Book]>()
    let cancellable = books.all().observe(
      scheduling: .async(onQueue: queue), onError: log.fail, onChange: log.append)
    log.wait()
    try shelves.insert(Shelf(room: "cellar"))
    #expect(throws: TestError.self) { () throws in
      try encrypted.store.transaction {
        try books.insert(Book(id: 9, name: "Never", priceCents: 1))
        throw TestError()
      }
    }
    try books.insert(Book(id: 1, name: "Emma", priceCents: 850))
    log.wait()
    queue.sync {}
    #expect(log.values.map { $0.map(\.id) } == [[], [1]])
    cancellable.cancel()
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a count is reported when it changes`(kind: EncryptedDatabase.Kind) throws {
    let (_, books) = try books(kind)
    let log = ValueLog<Int>()
    let cancellable = books.observeCount(
      scheduling: .async(onQueue: queue), onError: log.fail, onChange: log.append)
    log.wait()
    try books.insert([
      Book(id: 1, name: "Emma", priceCents: 1), Book(id: 2, name: "Nana", priceCents: 2),
    ])
    log.wait()
    try books.filter(id: 1).update(\.priceCents, 7)
    try books.filter(id: 1).delete()
    log.wait()
    queue.sync {}
    #expect(log.values == [0, 2, 1])
    cancellable.cancel()
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `the first document, by its identifier, comes and goes`(
    kind: EncryptedDatabase.Kind
  ) async throws {
    let (_, books) = try books(kind)
    var names: [String?] = []
    for try await book in books.filter(id: 7).valuesOfFirst() {
      names.append(book?.name)
      switch names.count {
      case 1: try insert(books, Book(id: 7, name: "Emma", priceCents: 850))
      case 2: try await books.filter(id: 7).update(\.name, "Nana")
      case 3: try await books.filter(id: 7).delete()
      default: break
      }
      if names.count == 4 { break }
    }
    #expect(names == [nil, "Emma", "Nana", nil])
  }

  @Test func `an observation is mapped, and duplicates are left out`() throws {
    let (_, books) = try books(.pool)
    let log = ValueLog<Int>()
    let cancellable = books.all().observation().map { $0.map(\.priceCents).reduce(0, +) }
      .removeDuplicates()
      .start(
        in: books.store.writer, scheduling: .async(onQueue: queue), onError: log.fail,
        onChange: log.append)
    log.wait()
    try books.insert(Book(id: 1, name: "Emma", priceCents: 850))
    log.wait()
    try books.filter(id: 1).update(\.name, "Nana")
    try books.insert(Book(id: 2, name: "Ulysses", priceCents: 1))
    log.wait()
    queue.sync {}
    #expect(log.values == [0, 850, 851])
    cancellable.cancel()
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a cancelled observation delivers nothing`(kind: EncryptedDatabase.Kind) throws {
    let (_, books) = try books(kind)
    let log = ValueLog<[Book]>()
    let cancellable = books.observe(
      scheduling: .async(onQueue: queue), onError: log.fail, onChange: log.append)
    log.wait()
    queue.sync { cancellable.cancel() }
    let last = ValueLog<[Book]>()
    let other = books.observe(
      scheduling: .async(onQueue: queue), onError: last.fail, onChange: last.append)
    last.wait()
    try books.insert(Book(id: 1, name: "Emma", priceCents: 850))
    last.wait()
    queue.sync {}
    #expect(log.values == [[]])
    other.cancel()
  }

  @Test func `the cancellation of a task ends its loop`() async throws {
    let (_, books) = try books(.pool)
    let log = ValueLog<Int>()
    let task = Task {
      for try await count in books.valuesOfCount() { log.append(count) }
      return "over"
    }
    _ = await log.values(atLeast: 1)
    task.cancel()
    #expect(try await task.value == "over")
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a query that can't be asked gives its error once`(
    kind: EncryptedDatabase.Kind
  ) async throws {
    let (_, books) = try books(kind)
    var wrong = books.filter(\.name.count, equalTo: 1).values().makeAsyncIterator()
    await #expect(throws: DocumentError.self) { try await wrong.next() }
    #expect(try await wrong.next() == nil)
    var property = books.all().values(\.name.count).makeAsyncIterator()
    await #expect(throws: DocumentError.self) { try await property.next() }
    #expect(try await property.next() == nil)
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a document that doesn't decode ends the observation with its error, once`(
    kind: EncryptedDatabase.Kind
  ) throws {
    let (encrypted, books) = try books(kind)
    let log = ValueLog<[Book]>()
    let cancellable = books.observe(
      scheduling: .async(onQueue: queue), onError: log.fail, onChange: log.append)
    log.wait()
    try encrypted.store.execute("INSERT INTO Book (id, name) VALUES (1, 'no price')")
    log.wait()
    try encrypted.store.execute("DELETE FROM Book")
    queue.sync {}
    #expect(log.values == [[]])
    #expect(log.errors.count == 1)
    #expect(log.errors.first is RowDecodingError)
    cancellable.cancel()
  }

  @MainActor @Test func `on the main actor, the first value may come at once`() throws {
    let (_, books) = try books(.pool)
    try books.insert(Book(id: 1, name: "Emma", priceCents: 850))
    let log = ValueLog<String>()
    let cancellable = books.observeFirst(scheduling: .immediate) { error in
      log.fail(error)
    } onChange: { book in
      log.append(book?.name ?? "none")
    }
    #expect(log.values == ["Emma"])
    cancellable.cancel()
  }
}
