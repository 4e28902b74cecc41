import Coffer
import CofferExpectations
import Foundation
import Testing

@Suite("Results of queries") struct ResultTests {
  private let encrypted: EncryptedStore
  private let items: DocumentCollection<Item>

  init() throws {
    encrypted = try EncryptedStore()
    items = try encrypted.store.collection(Item.self)
    try items.insert(Item.all)
  }

  // MARK: The first, and the number

  @Test func `a query gives its first document, its count, and whether it is empty`() throws {
    #expect(try items.all().orderBy(\.name, .descending).first()?.id == 4)
    #expect(try items.filter(\.id, greaterThan: 9).first() == nil)
    #expect(try items.count() == 4)
    #expect(try items.filter(\.stars, equalTo: 3).count() == 2)
    #expect(try items.isEmpty() == false)
    #expect(try items.filter(\.id, greaterThan: 9).isEmpty())
    #expect(try items.all().limit(0).isEmpty())
    #expect(try items.all().offset(4).isEmpty())
    #expect(try items.fetch(id: 3) == Item.all[2])
    #expect(try items.fetch(id: 9) == nil)
  }

  @Test func `documents are deleted`() throws {
    #expect(try items.delete(Item.all[0]))
    #expect(try !items.delete(Item.all[0]))
    #expect(try items.delete(id: 2))
    #expect(try items.delete([Item.all[0], Item.all[2]]) == 1)
    #expect(try items.delete([]) == 0)
    #expect(try items.all().fetchMany(\.id) == [4])
  }

  @Test func `all results have asynchronous forms`() async throws {
    #expect(try await items.all().orderBy(\.name).first()?.id == 1)
    #expect(try await items.count() == 4)
    #expect(try await items.isEmpty() == false)
    #expect(try await items.fetch(id: 3)?.name == "Carl")
    #expect(try await items.sum(\.price) == 12)
    #expect(try await items.average(\.stars) == 11.0 / 3)
    #expect(try await items.min(\.name) == "Arthur")
    #expect(try await items.max(\.stars) == 5)
    #expect(try await items.distinct(\.price) == [1.5, 2.5, 4])
    #expect(try await items.all().grouped(by: \.price).count() == [1.5: 1, 2.5: 1, 4: 2])
    #expect(try await items.all().grouped(by: \.price).sum(\.id) == [1.5: 1, 2.5: 2, 4: 7])
    #expect(try await items.all().grouped(by: \.price).max(\.id) == [1.5: 1, 2.5: 2, 4: 4])
    let page = try await items.all().orderBy(\.name).fetchPage(3)
    #expect(page.documents.count == 3)
    #expect(try await items.delete([Item.all[0]]) == 1)
    #expect(try await items.delete(Item.all[1]))
    #expect(try await items.delete(id: 3))
    #expect(try await items.count() == 1)
  }

  // MARK: Aggregates

  @Test func `numbers have a sum and an average`() throws {
    #expect(try items.sum(\.price) == 12)
    #expect(try items.sum(\.stars) == 11)
    #expect(try items.sum(\.id) == 10)
    #expect(try items.filter(\.id, greaterThan: 9).sum(\.id) == 0)
    #expect(try items.sum(\.cost) == Decimal(1))
    #expect(try items.average(\.price) == 3)
    #expect(try items.average(\.stars) == 11.0 / 3)
    #expect(try items.average(\.cost) == 0.25)
    #expect(try items.filter(\.id, greaterThan: 9).average(\.id) == nil)
    #expect(try items.all().orderBy(\.id).limit(2).sum(\.id) == 3)
    try items.filter(id: 1).update(\.id, Int.max)
    #expect(databaseError { try items.sum(\.id) } != nil)
  }

  @Test func `values that aren't numbers are left out of a sum`() throws {
    try encrypted.store.execute("UPDATE Item SET price = 'secret' WHERE id = 1")
    let error = documentError { try items.sum(\.price) }
    #expect(error?.contains("price") == true)
    #expect(error?.contains("secret") == false)
    #expect(documentError { try items.average(\.price) } != nil)
    #expect(documentError { try items.all().grouped(by: \.name).sum(\.price) } != nil)
  }

  @Test func `a query gives the least and the greatest value`() throws {
    #expect(try items.min(\.name) == "Arthur")
    #expect(try items.max(\.name) == "Dora")
    #expect(try items.min(\.stars) == 3)
    #expect(try items.max(\.day) == Item.all[3].day)
    #expect(try items.max(\.cost) == Item.all[3].cost)
    #expect(try items.max(\.place?.city) == "Paris")
    #expect(try items.filter(\.stars, isNull: true).max(\.stars) == nil)
    #expect(try items.all().orderBy(\.name).limit(2).max(\.name) == "Barbara")
  }

