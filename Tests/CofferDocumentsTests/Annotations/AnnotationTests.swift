import Coffer
import CofferTestSupport
import Foundation
import Testing

@testable import CofferDocuments

@Suite("Wrappers of properties") struct AnnotationTests {
  struct Wrapped: Codable, Equatable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "t"
    @Unique var id: UUID
    @Unique @CollateCaseInsensitive var name: String
    @Index var date: Date
    @Index var email: String?
    @CollateLocalized var note: String?
    @Index @CollateBinary var both: String?
    @CollateLocalizedCaseInsensitive var address: Address
    @Index var direction: Direction
  }

  struct Plain: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "t"
    var id: UUID
    var name: String
    var date: Date
    var email: String?
    var note: String?
    var both: String?
    var address: Address
    var direction: Direction
  }

  private static let address = Address(street: "s", city: "c", geo: nil)

  private static func wrapped(_ text: String?) -> Wrapped {
    Wrapped(
      id: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)), name: "n",
      date: Date(timeIntervalSince1970: 1000), email: text, note: text, both: text,
      address: address, direction: .left)
  }

  private static let table = """
    CREATE TABLE t(id, name, date, email, note, both, address, direction)
    """

  @Test(arguments: [nil, "", "x"])
  func `wrapped properties are stored and read as plain ones`(text: String?) throws {
    try EncryptedQueue.with(Self.table) { db in
      try Self.wrapped(text).insert(db)
      let plain = try #require(try Plain.fetchOne(db))
      #expect(plain.name == "n" && plain.email == text && plain.note == text)
      #expect(plain.both == text && plain.address == Self.address && plain.direction == .left)
      try db.execute(sql: "DELETE FROM t")
      try plain.insert(db)
      #expect(try Wrapped.fetchOne(db) == Self.wrapped(text))
      let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM t"))
      #expect(try Self.wrapped(text).databaseDictionary.allSatisfy { row[$0.key] == $0.value })
    }
  }

  @Test func `JSON has the wrapped values, and may lack the optional ones`() throws {
    let value = Self.wrapped("x")
    let json = try JSONEncoder().encode(value)
    #expect(try JSONDecoder().decode(Wrapped.self, from: json) == value)
    struct Part: Codable, Equatable {
      @Unique var a: Int?
      @Unique @CollateBinary var b: String?
      @Index var c: Int
    }
    let part = try JSONDecoder().decode(Part.self, from: Data("{\"c\":1}".utf8))
    #expect(part == Part(a: nil, b: nil, c: 1))
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Part.self, from: Data("{\"a\":1}".utf8))
    }
  }

  @Test func `a value that the type refuses is an error, wrapped or not`() throws {
    try EncryptedQueue.with(Self.table) { db in
      try Self.wrapped("x").insert(db)
      for column in ["id", "name", "date", "direction", "address"] {
        try db.inSavepoint {
          try db.execute(sql: "UPDATE t SET \(column) = NULL")
          #expect(throws: (any Error).self, "\(column)") { try Wrapped.fetchOne(db) }
          return .rollback
        }
      }
    }
  }

  @Test func `wrappers are Sendable and Hashable where their values are`() {
    func check<T: Sendable & Hashable>(_ value: T) -> T { value }
    let value = check(Unique(wrappedValue: CollateBinary(wrappedValue: "a")))
    #expect(value == Unique(wrappedValue: CollateBinary(wrappedValue: "a")))
    #expect(Set([value, value]).count == 1)
    let none: Index<CollateLocalized<Int?>> = nil
    #expect(none.wrappedValue.wrappedValue == nil)
  }

  @Test func `an integer beyond those of SQLite is an error`() throws {
    struct Large: Codable, PersistableRecord {
      static let databaseTableName = "t"
      @Index var id: UInt64
      @Unique @CollateBinary var name: UInt?
    }
    try EncryptedQueue.with(Self.table) { db throws in
      for _ in 0..<2 {
        #expect(throws: EncodingError.self) { try Large(id: .max, name: 1).insert(db) }
        #expect(throws: EncodingError.self) { try Large(id: 1, name: .max).insert(db) }
        try Large(id: 5, name: nil).insert(db)
      }
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM t") == [5, 5])
    }
  }

  @propertyWrapper
  struct ByLength<Value: Codable & Equatable>: ConfigurationAnnotation {
    var wrappedValue: Value
    init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    static var propertyConfig: PropertyConfig { .collation(CollationTests.byLength) }
  }

  @Test func `a custom wrapper configures a property`() throws {
    struct Document: Codable {
      @Index @ByLength var name: String
      @Index @Unique var id: Int
      @ByLength var note: String?
    }
    let type = try DocumentType<Document>.known()
    #expect(type.properties.map(\.config.index) == [.index, .unique, .none])
    #expect(try type.column(\.name).collation == CollationTests.byLength)
    #expect(try type.column(\.note).collation == CollationTests.byLength)
    let json = Data("{\"name\":\"a\",\"id\":1}".utf8)
    // Without a nil literal, the wrapper needs the key.
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Document.self, from: json) }
  }
}
