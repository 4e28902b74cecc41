import Coffer
import CofferTestSupport
import Foundation
import Testing

/// Wrapped records, and prefetched lists of values.
@Suite struct WrappedRecordTests {
  struct Player: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var token: UUID
    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
      .lowercaseString
    }
  }

  /// A record that stores another one's columns, and no others.
  struct Wrapper<Wrapped: Encodable>: Encodable, PersistableRecord {
    static var databaseTableName: String { "player" }
    var wrapped: Wrapped
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(wrapped)
    }
  }

  /// A record that encodes columns in one way, and itself in another.
  struct ByHand: Encodable, PersistableRecord {
    static let databaseTableName = "player"
    var id: Int64
    func encode(to container: inout PersistenceContainer) {
      container["id"] = id
      container["token"] = "by hand"
    }
  }

  private static let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, token TEXT);
    """

  @Test func `a wrapped record is stored as it stores itself`() throws {
    try EncryptedQueue.with(Self.schema) { db throws in
      let token = UUID.seeded()
      for id: Int64 in 1...3 {
        try Wrapper(wrapped: Player(id: id, token: token)).insert(db)
        try Wrapper(wrapped: ByHand(id: id + 10)).insert(db)
      }
      let lowercase = token.uuidString.lowercased()
      #expect(
        try String.fetchAll(db, sql: "SELECT token FROM player ORDER BY id")
          == [lowercase, lowercase, lowercase, "by hand", "by hand", "by hand"])
      try Wrapper(wrapped: ByHand(id: 1)).update(db)
      #expect(try Table("player").filter(Column("token") == "by hand").fetchCount(db) == 4)
      #expect(
        try Wrapper(wrapped: Wrapper(wrapped: ByHand(id: 2))).databaseDictionary["id"]
          == 2.databaseValue)
      #expect(throws: (any Error).self) { try Wrapper(wrapped: 5).insert(db) }
    }
  }

  // MARK: Lists of values

  struct Team: Codable, FetchableRecord, TableRecord {
    var id: Int64
    static let players = hasMany(Member.self)
  }

  struct Member: Codable, FetchableRecord, TableRecord {
    var id: Int64
    var score: Int?
    var born: Date?
  }

  struct TeamInfo: Decodable, FetchableRecord {
    var team: Team
    var memberIds: [Int64]
    var scores: Set<Int?>
    var born: [Date]

    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
      column == "born" ? .timeIntervalSinceReferenceDate : .deferredToDate
    }
  }

  @Test func `lists of values are decoded from prefetched rows`() throws {
    let schema = """
      CREATE TABLE team (id INTEGER PRIMARY KEY);
      CREATE TABLE member (
        id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team, score INT, born REAL);
      INSERT INTO team VALUES (1), (2), (3);
      INSERT INTO member VALUES (1, 1, 10, 0), (2, 1, NULL, 100), (3, 2, 30, NULL);
      """
    try EncryptedQueue.with(schema) { db throws in
      let members = Team.players
      let request =
        Team
        .including(all: members.select(Column("id")).order(Column("id")).forKey("memberIds"))
        .including(all: members.select(Column("score")).forKey("scores"))
        .including(
          all: members.filter(Column("born") != nil).select(Column("born")).order(Column("id"))
            .forKey("born")
        )
        .order(Column("id"))
      let infos = try TeamInfo.fetchAll(db, request)
      #expect(infos.map(\.team.id) == [1, 2, 3])
      #expect(infos.map(\.memberIds) == [[1, 2], [3], []])
      #expect(infos.map(\.scores) == [[10, nil], [30], []])
      #expect(infos[0].born.map(\.timeIntervalSinceReferenceDate) == [0, 100])
      #expect(infos[1].born == [])
      // A NULL that the type doesn't take is an error.
      struct Strict: Decodable, FetchableRecord { var scores: [Int] }
      #expect(throws: RowDecodingError.self) { try Strict.fetchAll(db, request) }
    }
  }
}
