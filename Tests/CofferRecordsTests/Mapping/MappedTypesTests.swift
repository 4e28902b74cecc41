import Coffer
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@Suite struct MappedTypesTests {
  private enum Rank: String, DatabaseValueConvertible { case low, high }
  private enum Level: Int, Codable, DatabaseValueConvertible { case one = 1, two }

  private struct Everything: MappedRecord, Equatable {
    var id: UUID
    var flag: Bool, ratio: Double, data: Data, created: Date, url: URL
    var rank: Rank, level: Level?, small: Int8, price: Decimal?, raw: DatabaseValue
    var tags: [String], notes: [String: Int]?

    static let mapping = Mapping(
      Everything.init(
        id:flag:ratio:data:created:url:rank:level:small:price:raw:tags:notes:),
      Field("id", \.id), Field("is_flagged", \.flag), Field("ratio", \.ratio),
      Field("data", \.data), Field("created", \.created), Field("url", \.url),
      Field("rank", \.rank), Field("level", \.level), Field("small", \.small),
      Field("price", \.price), Field("raw", \.raw), Field.json("tags", \.tags),
      Field.json("notes", \.notes))
  }

  private func everything(_ full: Bool, id: UUID = .seeded()) -> Everything {
    Everything(
      id: id, flag: full, ratio: -0.5, data: full ? Data([0, 1, 255]) : Data(),
      created: Date(timeIntervalSince1970: 1_700_000_000.25),
      url: URL(string: "https://example.com/é%20")!, rank: full ? .high : .low,
      level: full ? .two : nil, small: full ? .min : .max, price: full ? Decimal(5) / 4 : nil,
      raw: full ? 12.5.databaseValue : .null, tags: full ? ["a", "\"é\""] : [],
      notes: full ? ["x": 1] : nil)
  }

  @Test func `values of all types come back as they were`() throws {
    try EncryptedQueue.with { db throws in
      try Everything.createTable(db)
      let records = [
        everything(true), everything(false, id: .seeded()), everything(true, id: .seeded()),
      ]
      for record in records { _ = try record.inserted(db) }
      #expect(try Everything.order(Column.rowID).fetchAll(db) == records)
      for row in try Row.fetchAll(db, sql: "SELECT * FROM everything ORDER BY rowid") {
        #expect(try records.contains(Everything(row: row)))
      }
      let classes = "typeof(id), typeof(created), typeof(rank), typeof(level), typeof(tags), notes"
      let row = try Row.fetchOne(db, sql: "SELECT \(classes) FROM everything LIMIT 1")
      #expect(row?.values == values("blob", "text", "text", "integer", "text", "{\"x\":1}"))
    }
  }

  @Test func `typed columns have the properties' types and the mapping's names`() throws {
    try EncryptedQueue.with { db throws in
      try Everything.createTable(db)
      let record = everything(true)
      _ = try record.inserted(db)
      _ = try everything(false, id: .seeded()).inserted(db)
      #expect(try Everything.filter { $0.flag }.fetchAll(db) == [record])
      #expect(try Everything.filter { $0.rank == .high && $0.id == record.id }.fetchCount(db) == 1)
      #expect(try Everything.filter { $0.price == nil }.fetchCount(db) == 1)
      #expect(try Everything.order { $0.small }.select { $0.small }.fetchAll(db) == [.min, .max])
      #expect(Everything.columnName(of: \.flag) == "is_flagged")
      #expect(Everything.columnName(of: \.flag.description) == nil)
    }
  }

  @Test func `JSON that doesn't parse is an error with record and column`() throws {
    try EncryptedQueue.with { db throws in
      try Everything.createTable(db)
      _ = try everything(true).inserted(db)
      for json in ["[1", "{}", "[1]"] {
        try db.execute(sql: "UPDATE everything SET tags = ?", arguments: [json])
        let error = #expect(throws: RowDecodingError.self) { try Everything.fetchAll(db) }
        #expect(error?.columnName == "tags")
        #expect(error?.recordType == "Everything")
        #expect(error?.expectedType == "Array<String>")
      }
      try db.execute(sql: "UPDATE everything SET tags = '[]', notes = x'7b7d'")
      #expect(try Everything.fetchOne(db)?.notes == [:])
      try db.execute(sql: "UPDATE everything SET rank = 'middle'")
      let error = #expect(throws: RowDecodingError.self) { try Everything.fetchAll(db) }
      #expect(error?.columnName == "rank")
    }
  }

  // MARK: - Several columns

  private struct Point: MappedValue, Hashable {
    var x: Double, y: Double
    static let mapping = Mapping(Point.init(x:y:), Field("x", \.x), Field("y", \.y))
  }

  private struct Address: MappedValue, Hashable {
    var street: String, number: Int?, place: Point
    static let mapping = Mapping(
      Address.init(street:number:place:), Field("street", \.street), Field("number", \.number),
      Field.nested(\.place, prefix: "place_"))
  }

  private struct Person: MappedRecord, Hashable {
    var id: Int64?, home: Address, work: Address?, name: String
    static let mapping = Mapping(
      Person.init(id:home:work:name:), Field("id", \.id),
      Field.nested(\.home, prefix: "home_"), Field.nestedOptional(\.work, prefix: "work_"),
      Field("name", \.name))
  }

  private static let home = Address(street: "A", number: nil, place: Point(x: 1, y: 2))
  private static let work = Address(street: "B", number: 5, place: Point(x: 3, y: -4))

  @Test func `several columns hold one value, of any depth`() throws {
    try EncryptedQueue.with { db throws in
      try Person.createTable(db)
      #expect(
        try db.columns(in: "person").map { $0.name + ($0.isNotNull ? "!" : "") } == [
          "id", "home_street!", "home_number", "home_place_x!", "home_place_y!", "work_street",
          "work_number", "work_place_x", "work_place_y", "name!",
        ])
      var people = [
        Person(id: nil, home: Self.home, work: Self.work, name: "1"),
        Person(id: nil, home: Self.work, work: nil, name: "2"),
        Person(id: nil, home: Self.home, work: nil, name: "3"),
      ]
      for index in people.indices { try people[index].insert(db) }
      #expect(people.map(\.id) == [1, 2, 3])
      #expect(try Person.fetchAll(db) == people)
      #expect(
        try Person(row: #require(try Row.fetchOne(db, sql: "SELECT * FROM person"))) == people[0])
      people[0].work = nil
      try people[0].update(db)
      #expect(try Person.filter { $0.id == 1 }.fetchOne(db) == people[0])
      #expect(try Person.filter(Column("home_place_x") > 2).fetchCount(db) == 1)
    }
  }

  @Test func `an optional part with some columns that are NULL is an error`() throws {
    try EncryptedQueue.with { db throws in
      try Person.createTable(db)
      _ = try Person(id: nil, home: Self.home, work: Self.work, name: "1").inserted(db)
      try db.execute(sql: "UPDATE person SET work_place_y = NULL")
      let error = #expect(throws: RowDecodingError.self) { try Person.fetchOne(db) }
      #expect(error?.columnName == "work_place_y")
      #expect(error?.recordType == "Person")
      try db.execute(sql: "UPDATE person SET work_place_x = NULL, work_street = NULL")
      #expect(throws: RowDecodingError.self) { try Person.fetchOne(db) }
      try db.execute(sql: "UPDATE person SET work_number = NULL")
      #expect(try Person.fetchOne(db)?.work == nil)
    }
  }
}
