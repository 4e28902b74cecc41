import Coffer
import CofferExpectations
import CofferTestSupport
import Testing

@Suite struct ChangeTests {
  private static let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE, score INT, bonus INT);
    INSERT INTO player VALUES (1, 'Arthur', 10, 1), (2, 'Barbara', 20, 2), (3, 'Craig', 30, 3);
    CREATE TABLE pair (a INT, b INT, n INT, PRIMARY KEY (a, b)) WITHOUT ROWID;
    INSERT INTO pair VALUES (1, 1, 0), (1, 2, 0), (2, 1, 0);
    """

  private struct Player: TableRecord, Codable {
    var id: Int64
    var name: String
    var score: Int

    enum Columns {
      static let id = Column("id")
      static let name = Column("name")
      static let score = Column("score")
      static let bonus = Column("bonus")
    }
  }

  private let players = Player.all()
  private let score = Column("score")

  private func sql(_ body: (Database) throws -> Void) throws -> String {
    try RequestDatabase(Self.schema).sql(body)
  }

  @Test func `an update changes what the request asks for`() throws {
    let zero = score.set(to: 0)
    #expect(try sql { try players.updateAll($0, zero) } == #"UPDATE "player" SET "score" = 0"#)
    #expect(
      try sql { try players.filter { $0.name == "Arthur" }.updateAll($0, zero) }
        == #"UPDATE "player" SET "score" = 0 WHERE "name" = 'Arthur'"#)
    #expect(
      try sql { try players.filter(keys: [1, 2]).updateAll($0, zero) }
        == #"UPDATE "player" SET "score" = 0 WHERE "id" IN (1, 2)"#)
    #expect(
      try sql { try players.order(score).select(score).updateAll($0, zero) }
        == #"UPDATE "player" SET "score" = 0"#)
    #expect(
      try sql { try players.updateAll($0, onConflict: .ignore, score.set(to: nil)) }
        == #"UPDATE OR IGNORE "player" SET "score" = NULL"#)
    #expect(
      try sql { try players.updateAll($0) { $0.score += $0.bonus * 2 } }
        == #"UPDATE "player" SET "score" = "score" + ("bonus" * 2)"#)
    #expect(
      try sql { try players.updateAll($0) { [$0.score -= 1, $0.bonus.set(to: $0.score)] } }
        == #"UPDATE "player" SET "score" = "score" - 1, "bonus" = "score""#)
  }

  @Test func `each operator assigns`() throws {
    let bonus = Column("bonus")
    let cases: [(ColumnAssignment, [Int])] = [
      (bonus += 1, [2, 3, 4]), (bonus -= 1, [0, 1, 2]), (bonus *= 3, [3, 6, 9]),
      (bonus /= 2, [0, 1, 1]), (bonus &= 2, [0, 2, 2]), (bonus |= 4, [5, 6, 7]),
      (bonus <<= 1, [2, 4, 6]), (bonus >>= 1, [0, 1, 1]),
    ]
    for (assignment, expected) in cases {
      try RequestDatabase(Self.schema).use { db throws in
        #expect(try players.updateAll(db, assignment) == 3)
        #expect(try players.order(\.id).select(bonus, as: Int.self).fetchAll(db) == expected)
      }
    }
  }

  @Test func `an update without assignments changes nothing`() throws {
    try RequestDatabase(Self.schema).use { db throws in
      #expect(try players.updateAll(db, []) == 0)
      #expect(try players.updateAll(db, score.noOverwrite) == 0)
    }
  }

  @Test func `a conflict is settled as the update says`() throws {
    try RequestDatabase(Self.schema).use { db throws in
      let name = Column("name").set(to: "Same")
      #expect(throws: DatabaseError.self) { try players.updateAll(db, name) }
      #expect(try players.updateAll(db, onConflict: .ignore, name) == 1)
      try players.updateAll(db, onConflict: .replace, name)
      #expect(try players.fetchCount(db) == 1)
    }
  }

  @Test func `a limit, a group and distinct rows choose what is changed`() throws {
    try RequestDatabase(Self.schema).use { db throws in
      #expect(try players.order(score.desc).limit(1).updateAll(db, score.set(to: 99)) == 1)
      #expect(try players.filter(score == 99).select({ $0.id }, as: Int.self).fetchAll(db) == [3])
      #expect(try players.limit(1, offset: 1).deleteAll(db) == 1)
      #expect(
        try players.group(score).having(max(score) > 50).updateAll(db, score.set(to: 1)) == 1)
      #expect(try players.distinct().order(score.desc).limit(1).updateAll(db, score += 5) == 1)
      #expect(try players.select(score).distinct().deleteAll(db) == 2)
      let pairs = Table("pair")
      #expect(
        try pairs.all().group(Column("a")).having(count(Column("b")) > 1)
          .updateAll(db, Column("n").set(to: 7)) == 1)
    }
  }

  @Test func `a deletion names its table, and its alias`() throws {
    #expect(try sql { try players.deleteAll($0) } == #"DELETE FROM "player""#)
    #expect(
      try sql { try players.filter(score > 10).order(score).deleteAll($0) }
        == #"DELETE FROM "player" WHERE "score" > 10"#)
    let p = TableAlias(name: "p")
    let better = Table("player").filter(score > p[score])
    let best = Table("player").aliased(p).filter(!better.exists())
    let sql = try sql { try best.deleteAll($0) }
    if SQLiteFeatures.linked.hasAliasedChanges {
      #expect(
        sql == """
          DELETE FROM "player" AS "p" WHERE NOT EXISTS \
          (SELECT * FROM "player" WHERE "score" > "p"."score")
          """)
    }
    try RequestDatabase(Self.schema).use { db throws in
      #expect(try best.updateAll(db, score.set(to: p[score] + 1)) == 1)
      #expect(try Player.order { $0.id }.select(score, as: Int.self).fetchAll(db) == [10, 20, 31])
    }
  }

  @Test func `changed rows are given back, where SQLite can`() throws {
    try RequestDatabase(Self.schema).use { db throws in
      guard SQLiteFeatures.linked.hasReturning else {
        let error = databaseError {
          try players.deleteAndFetchStatement(db, selection: [Column("id")])
        }
        #expect(error?.message == "RETURNING needs SQLite 3.35.0 or later")
        return
      }
      let update = try players.filter { $0.id > 1 }.updateAndFetchStatement(
        db, [score += 1], selection: [.allColumns(excluding: ["name", "bonus"])])
      #expect(
        update.sql
          == #"UPDATE "player" SET "score" = "score" + ? WHERE "id" > ? RETURNING "id", "score""#)
      #expect(try Row.fetchAll(update) == [["id": 2, "score": 21], ["id": 3, "score": 31]])
      let deletion = try players.filter(key: 1).deleteAndFetchStatement(db) { [$0.name] }
      #expect(try String.fetchAll(deletion) == ["Arthur"])
      #expect(try players.fetchCount(db) == 2)
    }
  }

  @Test func `a compound request can't be changed`() throws {
    try RequestDatabase(Self.schema).use { db throws in
      let both = players.union(players)
      #expect(throws: DatabaseError.self) { try both.deleteAll(db) }
      #expect(throws: DatabaseError.self) { try both.updateAll(db, score.set(to: 0)) }
      #expect(try players.fetchCount(db) == 3)
    }
  }

  @Test func `the order of a limited change can use an annotation`() throws {
    let sum = (score * -1 + Column("bonus")).forKey("total")
    let request = Player.annotated(with: sum).order(Column("total").detached).limit(1)
    try RequestDatabase(Self.schema).use { db throws in
      #expect(try request.updateAll(db, score.set(to: 100)) == 1)
      #expect(try Player.filter(key: 3).select(score, as: Int.self).fetchOne(db) == 100)
      #expect(try request.deleteAll(db) == 1)
      #expect(
        try Player.order { $0.id }.select { $0.id }.asRequest(of: Int.self).fetchAll(db) == [1, 2])
    }
  }
}
