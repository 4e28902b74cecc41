import Coffer
import CofferTestSupport
import Testing

/// Conditions in the closures of records are SQL's: NULL is neither equal nor unequal to a value.
@Suite struct NullComparisonTests {
  struct Player: Codable, FetchableRecord, TableRecord {
    var id: Int64
    var note: String?
  }

  struct Named: Codable, FetchableRecord, TableRecord {
    static let databaseTableName = "player"
    var id: Int64
    var note: String?

    enum Columns {
      static let id = Column("id")
      static let note = Column("note")
    }
  }

  private static let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, note TEXT);
    INSERT INTO player VALUES (1, 'x'), (2, 'y'), (3, NULL);
    """

  @Test func `rows with NULL fulfil neither a condition nor its negation`() throws {
    try EncryptedQueue.with(Self.schema) { db throws in
      func ids(_ request: QueryInterfaceRequest<Player>) throws -> [Int64] {
        try request.fetchAll(db).map(\.id)
      }
      #expect(try ids(Player.filter { $0.note == "x" }) == [1])
      #expect(try ids(Player.filter { $0.note != "x" }) == [2])
      #expect(try ids(Player.filter { !($0.note == "x") }) == [2])
      #expect(try ids(Player.filter { !($0.note != "x") }) == [1])
      #expect(try ids(Player.filter { !["x"].contains($0.note) }) == [2])
      #expect(try ids(Player.filter { !($0.note == "x" && $0.id < 9) }) == [2])
      // Operators that treat NULL as a value.
      #expect(try ids(Player.filter { $0.note !== "x" }) == [2, 3])
      #expect(try ids(Player.filter { $0.note != "x" || $0.note == nil }) == [2, 3])
      #expect(try ids(Player.filter { ($0.note ?? "") != "x" }) == [2, 3])
    }
  }

  @Test func `nil is NULL in a comparison`() throws {
    try EncryptedQueue.with(Self.schema) { db throws in
      let nothing: String? = nil
      #expect(try Player.filter { $0.note == nil }.fetchAll(db).map(\.id) == [3])
      #expect(try Player.filter { $0.note == nothing }.fetchAll(db).map(\.id) == [3])
      #expect(try Player.filter { $0.note != nil }.fetchAll(db).map(\.id) == [1, 2])
      #expect(try Player.filter { $0.note != nothing }.fetchAll(db).map(\.id) == [1, 2])
      #expect(try Player.filter { !($0.note == nothing) }.fetchAll(db).map(\.id) == [1, 2])
    }
  }

  @Test func `columns without types compare the same`() throws {
    try EncryptedQueue.with(Self.schema) { db throws in
      let nothing: String? = nil
      #expect(try Named.filter { $0.note != "x" }.fetchAll(db).map(\.id) == [2])
      #expect(try Named.filter { !($0.note == "x") }.fetchAll(db).map(\.id) == [2])
      #expect(try Named.filter { $0.note != nothing }.fetchAll(db).map(\.id) == [1, 2])
      #expect(try Named.filter { $0.note == nothing }.fetchAll(db).map(\.id) == [3])
      #expect(try Named.filter { $0.note !== "x" }.fetchAll(db).map(\.id) == [2, 3])
    }
  }
}
