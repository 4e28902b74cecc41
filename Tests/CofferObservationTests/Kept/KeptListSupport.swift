import CofferTestSupport

@testable import Coffer
@testable import CofferCore
@testable import CofferObservation
@testable import CofferQuery

/// A row of the table that the tests of kept lists observe.
struct KeptItem: FetchableRecord, TableRecord, Equatable, Sendable {
  static let databaseTableName = "Item"

  var id: Int64
  var name: DatabaseValue
  var score: DatabaseValue

  init(row: Row) throws {
    id = row["id"]
    name = row["name"]
    score = row["score"]
  }

  static let schema = """
    CREATE TABLE Item (id INTEGER PRIMARY KEY, name TEXT, nick TEXT COLLATE NOCASE, score, flag,
      parent INTEGER REFERENCES Item(id) ON DELETE CASCADE, code INTEGER UNIQUE);
    CREATE INDEX itemName ON Item(name);
    CREATE INDEX itemScore ON Item(score);
    CREATE INDEX itemFlag ON Item(flag, nick);
    CREATE TABLE bare (name TEXT, score);
    CREATE TABLE fixed (name TEXT PRIMARY KEY, score) WITHOUT ROWID;
    CREATE TABLE other (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TRIGGER itemUpdate AFTER UPDATE OF flag ON Item WHEN new.flag = 7 BEGIN
      UPDATE Item SET score = score || 'x' WHERE id = new.id + 1;
      DELETE FROM Item WHERE id = new.id + 2;
      INSERT OR IGNORE INTO Item (id, name, nick) VALUES (new.id + 50, 'made', 'Made');
    END;
    CREATE TRIGGER otherInsertion AFTER INSERT ON other BEGIN
      UPDATE Item SET name = new.name, score = NULL WHERE id % 7 = new.id % 7;
    END;
    """

  /// The requests whose lists are kept; with a question mark, if SQLite's plan allows it.
  static var kept: [(String, QueryInterfaceRequest<KeptItem>)] {
    let (name, nick, score) = (Column("name"), Column("nick"), Column("score"))
    let reversed = Database.CollationName(rawValue: "reversedText")
    var requests: [(String, QueryInterfaceRequest<KeptItem>)] = [
      ("all", all()),
      ("order(name)", order(name)),
      ("order(name.desc)", order(name.desc)),
      ("order(nick)", order(nick)),
      ("order(nick.desc)", order(nick.desc)),
      ("order(score)", order(score)),
      ("order(score.desc)", order(score.desc)),
      ("order(score, name.desc)?", order(score, name.desc)),
      ("order(id.desc)", order(Column("id").desc)),
      ("reversed name", order(name).reversed()),
      ("stable", order(nick).withStableOrder()),
      ("filter(flag > 3)?", filter(Column("flag") > 3).filter(Column("id") > 0).order(nick)),
      ("filter(nick)", filter(nick == "b").order(Column("id"))),
      ("like", filter(name.like("a%")).order(nick)),
      ("length", order(length(nick), Column("code"))),
      ("collated", order(name.collating(.nocase))),
      ("custom collation", order(nick.collating(reversed))),
      ("sql filter", filter(sql: "nick > ? OR +score = ?", arguments: ["b", 3]).order(nick)),
      ("sql list?", filter(sql: "+flag IN (1, 2, 7)").order(nick.desc)),
      ("rowid range", filter((5...30).contains(Column("id")))),
      ("rowid range, descending", filter(Column("id") > 7).order(Column("id").desc)),
      ("aliased", aliased(TableAlias<KeptItem>(name: "i")).order(nick)),
      ("pure function", filter(sql: "twice(id) > 20").order(nick)),
      ("columns", select(nick, Column("id"), name, score).order(nick)),
      ("limit", limit(1_000)),
      ("limit of rowids?", limit(12)),
      ("limit of rowids, descending?", order(Column("id").desc).limit(9)),
      ("limit of names?", order(name).limit(15)),
      ("limit of scores?", order(score.desc).limit(20, offset: 0)),
      ("limit of a condition?", filter(sql: "+flag > 2").order(nick).limit(8)),
      ("limit of an ordered condition?", filter(nick == "b").order(name).limit(3)),
      ("limit of all", order(nick).limit(-1)),
      ("limit of none?", order(nick).limit(0)),
    ]
    if SQLiteFeatures.linked.hasNullsOrdering {
      requests.append(("NULLs last", order(nick.ascNullsLast)))
      requests.append(("NULLs first", order(nick.descNullsFirst)))
    }
    return requests
  }

