import Coffer
import CofferTestSupport
import Foundation
import Testing

@Suite struct TypedExpressionTests {
  typealias Player = TypedPlayer
  typealias Request = QueryInterfaceRequest<TypedPlayer>

  private func with<T>(_ body: (Database) throws -> T) throws -> T {
    try EncryptedQueue.with(Player.schema, body)
  }

  // MARK: Comparisons

  @Test func `comparisons take values of the column's type`() throws {
    try with { db throws in
      #expect(try ids(Player.filter { $0.score == 20 }, db) == [2])
      #expect(try ids(Player.filter { 20 == $0.score }, db) == [2])
      #expect(try ids(Player.filter { $0.score != 20 }, db) == [1, 3])
      #expect(try ids(Player.filter { $0.score < 20 }, db) == [1])
      #expect(try ids(Player.filter { $0.score <= 20 }, db) == [1, 2])
      #expect(try ids(Player.filter { 20 < $0.score }, db) == [3])
      #expect(try ids(Player.filter { $0.score >= 20 }, db) == [2, 3])
      #expect(try ids(Player.filter { $0.name == "Arthur" }, db) == [1])
      #expect(try ids(Player.filter { $0.ratio > 1 }, db) == [2, 3])
      #expect(try ids(Player.filter { $0.kind == .robot }, db) == [2])
      #expect(try ids(Player.filter { $0.picture == Data([1, 2]) }, db) == [1])
    }
  }

  @Test func `nil is NULL, on either side and for either kind of column`() throws {
    let none: Int? = nil
    let some: Int? = 1
    try with { db throws in
      #expect(try ids(Player.filter { $0.bonus == nil }, db) == [2])
      #expect(try ids(Player.filter { nil == $0.bonus }, db) == [2])
      #expect(try ids(Player.filter { $0.bonus != nil }, db) == [1, 3])
      #expect(try ids(Player.filter { $0.bonus == none }, db) == [2])
      #expect(try ids(Player.filter { $0.bonus == some }, db) == [1])
      #expect(try ids(Player.filter { some == $0.bonus }, db) == [1])
      #expect(try ids(Player.filter { $0.score == none }, db) == [])
      #expect(try ids(Player.filter { $0.score == nil }, db) == [])
      #expect(try ids(Player.filter { $0.bonus == 1 }, db) == [1])
      #expect(try ids(Player.filter { $0.bonus < none }, db) == [])
      #expect(try ids(Player.filter { $0.bonus === nil }, db) == [2])
      #expect(try ids(Player.filter { $0.bonus !== 1 }, db) == [2, 3])
    }
  }

  @Test func `columns are compared with columns, optional or not`() throws {
    try with { db throws in
      #expect(try ids(Player.filter { $0.score == $0.bonus }, db) == [3])
      #expect(try ids(Player.filter { $0.bonus == $0.score }, db) == [3])
      #expect(try ids(Player.filter { $0.bonus < $0.score }, db) == [1])
      #expect(try ids(Player.filter { $0.score > $0.score - 1 }, db) == [1, 2, 3])
      #expect(try ids(Player.filter { $0.bonus == $0.bonus }, db) == [1, 3])
      #expect(try ids(Player.filter { $0.bonus === $0.bonus }, db) == [1, 2, 3])
    }
  }

