import Coffer
import CofferTestSupport
import Testing

/// Changes of all rows that a request gives.
@Suite struct BatchChangeTests {
  struct Team: Codable, Identifiable, Hashable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
    static let players = hasMany(Player.self)
    static let persistenceConflictPolicy = PersistenceConflictPolicy(
      insert: .abort, update: .replace)
  }

  struct Player: Codable, Identifiable, Hashable, FetchableRecord, PersistableRecord {
    var id: Int64
    var teamId: Int64?
    var name: String
    static let team = belongsTo(Team.self)
  }

  private static let schema = """
    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
    CREATE TABLE player (id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team, name TEXT);
    INSERT INTO team VALUES (1, 'Reds'), (2, 'Blues'), (3, 'Greens');
    INSERT INTO player VALUES (1, 1, 'Arthur'), (2, 1, 'Barbara'), (3, 2, 'Craig'), (4, NULL, 'Dan');
    """

  private func use(_ body: (Database) throws -> Void) throws {
    try EncryptedQueue.with(Self.schema, body)
  }

  @Test func `updates settle conflicts as the record type says`() throws {
    try use { db throws in
      try Player.deleteAll(db)
      let name = Column("name").set(to: "Reds")
      #expect(try Team.filter(id: 2).updateAll(db, name) == 1)
      #expect(try Team.fetchAll(db) == [Team(id: 2, name: "Reds"), Team(id: 3, name: "Greens")])
      #expect(try Team.filter(id: 3).updateAll(db, onConflict: .ignore, name) == 0)
      #expect(throws: DatabaseError.self) {
        try Team.filter(id: 3).updateAll(db, onConflict: .abort, name)
      }
      #expect(throws: DatabaseError.self) {
        try Table("team").filter(Column("id") == 3).updateAll(db, name)
      }
      #expect(try Team.updateAll(db) { $0.name.set(to: "Same") } == 2)
      #expect(try Team.fetchCount(db) == 1)
    }
  }

  @Test(.enabled(if: SQLiteFeatures.linked.hasReturning))
  func `updates that fetch settle conflicts as the record type says`() throws {
    try use { db throws in
      try Player.deleteAll(db)
      let teams = try Team.filter(id: 2).updateAndFetchAll(db) { [$0.name.set(to: "Reds")] }
      #expect(teams == [Team(id: 2, name: "Reds")])
      #expect(try Team.fetchCount(db) == 2)
    }
  }

  @Test func `a joined request's rows are changed`() throws {
    try use { db throws in
      let reds = Player.joining(required: Player.team.filter { $0.name == "Reds" })
      #expect(try reds.updateAll(db) { $0.name.set(to: "x") } == 2)
      #expect(try reds.filter { $0.id == 1 }.deleteAll(db) == 1)
      let team = TableAlias<Team>()
      let included = Player.including(required: Player.team.aliased(team)).filter(team.id == 1)
      #expect(try included.deleteAll(db) == 1)
      #expect(try Player.fetchCount(db) == 2)
    }
  }

  @Test(.enabled(if: SQLiteFeatures.linked.hasReturning))
  func `a joined request's rows are changed and fetched`() throws {
    try use { db throws in
      let arthur = Player(id: 1, teamId: 1, name: "Arthur")
      let barbara = Player(id: 2, teamId: 1, name: "Barbara")
      let craig = Player(id: 3, teamId: 2, name: "Craig")
      let reds = Player.joining(required: Player.team.filter { $0.name == "Reds" })
      let renamed = try reds.filter { $0.id == 1 }.updateAndFetchAll(db) { [$0.name.set(to: "x")] }
      #expect(renamed.map(\.name) == ["x"])
      try arthur.update(db)
      #expect(try reds.filter { $0.id == 1 }.deleteAndFetchAll(db) == [arthur])
      let included = Player.including(required: Player.team).filter { $0.id == 2 }
      #expect(try included.deleteAndFetchSet(db) == [barbara])
      let team = TableAlias<Team>(name: "t"), player = TableAlias<Player>(name: "p")
      let aliased = Player.aliased(player).including(optional: Player.team.aliased(team))
        .filter(team.name == "Blues" && player.id == 3)
      #expect(try Array(aliased.deleteAndFetchCursor(db)) == [craig])
      #expect(try Player.including(optional: Player.team).deleteAndFetchIds(db) == [4])
      #expect(try Player.fetchCount(db) == 0)
      #expect(try Team.including(all: Team.players).deleteAndFetchAll(db).count == 3)
    }
  }

  @Test func `a joined table without a rowid can be tested for a row`() throws {
    struct Seat: TableRecord {}
    struct Guest: TableRecord {
      static let seat = hasOne(
        Seat.self, using: ForeignKey(["room", "number"], to: ["room", "number"]))
    }
    let schema = """
      CREATE TABLE seat (room TEXT, number INT, PRIMARY KEY (number, room)) WITHOUT ROWID;
      CREATE TABLE guest (id INTEGER PRIMARY KEY, room TEXT, number INT);
      INSERT INTO seat VALUES ('a', 1), ('b', 2);
      INSERT INTO guest VALUES (1, 'a', 1), (2, 'a', 2), (3, 'b', 2), (4, NULL, 1);
      """
    try EncryptedQueue.with(schema) { db throws in
      let seat = TableAlias()
      let guests = Guest.joining(optional: Guest.seat.aliased(seat)).order(Column("id"))
        .select(Column("id"), as: Int.self)
      #expect(try guests.filter(seat.exists).fetchAll(db) == [1, 3])
      #expect(try guests.filter(!seat.exists).fetchAll(db) == [2, 4])
    }
  }
}