  /// The requests that are fetched as a whole.
  static var unkept: [(String, QueryInterfaceRequest<KeptItem>)] {
    [
      ("offset", order(Column("name")).limit(5, offset: 2)),
      ("random", order(sql: "random()")),
      ("distinct", all().distinct()),
      ("subquery", filter(sql: "score > (SELECT count(*) FROM other)")),
      ("other row", filter(sql: "EXISTS (SELECT 1 FROM Item i WHERE i.name = Item.nick)")),
      ("in table", filter(sql: "id IN (SELECT id FROM other)")),
      ("grouped", all().group(Column("name"))),
      ("impure function", filter(sql: "impure(id) > 3")),
      ("current date", filter(sql: "name > date('now')")),
      ("sql limit", order(sql: "nick LIMIT 4")),
      ("union", all().union(filter(Column("id") > 3))),
    ]
  }

  /// The requests of sums; with a question mark, if some values aren't integers after a while.
  static var sums: [(String, QueryInterfaceRequest<DatabaseValue>)] {
    let (id, name, nick) = (Column("id"), Column("name"), Column("nick"))
    func select(
      _ value: some SQLSpecificExpressible, from items: QueryInterfaceRequest<KeptItem> = all()
    ) -> QueryInterfaceRequest<DatabaseValue> {
      items.select(sum(value), as: DatabaseValue.self)
    }
    return [
      ("id", select(id)),
      ("double id", select(id * -2)),
      ("length, or NULL", select(length(name))),
      ("filter(nick)", select(id, from: filter(nick == "b"))),
      ("filter(nothing)", select(id, from: filter(id < 0))),
      ("rowid range", select(length(nick), from: filter((5...30).contains(id)))),
      ("aliased", select(id, from: aliased(TableAlias<KeptItem>(name: "i")))),
      ("named", items(sum(id).forKey("n"))),
      ("sql filter", select(id, from: filter(sql: "nick > ?", arguments: ["b"]))),
      ("code?", select(Column("code"))),
      ("flag?", select(Column("flag"), from: filter(id > 3))),
      ("score?", select(Column("score"))),
    ]
  }

  /// The requests of values that are fetched each time.
  static var unkeptSums: [(String, QueryInterfaceRequest<DatabaseValue>)] {
    let id = Column("id")
    return [
      ("total", items(total(id))),
      ("average", items(average(id))),
      ("distinct", items(SQL("SUM(DISTINCT id)").sqlExpression)),
      ("two", select(sum(id), sum(Column("code")), as: DatabaseValue.self)),
      ("part", items(sum(id) + 1)),
      ("grouped", items(sum(id)).group(Column("name"))),
      ("having", items(sum(id)).having(sum(id) > 7)),
      ("limit", items(sum(id)).limit(1)),
      ("ordered", items(sum(id)).order(Column("name"))),
      ("impure function", filter(sql: "impure(id) > 3").select(sum(id), as: DatabaseValue.self)),
      (
        "subquery",
        filter(sql: "score > (SELECT count(*) FROM other)")
          .select(sum(id), as: DatabaseValue.self)
      ),
    ]
  }

  private static func items(
    _ selection: some SQLSelectable
  ) -> QueryInterfaceRequest<DatabaseValue> { select(selection, as: DatabaseValue.self) }

  /// Adds the functions and the collation of the requests.
  static func prepare(_ configuration: inout Configuration) {
    configuration.prepareDatabase { db in
      db.add(
        collation: DatabaseCollation("reversedText") { lhs, rhs in
          lhs == rhs ? .orderedSame : lhs < rhs ? .orderedDescending : .orderedAscending
        })
      db.add(
        function: DatabaseFunction("twice", argumentCount: 1, pure: true) { values in
          Int64.fromDatabaseValue(values[0]).map { $0 * 2 }
        })
      db.add(
        function: DatabaseFunction("impure", argumentCount: 1) { values in
          Int64.fromDatabaseValue(values[0])
        })
    }
  }

  // MARK: Changes

  private static let values = [
    "NULL", "1", "2", "2.5", "3", "'a'", "'A'", "'b'", "'B'", "'ab'", "'aé'", "x'00ff'", "x'61'",
    "-7", "1e3", "''",
  ]