  @Test func `SQL without a type stands on either side`() throws {
    try with { db throws in
      #expect(try ids(Player.filter { $0.score == Column("bonus") }, db) == [3])
      #expect(try ids(Player.filter { Column("bonus") == $0.score }, db) == [3])
      #expect(try ids(Player.filter { $0.score == SQL("10 + \(10)") }, db) == [2])
      #expect(
        try ids(Player.filter { $0.score == Player.select { max($0.score) } }, db) == [3])
      #expect(try ids(Player.filter { $0.active && Column("bonus") == 1 }, db) == [1])
      #expect(try ids(Player.filter { Column("bonus") == 1 || $0.score == 20 }, db) == [1, 2])
    }
  }

  @Test func `dates and UUIDs are compared as they are stored`() throws {
    let token = UUID.seeded()
    try with { db throws in
      try Player.filter { $0.id == 2 }.updateAll(db) { $0.token.set(to: token) }
      #expect(try ids(Player.filter { $0.token == token }, db) == [2])
      let date = try #require(try Player.filter { $0.id == 1 }.select { $0.born }.fetchOne(db))
      #expect(try ids(Player.filter { $0.born == date }, db) == [1])
      #expect(try ids(Player.filter { $0.born > date }, db) == [3])
      #expect(
        try Player.filter { $0.id == 1 }.select { dateTime($0.born, .startOfDay) }.fetchAll(db)
          == ["2000-01-02 00:00:00"])
      #expect(
        try Player.filter { $0.id == 1 }.select { $0.born.unixEpoch() }.fetchAll(db)
          == [946_782_245])
      #expect(
        try Player.filter { $0.id == 1 }.select { $0.born.strftime("%Y", .year(1)) }.fetchAll(db)
          == ["2001"])
    }
  }

  // MARK: Logic

  @Test func `conditions are joined, with columns and values of Bool too`() throws {
    let all = true
    try with { db throws in
      #expect(try ids(Player.filter { $0.active }, db) == [1, 2])
      #expect(try ids(Player.filter { !$0.active }, db) == [3])
      #expect(try ids(Player.filter { $0.active && $0.maybe }, db) == [1])
      #expect(try ids(Player.filter { !$0.maybe }, db) == [3])
      #expect(try ids(Player.filter { all || $0.active }, db) == [1, 2, 3])
      #expect(try ids(Player.filter { $0.active && !all }, db) == [])
      #expect(try ids(Player.filter { !($0.score == 20) }, db) == [1, 3])
      #expect(
        try ids(
          Player.filter {
            $0.score >= 10 && $0.name.hasPrefix("A") && $0.bonus != nil && $0.ratio * 2 < 3.5
              && !($0.score % 20 == 0 || $0.kind == .robot)
          }, db) == [1])
      #expect(
        try ids(
          Player.filter { columns in
            ["r", "b"].map { columns.name.contains($0) }.joined(operator: .and)
          }, db) == [2])
    }
  }

  @Test func `lists and ranges contain columns`() throws {
    let none: [Int] = []
    try with { db throws in
      #expect(try ids(Player.filter { [10, 30].contains($0.score) }, db) == [1, 3])
      #expect(try ids(Player.filter { ![10, 30].contains($0.score) }, db) == [2])
      #expect(try ids(Player.filter { Set([1]).contains($0.bonus) }, db) == [1])
      #expect(try ids(Player.filter { none.contains($0.bonus) }, db) == [])
      #expect(try ids(Player.filter { [.robot].contains($0.kind) }, db) == [2])
      #expect(try ids(Player.filter { Array(0...2000).contains($0.score) }, db) == [1, 2, 3])
      #expect(try ids(Player.filter { (20...30).contains($0.score) }, db) == [2, 3])
      #expect(try ids(Player.filter { (20..<30).contains($0.score) }, db) == [2])
      #expect(try ids(Player.filter { (20...).contains($0.score) }, db) == [2, 3])
      #expect(try ids(Player.filter { (...10).contains($0.score) }, db) == [1])
      #expect(try ids(Player.filter { (..<20).contains($0.bonus) }, db) == [1])
      #expect(try ids(Player.filter { (1...2).contains($0.ratio) }, db) == [2])
      #expect(
        try ids(Player.filter { Player.select { $0.bonus }.contains($0.score) }, db) == [3])
    }
  }

  // MARK: Arithmetic and NULL

  @Test func `arithmetic has the type of its operands`() throws {
    try with { db throws in
      let one = Player.filter { $0.id == 1 }
      let sum: [Int] = try one.select { $0.score + 1 }.fetchAll(db)
      #expect(sum == [11])
      let difference: [Int] = try one.select { 1 - $0.score }.fetchAll(db)
      #expect(difference == [-9])
      let product: [Int?] = try Player.select { $0.score * $0.bonus }.fetchAll(db)
      #expect(product == [10, nil, 900])
      let quotient: [Int?] = try one.select { $0.score / 3 }.fetchAll(db)
      #expect(quotient == [3])
      let byZero: [Int?] = try one.select { $0.score / ($0.score - 10) }.fetchAll(db)
      #expect(byZero == [nil])
      let remainder: [Int?] = try one.select { $0.score % 3 }.fetchAll(db)
      #expect(remainder == [1])
      let real: [Double] = try one.select { $0.ratio * 3 + 1 }.fetchAll(db)
      #expect(real == [2.5])
      let negative: [Int] = try one.select { -$0.score }.fetchAll(db)
      #expect(negative == [-10])
      let bits: [Int] = try one.select { ($0.score & 2) | ($0.score << 1) }.fetchAll(db)
      #expect(bits == [22])
      let text: [String] = try one.select { $0.name + "!" }.fetchAll(db)
      #expect(text == ["Arthur!"])
      let both: [String?] = try Player.select { $0.name + "/" + $0.nick }.fetchAll(db)
      #expect(both == ["Arthur/Art", nil, "arthur/x"])
    }
  }

  @Test func `a value stands in for NULL`() throws {
    try with { db throws in
      let values: [Int] = try Player.select { $0.bonus ?? 0 }.fetchAll(db)
      #expect(values == [1, 0, 30])
      let columns: [Int] = try Player.select { $0.bonus ?? $0.score }.fetchAll(db)
      #expect(columns == [1, 20, 30])
      let optionals: [Int?] = try Player.select { $0.bonus ?? $0.bonus }.fetchAll(db)
      #expect(optionals == [1, nil, 30])
      let first: [Int?] = try Player.select { coalesce([$0.bonus, $0.bonus]) }.fetchAll(db)
      #expect(first == [1, nil, 30])
      #expect(try ids(Player.filter { ($0.bonus ?? 0) == 0 }, db) == [2])
      let none: [Int?] = try Player.select { $0.score.nullIf(20) }.fetchAll(db)
      #expect(none == [10, nil, 30])
    }
  }

  // MARK: Selections

  @Test func `a selection gives its type to the request`() throws {
    try with { db throws in
      let scores: [Int] = try Player.select { $0.score }.fetchAll(db)
      #expect(scores == [10, 20, 30])
      let bonuses: [Int?] = try Player.all().select { $0.bonus }.fetchAll(db)
      #expect(bonuses == [1, nil, 30])
      let kinds = try Player.select { $0.kind }.fetchAll(db)
      #expect(kinds == [.human, .robot, .human])
      let isGood: [Bool?] = try Player.select { $0.bonus > 1 }.fetchAll(db)
      #expect(isGood == [false, nil, true])
      let distinct = try Player.select { $0.active }.distinct().fetchSet(db)
      #expect(distinct == [true, false])
    }
  }

  @Test func `aggregates are optional where there may be no row`() throws {
    try with { db throws in
      #expect(try Player.select { max($0.score) }.fetchOne(db) == 30)
      #expect(try Player.select { min($0.bonus) }.fetchOne(db) == 1)
      #expect(try Player.select { sum($0.bonus) }.fetchOne(db) == 31)
      #expect(try Player.select { average($0.score) }.fetchOne(db) == 20)
      let nobody = Player.filter { $0.score > 100 }
      let best: [Int?] = try nobody.select { max($0.score) }.fetchAll(db)
      #expect(best == [nil])
      let totals: [Double] = try nobody.select { total($0.score) }.fetchAll(db)
      #expect(totals == [0])
      let counts: [Int] = try Player.select { count($0.bonus) }.fetchAll(db)
      #expect(counts == [2])
      let different: [Int] = try Player.select { count(distinct: $0.kind) }.fetchAll(db)
      #expect(different == [2])
      let greater: [Int] = try Player.select { max($0.score, 20) }.fetchAll(db)
      #expect(greater == [20, 20, 30])
      let names: [String?] = try Player.order { $0.id }.select { groupConcat($0.nick) }.fetchAll(db)
      #expect(names == ["Art,x"])
      let kinds = try Player.all().group { $0.kind }.having { max($0.score) > 20 }
        .select { $0.kind }.fetchAll(db)
      #expect(kinds == [.human])
    }
  }

  @Test func `functions keep types, and NULL`() throws {
    try with { db throws in
      let lengths: [Int] = try Player.select { length($0.name) }.fetchAll(db)
      #expect(lengths == [6, 7, 6])
      let nick: [Int?] = try Player.select { length($0.nick) }.fetchAll(db)
      #expect(nick == [3, nil, 1])
      let size: [Int?] = try Player.select { length($0.picture) }.fetchAll(db)
      #expect(size == [2, nil, 0])
      let distance: [Int] = try Player.select { abs($0.score - 20) }.fetchAll(db)
      #expect(distance == [10, 0, 10])
      let real: [Double] = try Player.select { cast($0.score, as: Double.self) }.fetchAll(db)
      #expect(real == [10, 20, 30])
      let text: [String?] = try Player.select { cast($0.bonus, as: String.self) }.fetchAll(db)
      #expect(text == ["1", nil, "30"])
      let rounded: [Double] = try Player.select { $0.ratio.round() }.fetchAll(db)
      #expect(rounded == [1, 2, 3])
      let part: [String] = try Player.select { $0.name.substr(2, 2) }.fetchAll(db)
      #expect(part == ["rt", "ar", "rt"])
    }
  }

  // MARK: Orders, assignments, rows

  @Test func `columns order rows`() throws {
    try with { db throws in
      let name = Player.select { $0.name }
      #expect(try Player.order { $0.score.desc }.select { $0.id }.fetchAll(db) == [3, 2, 1])
      #expect(
        try Player.order { $0.name.collating(.nocase) }.order { [$0.active, $0.id.desc] }
          .select { $0.id }.fetchAll(db) == [3, 2, 1])
      #expect(
        try name.order(Player.Columns.name).fetchAll(db) == ["Arthur", "Barbara", "arthur"])
      #expect(
        try Player.order { $0.name.collating(.nocase).desc }.select { $0.name }.fetchOne(db)
          == "Barbara")
    }
  }

  @Test func `columns are assigned values of their type`() throws {
    try with { db throws in
      try Player.filter { $0.id == 1 }.updateAll(db) {
        [
          $0.score += 5, $0.bonus.set(to: nil), $0.name += "!", $0.ratio *= 2,
          $0.nick.set(to: $0.name), $0.active.set(to: false), $0.kind.set(to: .robot),
        ]
      }
      let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM player WHERE id = 1"))
      #expect(row[Player.Columns.score] == 15)
      #expect(row[Player.Columns.bonus] == nil)
      #expect(row[Player.Columns.name] == "Arthur!")
      #expect(row[Player.Columns.ratio] == 1)
      #expect(row[Player.Columns.nick] == "Arthur")
      #expect(row[Player.Columns.active] == false)
      #expect(row[Player.Columns.kind] == .robot)
      #expect(try row.decode(Player.Columns.kind) == .robot)
      try Player.filter { $0.id == 1 }.updateAll(db) {
        [$0.bonus.set(to: $0.score), $0.score.set(to: Column("score") - 1), $0.nick.set(to: "n")]
      }
      #expect(try Player.filter { $0.id == 1 }.select { $0.bonus }.fetchOne(db) == 15)
      #expect(try Player.filter { $0.id == 1 }.select { $0.score }.fetchOne(db) == 14)
    }
  }

  @Test func `SQL literals and aliases take typed columns`() throws {
    try with { db throws in
      let request: SQLRequest<Int> = "SELECT \(Player.Columns.score) FROM player ORDER BY 1"
      #expect(try request.fetchAll(db) == [10, 20, 30])
      let alias = TableAlias<Player>(name: "p")
      let aliased = Player.aliased(alias).filter(alias.name == "Arthur" && alias.score < 20)
      #expect(try ids(aliased, db) == [1])
      #expect(try typedSQL(aliased, db).contains("full_name"))
    }
  }

  // MARK: Custom columns

  struct Own: Codable, TableRecord {
    var score: Int
    enum Columns { static let score = Column("points") }
    static let databaseTableName = "own"
  }

  @Test func `a record's own columns are what closures get`() throws {
    try EncryptedQueue.with("CREATE TABLE own (points); INSERT INTO own VALUES (1), (2)") {
      db throws in
      let column: Column = Own.Columns.score
      #expect(column.name == "points")
      #expect(try Own.filter { $0.score > 1 }.fetchCount(db) == 1)
      #expect(try Own.select({ $0.score }, as: Int.self).fetchAll(db) == [1, 2])
    }
  }
}
