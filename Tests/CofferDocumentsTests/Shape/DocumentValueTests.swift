import Coffer
import CofferTestSupport
import Foundation
import Testing

@testable import CofferDocuments

@Suite("Values that documents are compared with") struct DocumentValueTests {
  private static let top = DocumentColumn(name: "value")
  private static let nested = DocumentColumn(name: "nested", path: ["value"])

  struct Holder<Value: Codable>: Codable, PersistableRecord {
    static var databaseTableName: String { "t" }
    struct Nested: Codable { var value: Value }
    var value: Value
    var nested: Nested
  }

  /// Whether the values are those that a record with the value has in its columns.
  private func check<Value: Codable>(
    _ value: Value, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try EncryptedQueue.with("CREATE TABLE t(value, nested)") { db in
      try Holder(value: value, nested: .init(value: value)).insert(db)
      let stored = try DocumentValue.databaseValue(of: value, in: Self.top)
      let inJSON = try DocumentValue.databaseValue(of: value, in: Self.nested)
      let row = try #require(
        try Row.fetchOne(db, sql: "SELECT value, \(Self.nested.sqlText()) FROM t"))
      #expect(
        row.values.map(\.storage) == [stored.storage, inJSON.storage], "\(Value.self)",
        sourceLocation: sourceLocation)
    }
  }

  @Test func `a value is encoded as the record's coder stores it, in columns and in JSON`() throws {
    try check(true)
    try check(-5)
    try check(UInt8(200))
    try check(UInt64(Int64.max))
    try check(1.5)
    try check(1.0)
    try check(Float(0.1))
    try check("é\u{301}\"\\\n\0x")
    try check("")
    try check(Date(timeIntervalSince1970: 1_700_000_000.125))
    try check(Data([0, 255, 7]))
    try check(UUID.seeded())
    try check(URL(string: "https://example.org/a?b=c")!)
    try check(Decimal(string: "12.345")!)
    try check(Direction.left)
    try check(Level.high)
    try check(Flag.off)
    try check(Shape.circle(radius: 2.5))
    try check(Identifier(rawValue: "x"))
    try check(Email("a@b"))
    try check(Address(street: "s", city: "c", geo: Geo(latitude: 1, longitude: -0.5)))
    try check(["b", "a"])
    try check(["b": 1, "a": 2])
    try check([Int]())
    try check(Unique(wrappedValue: "x"))
    try check(Optional("x"))
    try check(Int?.none)
    try check(Address?.none)
    try check(Unique<Int?>(wrappedValue: nil))
  }

  @Test func `nil is NULL`() throws {
    #expect(try DocumentValue.databaseValue(of: String?.none, in: Self.top).isNull)
    #expect(try DocumentValue.databaseValue(of: String?.none, in: Self.nested).isNull)
    #expect(try DocumentValue.databaseValue(of: Address?.none, in: Self.top).isNull)
  }

  @Test func `a custom stored type has its own form in a column`() throws {
    let value = try DocumentValue.databaseValue(of: Money(cents: 5), in: Self.top)
    #expect(value == 5.databaseValue)
  }

  private enum Suit: String, Codable { case clubs, hearts, spades }

  @Test func `sets and dictionaries have one form, whatever their order`() throws {
    let suits: [Suit] = [.clubs, .hearts, .spades]
    var forms: Set<DatabaseValue> = []
    var random = SeededGenerator()
    for capacity in [1, 10, 100, 1000] {
      var set = Set<Suit>(minimumCapacity: capacity)
      for suit in suits.shuffled(using: &random) { set.insert(suit) }
      forms.insert(try DocumentValue.databaseValue(of: set, in: Self.top))
      forms.insert(try DocumentValue.databaseValue(of: Optional(set), in: Self.top))
    }
    #expect(forms == ["[\"clubs\",\"hearts\",\"spades\"]".databaseValue])
    forms = []
    for capacity in [1, 10, 100, 1000] {
      var dictionary = [Suit: Int](minimumCapacity: capacity)
      for suit in suits.shuffled(using: &random) { dictionary[suit] = suit.rawValue.count }
      forms.insert(try DocumentValue.databaseValue(of: dictionary, in: Self.top))
    }
    #expect(forms == ["[\"clubs\",5,\"hearts\",6,\"spades\",6]".databaseValue])
    let empty = try DocumentValue.databaseValue(of: Set<Int>(), in: Self.top)
    #expect(empty == "[]".databaseValue)
  }

  @Test func `a value that can't be stored is an error that doesn't show it`() throws {
    for column in [Self.top, Self.nested] {
      let message = documentError {
        try DocumentValue.databaseValue(of: [4321.5, .infinity], in: column)
      }
      let text = try #require(message)
      #expect(text.contains("Array<Double>") && !text.contains("4321") && !text.contains("inf"))
    }
    let message = documentError {
      try DocumentValue.databaseValue(of: UInt64.max, in: Self.top)
    }
    let text = try #require(message)
    #expect(text.contains("UInt64") && !text.contains("18446744073709551615"))
  }

  @Test func `a thousand tasks encode at once`() async throws {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<1000 {
        group.addTask {
          let geo = Geo(latitude: Double(index), longitude: 0.5)
          let value = try DocumentValue.databaseValue(of: geo, in: Self.top)
          return value == "{\"latitude\":\(index),\"longitude\":0.5}".databaseValue
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }
}