  /// Returns SQL that changes the tables, or fails.
  static func change(_ random: inout SeededGenerator) -> String {
    func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    func value() -> String { values[pick(0...values.count - 1)] }
    func column() -> String { ["name", "nick", "score", "flag", "code"][pick(0...4)] }
    func row() -> String {
      "(\(pick(1...40)), \(value()), \(value()), \(value()), \(pick(0...7)))"
    }
    func insertion(_ verb: String = "INSERT") -> String {
      "\(verb) INTO Item (id, name, nick, score, flag) VALUES "
        + (0..<pick(1...2)).map { _ in row() }.joined(separator: ", ")
    }
    func update() -> String {
      "UPDATE Item SET \(column()) = \(value()) WHERE id = \(pick(1...40))"
    }
    switch pick(0...24) {
    case 0...4: return insertion()
    case 5...9: return update()
    case 10: return "UPDATE Item SET flag = 7 WHERE id = \(pick(1...40))"
    case 11: return "UPDATE Item SET \(column()) = \(value()) WHERE id % 5 = \(pick(0...4))"
    case 12: return "DELETE FROM Item WHERE id = \(pick(1...40))"
    case 13: return "DELETE FROM Item WHERE \(column()) = \(value())"
    case 14: return insertion("INSERT OR REPLACE")
    case 15: return insertion("INSERT OR FAIL")
    case 16: return "UPDATE OR REPLACE Item SET code = 2 WHERE id = \(pick(1...40))"
    case 17: return "BEGIN; \(insertion("INSERT OR IGNORE")); \(update()); ROLLBACK"
    case 18: return "BEGIN; \(insertion("INSERT OR IGNORE")); \(update()); \(update()); COMMIT"
    case 19:
      let end = ["ROLLBACK TO s; RELEASE s", "RELEASE s"][pick(0...1)]
      let inside = "\(update()); \(update())"
      return "BEGIN; \(update()); SAVEPOINT s; \(inside); \(end); \(update()); COMMIT"
    case 20:
      let rowID = ["id", "rowid", "oid"][pick(0...2)]
      let id = pick(1...40)
      return pick(0...1) == 0
        ? "UPDATE Item SET \(rowID) = id + 100 WHERE id = \(id)"
        : "UPDATE Item SET \(rowID) = id - 100 WHERE id = \(id + 100)"
    case 21: return "INSERT INTO other (name) VALUES (\(value()))"
    case 22:
      return "UPDATE Item SET parent = \(pick(1...40)) WHERE id = \(pick(1...40));"
        + "INSERT INTO bare VALUES (\(value()), \(value()))"
    case 23:
      return "UPDATE bare SET score = \(value()) WHERE rowid = \(pick(1...9));"
        + "DELETE FROM bare WHERE rowid = \(pick(1...30))"
    default:
      guard SQLiteFeatures.linked.hasUpsert else { return update() }
      return insertion() + " ON CONFLICT (id) DO UPDATE SET nick = excluded.name"
    }
  }
}

/// Follows a list or a number on a connection as an observation does, but synchronously.
final class KeptFollower<Source: KeptSource>: TrackedRegionObserver
where Source.Value: Equatable {
  let name: String
  let tracked: TrackedRegion
  private let rows: KeptRows<Source>
  private let source: Source
  private(set) var value: Source.Value
  private(set) var updateCount = 0
  private(set) var fetchCount = 0

  init(_ name: String, _ source: Source, _ db: Database) throws {
    self.name = name
    self.source = source
    let rows = KeptRows(source)
    self.rows = rows
    tracked = TrackedRegion(rows: rows.changes)
    value = try source.fetchAll(db)
    try fetch(db)
    db.add(transactionObserver: self)
  }

  private func fetch(_ db: Database) throws {
    fetchCount += 1
    rows.changes.clear()
    let region: DatabaseRegion
    (value, region) = try db.isolatedRead { db in
      try db.recordingRegion { try rows.fetch(db) }
    }
    let isOther = tracked.update(region, in: db)
    if isOther { db.observation.interestsDidChange(of: self) }
  }

  func databaseDidCommit(_ db: Database) {
    tracked.rows?.didCommit()
    guard tracked.takeChange() else { return }
    if !tracked.isOutdated(in: db), let value = rows.update(db) {
      updateCount += 1
      self.value = value
    } else {
      try? fetch(db)
    }
  }

  /// Fetches by the request itself.
  func fetchedValue(_ db: Database) throws -> Source.Value { try source.fetchAll(db) }
}