  @Test func `each distinct value is fetched once`() throws {
    #expect(try items.distinct(\.nickname) == [nil, "Art", "C"])
    #expect(try items.distinct(\.price) == [1.5, 2.5, 4])
    #expect(try items.all().orderBy(\.id, .descending).limit(2).distinct(\.price) == [4])
    #expect(try items.distinct(\.place?.city) == [nil, "Oslo", "Paris"])
  }

  @Test func `documents are grouped`() throws {
    #expect(try items.all().grouped(by: \.nickname).count() == [nil: 1, "Art": 1, "C": 2])
    #expect(try items.all().grouped(by: \.price).sum(\.id) == [1.5: 1, 2.5: 2, 4: 7])
    #expect(try items.all().grouped(by: \.price).average(\.id) == [1.5: 1, 2.5: 2, 4: 3.5])
    #expect(
      try items.all().grouped(by: \.price).min(\.name)
        == [1.5: "Arthur", 2.5: "Barbara", 4: "Carl"])
    #expect(
      try items.filter(\.id, greaterThan: 1).grouped(by: \.price).max(\.day)[4] == Item.all[3].day)
    #expect(try items.filter(\.id, greaterThan: 9).grouped(by: \.price).count() == [:])
    let costs = try items.all().grouped(by: \.price).sum(\.cost)
    #expect(costs[1.5] == Item.all[0].cost)
    #expect(costs[4] == Item.all[2].cost + Item.all[3].cost)
    #expect(try items.all().grouped(by: \.price).average(\.cost).count == 3)
  }

  // MARK: Several properties

  @Test func `several properties make tuples`() throws {
    let pairs = try items.all().orderBy(\.id).fetchMany(\.name, \.stars)
    #expect(pairs.map(\.0) == ["Arthur", "Barbara", "Carl", "Dora"])
    #expect(pairs.map(\.1) == [3, nil, 5, 3])
    let rows = try items.filter(id: 1).fetchMany(\.id, \.day, \.cost, \.tags, \.place?.city)
    #expect(rows.count == 1)
    #expect(rows[0].1 == Item.all[0].day)
    #expect(rows[0].2 == Item.all[0].cost)
    #expect(rows[0].3 == ["a", "b"])
    #expect(rows[0].4 == "Paris")
    let one = try items.all().orderBy(\.id, .descending).fetchOne(\.name, \.id)
    #expect(one?.0 == "Dora")
    #expect(one?.1 == 4)
    try encrypted.store.execute("UPDATE Item SET price = 'secret' WHERE id = 3")
    let error = #expect(throws: RowDecodingError.self) {
      try items.all().fetchMany(\.name, \.price)
    }
    #expect(error?.recordKey == 3.databaseValue)
    #expect(error?.columnName == "price")
  }

  @Test func `several properties make tuples on another thread`() async throws {
    let pairs = try await items.all().orderBy(\.id).fetchMany(\.name, \.stars)
    #expect(pairs.map(\.0) == ["Arthur", "Barbara", "Carl", "Dora"])
    let rows = try await items.filter(id: 1).fetchMany(\.id, \.day, \.cost, \.tags)
    #expect(rows.first?.3 == ["a", "b"])
    #expect(try await items.filter(id: 9).fetchOne(\.name, \.id) == nil)
    #expect(try await items.filter(id: 2).fetchOne(\.id, \.name)?.1 == "Barbara")
  }

  // MARK: Pages

  private func pages(_ query: QueryBuilder<Item>, _ size: Int) throws -> [[Int]] {
    var pages: [[Int]] = []
    var token: PageToken?
    repeat {
      let page = try query.fetchPage(size, after: token)
      pages.append(page.documents.map(\.id))
      token = page.next
    } while token != nil && pages.count < 20
    return pages
  }

  @Test(arguments: [nil, QueryBuilder<Item>.Nulls.first, .last])
  func `pages have each document once`(
    _ nulls: QueryBuilder<Item>.Nulls?
  ) throws {
    for direction in [nil, QueryBuilder<Item>.Direction.ascending, .descending] {
      for size in 1...5 {
        for query in [
          items.all(), items.all().orderBy(\.nickname, direction, nulls: nulls),
          items.all().orderBy(\.stars, direction, nulls: nulls).orderBy(\.name, .descending),
          items.all().orderBy(\.place?.city, direction, nulls: nulls),
          items.filter(\.id, greaterThan: 1).orderBy(\.price, direction),
        ] {
          let all = try query.orderBy(\.id).fetchMany(\.id)
          let pages = try pages(query, size)
          #expect(pages.flatMap(\.self) == all)
          #expect(pages.dropLast().allSatisfy { $0.count == size })
        }
      }
    }
  }

  @Test func `pages are stable under changes, and tokens can be encoded`() throws {
    let query = items.all().orderBy(\.name)
    let first = try query.fetchPage(2)
    #expect(first.documents.map(\.name) == ["Arthur", "Barbara"])
    try items.insert([Item(5, "Aaron"), Item(6, "Bob")])
    try items.delete(id: 2)
    let data = try JSONEncoder().encode(try #require(first.next))
    let token = try JSONDecoder().decode(PageToken.self, from: data)
    #expect(token == first.next)
    let second = try query.fetchPage(2, after: token)
    #expect(second.documents.map(\.name) == ["Bob", "Carl"])
    #expect(documentError { try items.all().orderBy(\.price).fetchPage(2, after: token) } != nil)
    #expect(documentError { try query.limit(3).fetchPage(2) } != nil)
    #expect(documentError { try query.fetchPage(0) } != nil)
    #expect(documentError { try items.all().orderBy("\(\.price) % 2").fetchPage(2) } != nil)
  }

  @Test func `a page tells which document can't be decoded`() throws {
    try encrypted.store.execute("UPDATE Item SET price = 'x' WHERE id = 3")
    let error = #expect(throws: RowDecodingError.self) {
      try items.all().orderBy(\.name).fetchPage(9)
    }
    #expect(error?.recordKey == 3.databaseValue)
  }

  // MARK: Batches

  @Test func `batches have each document once`() async throws {
    for size in 1...5 {
      for query in [
        items.all(), items.all().orderBy(\.nickname, .descending), items.all().orderBy(\.name),
        items.filter(\.id, greaterThan: 9),
      ] {
        var batches: [[Int]] = []
        for try await batch in query.batches(of: size) { batches.append(batch.map(\.id)) }
        let all = try await query.orderBy(\.id).fetchMany(\.id)
        #expect(batches.flatMap(\.self) == all)
        #expect(batches.dropLast().allSatisfy { $0.count == size })
        #expect(batches.allSatisfy { !$0.isEmpty })
      }
    }
  }

  @Test func `no access is held between batches`() async throws {
    var names: [String] = []
    for try await batch in items.all().orderBy(\.name).batches(of: 1) {
      names += batch.map(\.name)
      // The documents behind, ahead, and the one after the next.
      if names.count == 1 {
        try await items.insert([Item(5, "Aaron"), Item(6, "Bob")])
        try await items.delete(id: 3)
      }
    }
    #expect(names == ["Arthur", "Barbara", "Bob", "Dora"])
  }

  @Test func `documents without identifiers come in batches, each once`() async throws {
    struct Note: Codable, Equatable {
      var text: String
    }
    let notes = try await encrypted.store.collection(Note.self)
    try await notes.insert((0..<10).map { Note(text: "\($0 % 2)") })
    var texts: [String] = []
    for try await batch in notes.all().orderBy(\.text).batches(of: 3) {
      texts += batch.map(\.text)
    }
    #expect(texts == Array(repeating: "0", count: 5) + Array(repeating: "1", count: 5))
  }

  @Test func `batches end with an error`() async throws {
    try await encrypted.store.execute("UPDATE Item SET price = 'x' WHERE id = 3")
    var batches = items.all().batches(of: 2).makeAsyncIterator()
    #expect(try await batches.next()?.map(\.id) == [1, 2])
    await #expect(throws: RowDecodingError.self) { _ = try await batches.next() }
    #expect(try await batches.next() == nil)
    for batches in [items.all().batches(of: 0), items.all().limit(3).batches(of: 2)] {
      await #expect(throws: DocumentError.self) { for try await _ in batches {} }
    }
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      for try await _ in items.all().batches(of: 1) { Issue.record("a batch") }
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
  }

  // MARK: One after the other

  @Test func `a cursor gives one document after the other`() throws {
    try encrypted.store.read { db in
      let cursor = try items.all().orderBy(\.id).fetchCursor(db)
      #expect(try cursor.next() == Item.all[0])
      var rest: [Int] = []
      while let item = try cursor.next() { rest.append(item.id) }
      #expect(rest == [2, 3, 4])
      #expect(try items.fetchCursor(db).map(\.id).reduce(0, +) == 10)
    }
  }

  // MARK: Changes

  @Test func `changes list what was inserted, updated and deleted`() async throws {
    let cheap = items.filter(\.price, lessThan: 3).orderBy(\.id)
    var iterator = cheap.changes().makeAsyncIterator()
    let first = try #require(try await iterator.next())
    #expect(first.inserted.map(\.id) == [1, 2])
    #expect(first.updated.isEmpty && first.deleted.isEmpty)
    try await encrypted.store.write { [items] db in
      try items.insert(Item(7, "new", price: 1))
      try items.filter(id: 1).update(\.price, 9)
      try items.filter(id: 2).update(\.name, "B")
    }
    let second = try #require(try await iterator.next())
    #expect(second.inserted.map(\.id) == [7])
    #expect(second.updated.map(\.name) == ["B"])
    #expect(second.deleted == [Item.all[0]])
    #expect(second.documents.map(\.id) == [2, 7])
    // A commit that doesn't change the result gives no value.
    try await items.filter(id: 3).update(\.name, "other")
    try await items.delete(id: 7)
    let third = try #require(try await iterator.next())
    #expect(third.deleted.map(\.id) == [7])
    #expect(third.inserted.isEmpty && third.updated.isEmpty)
  }
}
