import Coffer
import CofferTestSupport
import Foundation
import Testing

/// Records that store UUIDs, dates and data in other forms than their types', and are found by
/// them.
@Suite struct StoredFormTests {
  struct Player: Codable, Identifiable, Hashable, FetchableRecord, PersistableRecord {
    var id: UUID
    var email: UUID?
    var born: Date?
    var seal: Data?
    var score = 0

    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
      column == "email" ? .lowercaseString : .uppercaseString
    }
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
      .secondsSince1970
    }
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
      .timeIntervalSince1970
    }
    static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy {
      .text
    }
  }

  struct Day: Codable, Identifiable, FetchableRecord, PersistableRecord {
    var id: Date
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
      .iso8601
    }
  }

  struct Seal: Codable, Identifiable, FetchableRecord, PersistableRecord {
    var id: Data
    static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy {
      .custom { data in Data(data.reversed()) }
    }
  }

  /// Stored by hand, without any strategy.
  struct Plain: Codable, Identifiable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "player"
    var id: UUID
  }

  struct Mapped: MappedRecord, Identifiable {
    static let databaseTableName = "player"
    var id: UUID, score: Int
    static let mapping = Mapping(Mapped.init(id:score:), Field("id", \.id), Field("score", \.score))
    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
      .uppercaseString
    }
  }

  struct Seat: Codable, FetchableRecord, PersistableRecord {
    var room: UUID
    var day: Date
    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
      .lowercaseString
    }
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
      .millisecondsSince1970
    }
  }

  static let tables = ["", " WITHOUT ROWID"].map { options in
    """
    CREATE TABLE player (
      id NOT NULL PRIMARY KEY, email UNIQUE, born, seal, score INT)\(options);
    CREATE TABLE day (id NOT NULL PRIMARY KEY)\(options);
    CREATE TABLE seal (id NOT NULL PRIMARY KEY)\(options);
    """
  }

  static let players = {
    var random = SeededGenerator()
    return (1...12).map { number in
      Player(
        id: .seeded(using: &random), email: .seeded(using: &random),
        born: Date(timeIntervalSince1970: Double(number) * 1000),
        seal: Data("seal \(number)".utf8))
    }
  }()
  private var players: [Player] { Self.players }
  private var first: Player { Self.players[0] }

  private func found(
    _ db: Database, _ request: QueryInterfaceRequest<Player>
  ) throws -> [Player] {
    try request.order(Column("born")).fetchAll(db)
  }

  private func use(_ schema: String, _ body: (Database) throws -> Void) throws {
    try EncryptedQueue.with(schema) { db throws in
      for player in players { try player.insert(db) }
      try body(db)
    }
  }

  @Test(arguments: tables) func `a record is found by its identifier`(_ schema: String) throws {
    try use(schema) { db throws in
      #expect(try String.fetchOne(db, sql: "SELECT id FROM player") != nil)
      for player in players {
        #expect(try Player.fetchOne(db, id: player.id) == player)
        #expect(try Player.fetchOne(db, key: player.id) == player)
        #expect(try Player.fetchOne(db, key: Optional(player.id)) == player)
        #expect(try Player.find(db, id: player.id) == player)
        #expect(try Player.find(db, key: player.id) == player)
        #expect(try Player.exists(db, id: player.id))
        #expect(try Player.exists(db, key: player.id))
        #expect(try Table<Player>("player").filter(id: player.id).fetchOne(db) == player)
      }
      #expect(try Player.fetchOne(db, id: UUID.seeded()) == nil)
      #expect(try Player.fetchOne(db, key: UUID?.none) == nil)
      #expect(throws: RecordError.self) { try Player.find(db, id: UUID.seeded()) }
      #expect(try !Player.exists(db, id: UUID.seeded()))
      #expect(try Player.filter(id: first.id).fetchAll(db) == [first])
      #expect(try Player.all().filter(key: first.id).fetchAll(db) == [first])
    }
  }

  @Test(arguments: tables, [0, 1, 2, 12]) func `records are found by their identifiers`(
    _ schema: String, _ count: Int
  ) throws {
    try use(schema) { db throws in
      let some = Set(players.prefix(count)), ids = some.map(\.id)
      #expect(try Set(Player.fetchAll(db, ids: ids)) == some)
      #expect(try Player.fetchSet(db, keys: ids) == some)
      #expect(try Player.fetchSet(db, keys: ids.map(Optional.some) + [nil]) == some)
      #expect(try Set(Player.fetchCursor(db, ids: ids)) == some)
      #expect(try Player.filter(ids: ids).fetchCount(db) == count)
      #expect(try Player.filter(keys: Set(ids)).fetchCount(db) == count)
      #expect(try Player.deleteAll(db, ids: ids) == count)
      #expect(try Player.fetchCount(db) == players.count - count)
    }
  }

  @Test(arguments: tables) func `a record is found by a dictionary`(_ schema: String) throws {
    try use(schema) { db throws in
      #expect(try Player.fetchOne(db, key: ["email": first.email]) == first)
      #expect(try Player.find(db, key: ["id": first.id]) == first)
      #expect(try Player.exists(db, key: ["email": first.email]))
      #expect(try Player.fetchAll(db, keys: players.map { ["email": $0.email] }).count == 12)
      #expect(try Player.deleteOne(db, key: ["email": first.email]))
      #expect(try Player.deleteAll(db, keys: [["id": first.id], ["id": players[1].id]]) == 1)
    }
  }

  @Test(arguments: tables) func `a row is deleted by its identifier`(_ schema: String) throws {
    try use(schema) { db throws in
      #expect(try Player.deleteOne(db, id: first.id))
      #expect(try !Player.deleteOne(db, id: first.id))
      #expect(try Player.deleteOne(db, key: players[1].id))
      #expect(try Player.fetchCount(db) == players.count - 2)
      #expect(try Player.filter(id: players[2].id).deleteAll(db) == 1)
    }
  }

  @Test(arguments: tables) func `dates and data are keys, too`(_ schema: String) throws {
    try EncryptedQueue.with(schema) { db throws in
      let date = Date(timeIntervalSince1970: 1_000_000)
      try Day(id: date).insert(db)
      #expect(try String.fetchOne(db, sql: "SELECT id FROM day") == "1970-01-12T13:46:40Z")
      #expect(try Day.exists(db, id: date))
      #expect(try Day.fetchCount(db) == 1)
      #expect(try Day.filter(ids: [date, .distantPast]).fetchCount(db) == 1)
      #expect(try Day.deleteOne(db, id: date))
      let data = Data([1, 2, 3])
      try Seal(id: data).insert(db)
      #expect(try Seal.exists(db, id: data))
      #expect(try Seal.fetchOne(db, id: data)?.id == Data([3, 2, 1]))
      #expect(try Seal.deleteAll(db, ids: [data]) == 1)
    }
  }

  @Test(arguments: tables) func `typed columns compare with the stored form`(_ schema: String)
    throws
  {
    try use(schema) { db throws in
      let id = first.id, email = first.email, born = first.born, seal = first.seal
      #expect(try found(db, Player.filter { $0.id == id }) == [first])
      #expect(try found(db, Player.filter { id == $0.id }) == [first])
      #expect(try found(db, Player.filter { $0.id != id }) == Array(players.dropFirst()))
      #expect(try found(db, Player.filter { $0.email == email }) == [first])
      #expect(try found(db, Player.filter { $0.email === email }) == [first])
      #expect(try found(db, Player.filter { $0.seal == seal }) == [first])
      #expect(try found(db, Player.filter { $0.born == born }) == [first])
      #expect(try found(db, Player.filter { $0.email == nil }) == [])
      let chosen = Array(players[2...4])
      #expect(try found(db, Player.filter { chosen.map(\.id).contains($0.id) }) == chosen)
      #expect(try found(db, Player.filter { players.map(\.id).contains($0.id) }) == players)
      #expect(
        try found(db, Player.filter { chosen.compactMap(\.email).contains($0.email) }) == chosen)
      let from = Date(timeIntervalSince1970: 3000), to = Date(timeIntervalSince1970: 5000)
      #expect(try found(db, Player.filter { (from...to).contains($0.born) }) == chosen)
      #expect(
        try found(db, Player.filter { (from..<to).contains($0.born) }) == Array(chosen.prefix(2)))
      #expect(
        try found(db, Player.filter { (..<from).contains($0.born) }) == Array(players.prefix(2)))
      #expect(
        try found(db, Player.filter { (...from).contains($0.born) }) == Array(players.prefix(3)))
      #expect(try found(db, Player.filter { (to...).contains($0.born) }).count == 8)
      #expect(try found(db, Player.filter { $0.born >= from && $0.born <= to }) == chosen)
      #expect(try found(db, Player.filter { ($0.born ?? from) == from }) == [players[2]])
    }
  }

  @Test(arguments: tables) func `aliased columns and aggregates compare with the stored form`(
    _ schema: String
  ) throws {
    try use(schema) { db throws in
      let id = first.id, born = first.born
      let alias = TableAlias<Player>(name: "p")
      #expect(try Player.aliased(alias).filter(alias.id == id).fetchAll(db) == [first])
      let latest = Player.select { $0.id }.group { $0.id }.having { max($0.born) == born }
      #expect(try latest.fetchAll(db) == [id])
    }
  }

  @Test(arguments: tables) func `typed columns are set to the stored form`(_ schema: String) throws
  {
    try use(schema) { db throws in
      var changed = first
      (changed.email, changed.born, changed.seal) = (
        UUID.seeded(), Date(timeIntervalSince1970: 7), Data("a".utf8)
      )
      try Player.filter(id: first.id).updateAll(db) {
        [
          $0.email.set(to: changed.email), $0.born.set(to: changed.born),
          $0.seal.set(to: changed.seal),
        ]
      }
      #expect(try Player.fetchOne(db, id: first.id) == changed)
      #expect(try Player.exists(db, key: ["email": changed.email]))
      #expect(try Int.fetchOne(db, sql: "SELECT born FROM player WHERE born = 7") == 7)
      #expect(try String.fetchOne(db, sql: "SELECT seal FROM player WHERE seal = 'a'") == "a")
      try Player.filter(id: first.id).updateAll(db) { $0.email.set(to: nil) }
      #expect(try Player.filter { $0.email == nil }.fetchCount(db) == 1)
    }
  }

  @Test(arguments: tables) func `records without strategies keep their types' forms`(
    _ schema: String
  ) throws {
    try EncryptedQueue.with(schema) { db throws in
      let plain = Plain(id: UUID.seeded()), mapped = Mapped(id: UUID.seeded(), score: 1)
      try plain.insert(db)
      var stored = mapped
      try stored.insert(db)
      #expect(try Plain.exists(db, id: plain.id))
      #expect(try Plain.fetchOne(db, id: plain.id) != nil)
      #expect(try Plain.filter { $0.id == plain.id }.fetchCount(db) == 1)
      #expect(try Mapped.fetchOne(db, id: mapped.id)?.score == 1)
      #expect(try Mapped.filter { $0.id == mapped.id }.fetchCount(db) == 1)
      #expect(try Mapped.deleteOne(db, id: mapped.id))
    }
  }

  @Test func `a key of several columns is found`() throws {
    for options in ["", " WITHOUT ROWID"] {
      try EncryptedQueue.with("CREATE TABLE seat (room, day, PRIMARY KEY (room, day))" + options) {
        db throws in
        let seat = Seat(room: UUID.seeded(), day: Date(timeIntervalSince1970: 5))
        try seat.insert(db)
        let key: [String: (any DatabaseValueConvertible)?] = ["room": seat.room, "day": seat.day]
        #expect(try Seat.exists(db, key: key))
        #expect(try Seat.fetchOne(db, key: key) != nil)
        #expect(try Seat.filter { $0.room == seat.room && $0.day == seat.day }.fetchCount(db) == 1)
        #expect(throws: DatabaseError.self) { try Seat.fetchOne(db, key: seat.room) }
        #expect(try Seat.deleteOne(db, key: key))
      }
    }
  }
}
