import Coffer
import CofferTestSupport
import Foundation
import Testing

/// Requests that continue a selection with a type.
@Suite struct TypedSelectionTests {
  struct Team: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
    static let players = hasMany(Player.self)
  }

  struct Player: Codable, Identifiable, Hashable, FetchableRecord, PersistableRecord {
    var id: Int64
    var teamId: Int64?
    var name: String
    var score: Int
    static let team = belongsTo(Team.self)
    static let persistenceConflictPolicy = PersistenceConflictPolicy(update: .replace)
  }

  /// The same with columns that it declares.
  struct Member: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "player"
    var id: Int64
    var score: Int

    enum Columns {
      static let id = Column("id")
      static let score = TypedColumn<Int>("score")
      static let name = Column("name")
    }
  }

  /// A record with amounts that `Double` and `Int` don't hold.
  private struct Price: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "price"
    var id: Int64
    var amount: Decimal
  }

  @Test func `a literal beside a selected value doesn't choose the type`() throws {
    try EncryptedQueue.with("CREATE TABLE price (id INTEGER PRIMARY KEY, amount TEXT)") { db in
      try Price(id: 1, amount: 9).insert(db)
      try Price(id: 2, amount: 100.5).insert(db)
      let highest = try Price.select { max($0.amount) }.fetchOne(db).flatMap { $0 } ?? 0
      #expect(highest as Any is Decimal && highest == 100.5)
      let lowest = try Price.all().select { $0.amount }.order { $0.amount }.fetchOne(db) ?? 0
      #expect(lowest as Any is Decimal && lowest == 9)
      let most = try Price.select { max($0.id) }.fetchOne(db) ?? 0
      #expect(most as Any is Int64 && most == 2)
      let none = Price.filter { $0.id > 2 }
      #expect(try none.select { max($0.amount) }.fetchOne(db) ?? 7 == 7)
      let isThere: Decimal?? = try none.select { max($0.amount) }.fetchOne(db)
      #expect(isThere == .some(nil))
      let names: [String] = try Price.select { $0.amount }.order(Column("id")).fetchAll(db)
      #expect(names == ["9", "100.5"])
    }
  }

  private func use(_ body: (Database) throws -> Void) throws {
    try EncryptedQueue.with(
      """
      CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE player (
        id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team, name TEXT UNIQUE, score INT);
      INSERT INTO team VALUES (1, 'Reds'), (2, 'Blues');
      INSERT INTO player VALUES
        (1, 1, 'Arthur', 10), (2, 1, 'Barbara', 20), (3, 2, 'Craig', 30), (4, NULL, 'Daniel', 30);
      """, body)
  }

  @Test func `closures get the columns of the record`() throws {
    try use { db throws in
      let scores = Player.select { $0.score }
      let one = try scores.filter { $0.id == 3 }.fetchOne(db)
      #expect(one == 30)
      let all: [Int] = try scores.order { $0.name.desc }.fetchAll(db)
      #expect(all == [30, 30, 20, 10])
      #expect(try scores.order { [$0.score, $0.id] }.fetchAll(db) == [10, 20, 30, 30])
      #expect(try scores.filter { $0.score > 10 }.distinct().fetchSet(db) == [20, 30])
      #expect(try scores.filter { $0.score > 10 }.distinct().fetchCount(db) == 2)
      #expect(try scores.group { $0.score }.having { count($0.id) > 1 }.fetchAll(db) == [30])
      #expect(try scores.group { [$0.teamId, $0.score] }.fetchCount(db) == 4)
      let rows = try Row.fetchAll(db, scores.annotated { $0.name }.filter { $0.id == 1 })
      #expect(rows == [["score": 10, "name": "Arthur"]])
      let names: [String] = try scores.select { $0.name }.filter { $0.score == 30 }
        .order { $0.name }.limit(1).fetchAll(db)
      #expect(names == ["Craig"])
      #expect(try scores.filter(id: 2).fetchAll(db) == [20])
      #expect(try scores.filter(ids: [1, 2]).fetchSet(db) == [10, 20])
      #expect(try scores.filter(key: 1).fetchAll(db) == [10])
      #expect(try scores.filter(Column("id") == 1).fetchAll(db) == [10])
      #expect(try Player.all().select { $0.score }.filter { $0.id == 2 }.fetchOne(db) == 20)
      #expect(
        try Table<Player>("player").select { $0.score }.filter { $0.id == 2 }.fetchOne(db) == 20)
      #expect(try scores.filter { $0.score > 1000 }.isEmpty(db))
    }
  }

  @Test func `closures get the columns that the record declares`() throws {
    try use { db throws in
      let scores = Member.select { $0.score }
      #expect(try scores.filter { $0.id == 3 }.fetchAll(db) == [30])
      #expect(try scores.order { $0.id.desc }.fetchAll(db) == [30, 30, 20, 10])
      #expect(try scores.filter { $0.name == "Arthur" }.fetchAll(db) == [10])
      // A column without a type leaves the type of the rows.
      let members = Member.select { [$0.id, $0.score] }.filter { $0.id == 2 }
      #expect(try members.fetchOne(db)?.score == 20)
      #expect(try Int.fetchAll(db, Member.select { $0.id }.filter { $0.score == 10 }) == [1])
    }
  }

  @Test func `a selection can get another type`() throws {
    try use { db throws in
      let request: QueryInterfaceRequest<Int> = Player.select { $0.score }
      #expect(try request.fetchSet(db) == [10, 20, 30])
      func limited(_ count: Int) -> QueryInterfaceRequest<Int> {
        Player.select { $0.score }.filter { $0.id > 1 }.asRequest().limit(count)
      }
      #expect(try limited(1).fetchAll(db) == [20])
      #expect(
        try Player.select { $0.name }.filter { $0.id == 1 }.asRequest(of: Row.self).fetchAll(db)
          .count == 1)
    }
  }

  @Test func `selections with a type are joined, combined and used as subqueries`() throws {
    try use { db throws in
      let reds = Player.select { $0.score }.joining(
        required: Player.team.filter { $0.name == "Reds" })
      #expect(try reds.order { $0.id }.fetchAll(db) == [10, 20])
      let team = TableAlias<Team>()
      let names = Player.select { $0.name }.joining(optional: Player.team.aliased(team))
        .order(team[Column("name")], Column("id"))
      #expect(try names.fetchAll(db) == ["Daniel", "Craig", "Arthur", "Barbara"])
      let player = TableAlias<Player>(name: "p")
      #expect(
        try Player.select { $0.score }.aliased(player).filter(player.id == 1).fetchAll(db) == [10])
      let few = Player.select { $0.score }.filter { $0.id < 3 }
      let more = Player.select { $0.score }.filter { $0.id > 1 }
      #expect(try few.union(more).fetchCount(db) == 3)
      #expect(try few.unionAll(more).fetchCount(db) == 5)
      #expect(try few.intersect(more).fetchAll(db) == [20])
      #expect(try few.except(more).fetchAll(db) == [10])
      let best = Player.select { max($0.score) }.filter { $0.teamId == 1 }
      #expect(try Player.filter { $0.score == best }.fetchAll(db).map(\.id) == [2])
      #expect(try Player.filter { few.contains($0.score) }.fetchCount(db) == 2)
      #expect(try Player.filter(few.exists()).fetchCount(db) == 4)
      #expect(try SQLRequest<Int>("SELECT \(best)").fetchOne(db) == 20)
    }
  }

  @Test func `rows of a selection with a type are updated and deleted`() throws {
    try use { db throws in
      let one = Player.select { $0.score }.filter { $0.id == 1 }
      #expect(try one.updateAll(db) { $0.score += 5 } == 1)
      #expect(try one.updateAll(db) { [$0.score += 5, $0.teamId.set(to: nil)] } == 1)
      #expect(try one.updateAll(db, Column("score") += 1) == 1)
      #expect(try one.fetchOne(db) == 21)
      // The record type's policy.
      #expect(try one.updateAll(db) { $0.name.set(to: "Barbara") } == 1)
      #expect(try Player.fetchCount(db) == 3)
      #expect(try one.deleteAll(db) == 1)
      #expect(try Player.fetchCount(db) == 2)
    }
  }
}
