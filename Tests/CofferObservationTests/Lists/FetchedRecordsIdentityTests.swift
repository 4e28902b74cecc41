import Coffer
import CofferTestSupport
import Dispatch
import Foundation
import Testing

private func path(_ row: Int) -> IndexPath { IndexPath(row: row, section: 0) }

private struct Mapped: MappedRecord, Equatable {
  var id: Int64, name: String

  static let databaseTableName = "player"
  static let mapping = Mapping(
    Mapped.init(id:name:), Field("id", \.id), Field("name", \.name))
}

private final class ClassRecord: Record, Equatable {
  var id: Int64
  var name: String

  override class var databaseTableName: String { "player" }

  required init(row: Row) throws {
    (id, name) = (row["id"], row["name"])
    try super.init(row: row)
  }

  override func encode(to container: inout PersistenceContainer) throws {
    container["id"] = id
    container["name"] = name
  }

  static func == (lhs: ClassRecord, rhs: ClassRecord) -> Bool {
    (lhs.id, lhs.name) == (rhs.id, rhs.name)
  }
}

private struct Score: FetchableRecord, TableRecord, Codable, Equatable {
  var game: Int?, player: Int?, points: Int
}

private struct Team: FetchableRecord, TableRecord, Codable, Equatable {
  var name: String
  static let players = hasMany(Member.self, using: ForeignKey(["team"], to: ["name"]))
}

private struct Member: FetchableRecord, TableRecord, Codable, Equatable {
  static let databaseTableName = "player"
  var name: String
}

private struct TeamInfo: FetchableRecord, Decodable, Equatable {
  var team: Team
  var players: [Member]
}

@Suite("What a controller takes for the same record", .timeLimit(.minutes(15)))
struct FetchedRecordsIdentityTests {
  /// The changes to a list of names in their order, made by SQL.
  private func changes<R: FetchableRecord & Equatable & SendableMetatype>(
    _ controller: (any DatabaseWriter, DispatchQueue) throws -> FetchedRecordsController<R>,
    _ sql: String...
  ) throws -> [[FetchedRecordChange]] {
    let database = try EncryptedPool(Player.two)
    let view = ListView<R>()
    let controller = try controller(database.pool, view.queue)
    try view.performFetch(controller)
    return try sql.map { sql in
      try database.pool.write { try $0.execute(sql: sql) }
      return view.nextBatch()
    }
  }

  private let rename = "UPDATE player SET name = 'Anna' WHERE id = 1"
  private let renamed: [FetchedRecordChange] = [
    .update(indexPath: path(0), changes: ["name": "Arthur".databaseValue])
  ]

  @Test func `a declared mapping is known by its key`() throws {
    let result = try changes(
      { try FetchedRecordsController($0, request: Mapped.order(Column("name")), queue: $1) },
      rename)
    #expect(result == [renamed])
  }

  @Test func `an object is known by its key`() throws {
    let result = try changes(
      { try FetchedRecordsController($0, request: ClassRecord.order(Column("name")), queue: $1) },
      rename)
    #expect(result == [renamed])
  }

  @Test func `an object that hasn't changed stays the same object`() throws {
    let database = try EncryptedQueue(Player.two)
    let view = ListView<ClassRecord>()
    let controller = try FetchedRecordsController(
      database.queue, request: ClassRecord.order(Column("id")), queue: view.queue)
    try view.performFetch(controller)
    let barbara = view.queue.sync { ObjectIdentifier(controller.fetchedRecords[1]) }
    try database.queue.write { try $0.execute(sql: "DELETE FROM player WHERE id = 1") }
    view.waitForBatch()
    #expect(view.queue.sync { ObjectIdentifier(controller.fetchedRecords[0]) } == barbara)
  }

