import Coffer
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@Suite struct RecordDecodingErrorTests {
  enum Suit: String, Decodable { case hearts, spades }
  struct Medal: Decodable { var name: String }
  struct Player: Decodable, FetchableRecord { var id: Int8, suit: Suit?, medal: Medal? }

  func error(
    _ sql: String, _ sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> RowDecodingError? {
    let live = try EncryptedQueue.with { db throws in
      #expect(throws: RowDecodingError.self, sourceLocation: sourceLocation) {
        try Player.fetchOne(db, sql: sql)
      }
    }
    let copy = try EncryptedQueue.with { db throws in
      let row = try #require(try Row.fetchOne(db, sql: sql))
      return #expect(throws: RowDecodingError.self, sourceLocation: sourceLocation) {
        try Player(row: row)
      }
    }
    #expect(live?.kind == copy?.kind, sourceLocation: sourceLocation)
    #expect(live?.message == copy?.message, sourceLocation: sourceLocation)
    return live
  }

  @Test func `NULL for what is not optional names record, column, type and SQL`() throws {
    let error = try #require(try error("SELECT NULL AS id"))
    #expect(error.kind == .valueMismatch)
    #expect(error.recordType == "Player" && error.columnName == "id" && error.columnIndex == 0)
    #expect(error.expectedType == "Int8" && error.databaseValue == .null)
    #expect(
      error.description == """
        could not decode Int8 from database value NULL - record: Player, column: "id", \
        column index: 0, sql: `SELECT NULL AS id`
        """)
  }

  @Test func `an integer that the type has no room for is an error`() throws {
    let error = try #require(try error("SELECT 300 AS id"))
    #expect(error.kind == .valueMismatch && error.columnName == "id")
    #expect(error.message == "could not decode Int8 from database value 300 (integer)")
  }

  @Test func `a missing column is an error`() throws {
    let error = try #require(try error("SELECT 1 AS x"))
    #expect(error.kind == .columnNotFound && error.columnName == "id")
    #expect(
      error.description
        == "column not found: \"id\" - record: Player, sql: `SELECT 1 AS x`")
  }

  @Test func `an unknown case of an enum is an error that keeps the value to itself`() throws {
    let error = try #require(try error("SELECT 1 AS id, 'secret' AS suit"))
    #expect(error.kind == .dataCorrupted && error.columnName == "suit")
    #expect(error.databaseValue == "secret".databaseValue)
    #expect(error.underlyingError is DecodingError)
    #expect(
      error.message
        == "could not decode Suit from a database value (text): it stands for no value of the type")
    #expect(!error.message.contains("secret"))
  }

  @Test func `NULL, and numbers, for enums and JSON are errors`() throws {
    struct Record: Decodable, FetchableRecord { var suit: Suit, medals: [Medal] }
    try EncryptedQueue.with { db throws in
      for (sql, column, type) in [
        ("SELECT NULL AS suit, '[]' AS medals", "suit", "Suit"),
        ("SELECT 'spades' AS suit, NULL AS medals", "medals", "Array<Medal>"),
        ("SELECT 'spades' AS suit, 7 AS medals", "medals", "Array<Medal>"),
      ] {
        let error = #expect(throws: RowDecodingError.self) { try Record.fetchOne(db, sql: sql) }
        #expect(error?.kind == .valueMismatch)
        #expect(error?.columnName == column && error?.expectedType == type)
      }
    }
  }

  @Test func `JSON that doesn't parse, or lacks something, is an error without the text`() throws {
    for (json, reason) in [
      ("{", "it is no JSON of such a value"), ("", "it is no JSON of such a value"),
      ("secret", "it is no JSON of such a value"), ("{}", "its JSON lacks \"name\""),
      (#"{"name":1}"#, "its JSON has something else where String is expected"),
      (#"{"name":null}"#, "its JSON has null where String is expected"),
    ] {
      let error = try #require(try error("SELECT 1 AS id, '\(json)' AS medal"))
      #expect(error.kind == .dataCorrupted && error.recordType == "Player")
      #expect(error.columnName == "medal" && error.underlyingError is DecodingError)
      #expect(error.message == "could not decode Medal from a database value (text): \(reason)")
    }
  }

  @Test func `a decoder goes on after an error`() throws {
    try EncryptedQueue.with { db throws in
      struct Lenient: Decodable, FetchableRecord {
        var id: Int8?, name: String
        enum CodingKeys: CodingKey { case id, name }
        init(from decoder: any Decoder) throws {
          let container = try decoder.container(keyedBy: CodingKeys.self)
          id = try? container.decode(Int8.self, forKey: .id)
          name = try container.decode(String.self, forKey: .name)
        }
      }
      let sql = "SELECT 300 AS id, 'a' AS name UNION ALL SELECT 3, 'b' UNION ALL SELECT NULL, 'c'"
      let records = try Lenient.fetchAll(db, sql: sql)
      #expect(records.map(\.id) == [nil, 3, nil])
      #expect(records.map(\.name) == ["a", "b", "c"])
      // A record that fails leaves a decoder that serves the next.
      let cursor = try Row.fetchCursor(db, sql: sql)
      var ids: [Int8?] = []
      while let row = try cursor.next() { ids.append(try? Player(row: row).id) }
      #expect(ids == [nil, 3, nil])
    }
  }

  @Test func `an error thrown by init(from:) reaches the caller unchanged`() throws {
    struct Picky: Decodable, FetchableRecord {
      init(from decoder: any Decoder) throws { throw TestError() }
    }
    struct PickyValue: Decodable {
      init(from decoder: any Decoder) throws { throw TestError() }
    }
    struct Record: Decodable, FetchableRecord { var value: PickyValue }
    try EncryptedQueue.with { db throws in
      #expect(throws: TestError.self) { try Picky.fetchOne(db, sql: "SELECT 1") }
      #expect(throws: TestError.self) { try Record.fetchOne(db, sql: "SELECT 1 AS value") }
    }
  }

  @Test func `a row can't be decoded as a single value or a list`() throws {
    struct Single: Decodable, FetchableRecord {
      init(from decoder: any Decoder) throws {
        _ = try decoder.singleValueContainer().decode(Int.self)
      }
    }
    struct List: Decodable, FetchableRecord {
      init(from decoder: any Decoder) throws { _ = try decoder.unkeyedContainer() }
    }
    try EncryptedQueue.with { db throws in
      #expect(throws: DecodingError.self) { try Single.fetchOne(db, sql: "SELECT 1") }
      #expect(throws: DecodingError.self) { try List.fetchOne(db, sql: "SELECT 1") }
    }
  }

  @Test func `a type that is nested in itself doesn't decode without end`() throws {
    final class Node: Decodable, FetchableRecord {
      let next: Node
      init(next: Node) { self.next = next }
    }
    indirect enum Tree: Decodable {
      case leaf, node(Tree)
      enum CodingKeys: CodingKey { case node }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self = .node(try container.decode(Tree.self, forKey: .node))
      }
    }
    struct Holder: Decodable, FetchableRecord { var tree: Tree }
    final class List: Decodable, FetchableRecord { let id: Int, next: List? }
    try EncryptedQueue.with { db throws in
      let error = #expect(throws: RowDecodingError.self) { try Node.fetchOne(db, sql: "SELECT 1") }
      #expect(error?.kind == .keyNotFound)
      #expect(throws: (any Error).self) { try Holder.fetchOne(db, sql: "SELECT 1") }
      #expect(try List.fetchOne(db, sql: "SELECT 1 AS id")?.next == nil)
    }
  }
}
