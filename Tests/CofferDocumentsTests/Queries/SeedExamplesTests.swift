import Coffer
import Foundation
import Testing

/// The examples of the project's first document, with identifiers made as applications make them.
@Suite struct SeedExamplesTests {
  fileprivate struct Book: Codable, Identifiable {
    var id = UUID()
    @Unique var name: String
    var author: String
    var priceCents: Int
  }

  fileprivate struct Employee: Codable, Identifiable, Equatable {
    var id = UUID()
    var name: String
    var salary: Int
  }

  fileprivate struct Account: Codable, Identifiable {
    var id: Int
    var balance: Int
  }

  fileprivate struct UniqueName: Codable, Equatable {
    @Unique var name: String
  }

  private struct MyError: Error {}

  private let encrypted: EncryptedStore
  private let database: DocumentStore

  init() throws {
    encrypted = try EncryptedStore()
    database = encrypted.store
  }

  private func employees() throws -> DocumentCollection<Employee> {
    let employees = try database.collection(Employee.self)
    try employees.insert([
      Employee(name: "a", salary: 10), Employee(name: "b", salary: 21),
      Employee(name: "c", salary: 30), Employee(name: "longer name", salary: 41),
    ])
    return employees
  }

  @Test func `a filtered and ordered fetch gives the documents`() throws {
    let books = try database.collection(Book.self)
    try books.insert(Book(name: "Catch-22", author: "Joseph Heller", priceCents: 1050))
    try books.insert(Book(name: "Emma", author: "Jane Austen", priceCents: 850))
    try books.insert(Book(name: "Nana", author: "Zola", priceCents: 950))
    let cheapBooks = try books.all()
      .filter(\.priceCents, lessThan: 1000)
      .orderBy(\.author, .descending)
      .fetchMany()
    #expect(cheapBooks.map(\.name) == ["Nana", "Emma"])
    #expect(try encrypted.columns("Book") == ["id", "name", "author", "priceCents"])
    #expect(try encrypted.indexes("Book") == ["Book-unique-id", "Book-unique-name"])
    #expect(throws: DatabaseError.self) {
      try books.insert(Book(name: "Emma", author: "", priceCents: 0))
    }
  }

  @Test func `a collection has a column for each property`() throws {
    struct MyRecord: Codable, Identifiable {
      var id = UUID()
      var name: String
    }
    _ = try database.collection(MyRecord.self)
    #expect(try encrypted.columns("MyRecord") == ["id", "name"])
  }

  fileprivate enum Direction: String, Codable {
    case up, down, left, right
  }

  fileprivate struct Movement: Codable, Equatable {
    var direction: Direction
  }

  @Test func `an enum needs no sample values`() throws {
    let movements = try database.collection(Movement.self)
    try movements.insert([Movement(direction: .up), Movement(direction: .left)])
    #expect(try movements.filter(\.direction, equalTo: .left).fetchCount() == 1)
    #expect(try movements.all().fetchMany().map(\.direction) == [.up, .left])
  }

  @Test func `a transaction moves money`() throws {
    let accounts = try database.collection(Account.self)
    try accounts.insert([Account(id: 1, balance: 100), Account(id: 2, balance: 0)])
    try database.transaction {
      guard var account1 = try accounts.filter(id: 1).fetchOne(),
        var account2 = try accounts.filter(id: 2).fetchOne()
      else {
        throw MyError()
      }
      let amountToMove = min(account1.balance, 10)
      account1.balance -= amountToMove
      account2.balance += amountToMove
      try accounts.save(account1)
      try accounts.save(account2)
    }
    #expect(try accounts.all().orderBy(\.id).fetchMany(\.balance) == [90, 10])
  }

  @Test func `one document or many are inserted, and conflicts can be ignored`() throws {
    let collection = try database.collection(UniqueName.self)
    try collection.insert(UniqueName(name: "a"))
    try collection.insert([
      UniqueName(name: "b"),
      UniqueName(name: "c"),
      UniqueName(name: "d"),
    ])
    try collection.insert(
      [
        UniqueName(name: "d"),
        UniqueName(name: "e"),
      ], onConflict: .ignore)
    #expect(try collection.all().fetchMany().map(\.name) == ["a", "b", "c", "d", "e"])
  }

  @Test func `filters can be shared`() throws {
    let employees = try employees()
    let page =
      try employees
      .filter(\.name, lessThanOrEqualTo: "b")
      .orderBy(\.name)
      .limit(3)
      .fetchMany()
    #expect(page.map(\.name) == ["a", "b"])
    let filter =
      employees
      .filter(\.name, lessThanOrEqualTo: "b")
      .orderBy(\.name)
    #expect(try filter.fetchCount() == 2)
    #expect(try filter.limit(1).fetchMany().map(\.name) == ["a"])
    #expect(try filter.fetchMany().count == 2)
  }

  @Test func `raw SQL filters and orders`() throws {
    let employees = try employees()
    #expect(try employees.filter("\(\.salary) % 2 == 0").fetchMany().count == 2)
    let order = try employees.all().orderBy("\(\.salary) % 2").fetchMany()
    #expect(order.map { $0.salary % 2 } == [0, 0, 1, 1])
    #expect(try employees.filter(\.salary, isEven: true).fetchMany().count == 2)
    #expect(try employees.all().filter(\.salary, isEven: false).fetchCount() == 2)
  }

  fileprivate struct NameAndId: Codable {
    var id: UUID
    var name: String
  }

  @Test func `single properties and smaller types are fetched`() throws {
    let employees = try employees()
    let names = try employees.all().fetchMany(\.name)
    #expect(names == ["a", "b", "c", "longer name"])
    let namesAndIds = try employees.all().fetchMany(NameAndId.self)
    #expect(namesAndIds.map(\.name) == names)
    #expect(try namesAndIds.map(\.id) == employees.all().fetchMany().map(\.id))
  }

  @Test func `documents are saved, updated and deleted`() throws {
    let employees = try employees()
    if var row = try employees.all().fetchOne() {
      row.name = "edited"
      try employees.save(row)
    }
    #expect(try employees.all().fetchMany().map(\.name) == ["edited", "b", "c", "longer name"])
    try employees
      .filter(\.name, equalTo: "edited")
      .update(\.name, "new-name")
    #expect(try employees.filter(\.name, equalTo: "new-name").fetchCount() == 1)
    try employees.all().update("\(\.salary) = \(\.salary) + 1")
    #expect(try employees.all().fetchMany(\.salary) == [11, 22, 31, 42])
    try employees
      .filter(\.name, equalTo: "b")
      .updating(\.name, "both")
      .updating(\.salary, 5)
      .update()
    #expect(try employees.filter(\.name, equalTo: "both").fetchOne(\.salary) == 5)
    let thatDudeWeGonnaFire = try #require(
      try employees.filter(\.name, equalTo: "new-name").fetchOne(\.id))
    try employees
      .filter(id: thatDudeWeGonnaFire)
      .delete()
    try employees.filter("LENGTH(\(\.name)) < 5").delete()
    #expect(try employees.all().fetchMany(\.name) == ["longer name"])
    try employees.all().update(\.name, "new-name")
    #expect(try employees.all().fetchMany(\.name) == ["new-name"])
  }

  @Test func `indexed and unique properties have indexes`() throws {
    struct Book: Codable, Identifiable {
      var id = UUID()
      @Unique var title: String
      @Index var author: String
      var price: Int
    }
    _ = try database.collection(Book.self)
    #expect(
      try encrypted.indexes("Book") == [
        "Book-index-author", "Book-unique-id", "Book-unique-title",
      ])
  }

  @Test func `SQL is executed with values and collections interpolated`() throws {
    let employees = try employees()
    let randomNumber = try database.execute(Int.self, "SELECT random()")
    #expect(try database.execute(Int.self, "SELECT \(randomNumber)") == randomNumber)
    let bobbyTables = "Robert'); DROP TABLE Employees;--"
    try database.execute("DELETE from Employee WHERE `name` = \(bobbyTables)")
    #expect(try employees.all().fetchCount() == 4)
    let lessThan = Int("1") == 1
    let operation = lessThan ? "<" : ">"
    try employees.filter("salary \(literal: operation) 25").delete()
    #expect(try employees.all().fetchCount() == 2)
    try database.execute("DROP TABLE \(employees)")
    #expect(try !database.read { try $0.tableExists("Employee") })
  }
}

extension Filterable {
  fileprivate func filter<V: Codable>(
    _ property: KeyPath<Row, V>, isEven: Bool
  ) -> QueryBuilder<Row> {
    return filter("\(property) % 2 == \(isEven ? 0 : 1)")
  }
}