  @Test func `without identity a change is another record`() throws {
    let result = try changes(
      {
        try FetchedRecordsController<Name>(
          $0, sql: "SELECT name FROM player ORDER BY id", queue: $1)
      },
      rename, "UPDATE player SET name = 'Barbara'", "DELETE FROM player WHERE id = 1")
    #expect(
      result == [
        [.deletion(indexPath: path(0)), .insertion(indexPath: path(0))],
        [.deletion(indexPath: path(0)), .insertion(indexPath: path(0))],
        [.deletion(indexPath: path(1))],
      ])
  }

  @Test func `a function decides which records are the same`() throws {
    let result = try changes(
      {
        try FetchedRecordsController<Name>(
          $0, sql: "SELECT name FROM player ORDER BY name", queue: $1,
          isSameRecord: { $0.name.first == $1.name.first })
      },
      rename, "INSERT INTO player VALUES (0, 'Aaron', NULL)",
      "UPDATE player SET name = 'Zoe' WHERE id = 2; UPDATE player SET name = 'Bo' WHERE id = 0")
    #expect(result[0] == renamed)
    #expect(result[1] == [.insertion(indexPath: path(0))])
    // Aaron, Anna, Barbara; then Anna, Bo, Zoe.
    #expect(
      result[2] == [
        .deletion(indexPath: path(0)), .insertion(indexPath: path(2)),
        .update(indexPath: path(2), changes: ["name": "Barbara".databaseValue]),
      ])
  }

  @Test func `a function finds the place of a record`() throws {
    let database = try EncryptedQueue(Player.two)
    let controller = try FetchedRecordsController<Name>(
      database.queue, sql: "SELECT name FROM player ORDER BY name",
      isSameRecord: { $0.name.first == $1.name.first })
    try controller.performFetch()
    #expect(controller.indexPath(for: Name(name: "B")) == path(1))
    #expect(controller.indexPath(for: Name(name: "C")) == nil)
    let other = try FetchedRecordsController<Name>(
      database.queue, sql: "SELECT name FROM player ORDER BY name")
    try other.performFetch()
    #expect(other.indexPath(for: Name(name: "Arthur")) == nil)
  }

  @Test func `keys of several columns, keys with NULL and repeated keys identify records`() throws {
    let database = try EncryptedPool(
      "CREATE TABLE score (game INT, player INT, points INT, PRIMARY KEY (game, player))")
    let pool = database.pool
    let view = ListView<Score>()
    let controller = try FetchedRecordsController<Score>(
      pool,
      sql: "SELECT s.* FROM score s, (SELECT 1 UNION ALL SELECT 2) ORDER BY game, player",
      queue: view.queue)
    try view.performFetch(controller)
    try pool.write { try $0.execute(sql: "INSERT INTO score VALUES (1, 1, 10), (1, 2, 20)") }
    #expect(view.nextBatch().count == 4)
    try pool.write { try $0.execute(sql: "UPDATE score SET points = 30 WHERE player = 1") }
    let old = ["points": 10.databaseValue]
    #expect(
      view.nextBatch() == [
        .update(indexPath: path(0), changes: old), .update(indexPath: path(1), changes: old),
      ])
    try pool.write { try $0.execute(sql: "DELETE FROM score WHERE player = 1") }
    #expect(view.nextBatch().count == 2)
    try pool.write { try $0.execute(sql: "INSERT INTO score VALUES (NULL, NULL, 1)") }
    #expect(
      view.nextBatch() == [.insertion(indexPath: path(0)), .insertion(indexPath: path(1))])
    try pool.write { try $0.execute(sql: "UPDATE score SET points = 2 WHERE game IS NULL") }
    #expect(
      view.nextBatch() == [
        .deletion(indexPath: path(0)), .deletion(indexPath: path(1)),
        .insertion(indexPath: path(0)), .insertion(indexPath: path(1)),
      ])
    #expect(
      view.queue.sync { controller.indexPath(for: Score(game: 1, player: 2, points: 0)) } == nil,
      "a record that is fetched only has no key")
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a table without rowids is followed`(kind: EncryptedDatabase.Kind) throws {
    let database = try EncryptedDatabase(
      kind,
      "CREATE TABLE player (name TEXT PRIMARY KEY, team TEXT) WITHOUT ROWID")
    let view = ListView<Member>()
    let controller = try FetchedRecordsController(
      database.writer, request: Member.order(Column("name")), queue: view.queue)
    try view.performFetch(controller)
    try database.execute("INSERT INTO player VALUES ('Arthur', NULL), ('Barbara', NULL)")
    #expect(view.nextBatch().count == 2)
    try database.execute("UPDATE player SET team = 'red' WHERE name = 'Barbara'")
    #expect(view.nextBatch() == [.update(indexPath: path(1), changes: ["team": .null])])
  }

  @Test func `a request without the key has records without identity`() throws {
    let database = try EncryptedPool(Player.two)
    let view = ListView<Member>()
    let controller = try FetchedRecordsController(
      database.pool, request: Member.select(Column("name")).order(Column("name")),
      queue: view.queue)
    try view.performFetch(controller)
    try database.pool.write { try $0.execute(sql: rename) }
    #expect(
      view.nextBatch() == [.deletion(indexPath: path(0)), .insertion(indexPath: path(0))])
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a list comes to depend on tables that it didn't read at first`(kind: EncryptedDatabase.Kind)
    throws
  {
    let database = try EncryptedDatabase(
      kind,
      """
      CREATE TABLE team (name TEXT PRIMARY KEY);
      CREATE TABLE player (name TEXT PRIMARY KEY, team TEXT REFERENCES team(name));
      """)
    let view = ListView<TeamInfo>()
    let request = Team.including(all: Team.players.order(Column("name")))
      .asRequest(of: TeamInfo.self)
    let controller = try FetchedRecordsController(
      database.writer, request: request, queue: view.queue,
      isSameRecord: { $0.team.name == $1.team.name })
    try view.performFetch(controller)
    try database.execute("INSERT INTO team VALUES ('red')")
    #expect(view.nextBatch() == [.insertion(indexPath: path(0))])
    try database.execute("INSERT INTO player VALUES ('Arthur', 'red')")
    #expect(view.nextBatch() == [.update(indexPath: path(0), changes: [:])])
    #expect(
      view.queue.sync { controller.fetchedRecords.map(\.players) } == [[Member(name: "Arthur")]])
  }
}
