import Coffer
import Foundation
import Testing

/// What is printed of requests and of their parts.
@Suite struct RequestPrivacyTests {
  private struct Player: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
    enum Columns {
      static let id = Column("id")
      static let name = Column("name")
    }
    static let team = belongsTo(Team.self)
  }

  private struct Team: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
    static let players = hasMany(Player.self)
  }

  private static let marker = "geheim"

  /// All texts that Swift prints of a value.
  private func everything(about value: Any) -> String {
    var text = "\(value) \(String(reflecting: value)) \(String(describing: value)) "
    dump(value, to: &text)
    return text
  }

  @Test func `requests and their parts print no values`() throws {
    let name = Self.marker
    let filtered = Player.filter { $0.name == name }
    let values: [Any] = [
      filtered, filtered.order { ($0.name + name).desc }, filtered.select { $0.name ?? name },
      Player.filter([name, name + "2"].contains(Player.Columns.name)),
      Player.filter((0..<2000).map { "\(name)\($0)" }.contains(Player.Columns.name)),
      Player.filter(sql: "name = ?", arguments: [name]),
      Player.filter(literal: "name = \(name)"), Player.filter(key: ["name": name]),
      Player.all().group(Column("name")).having(Column("name") == name),
      Player.limit(3).filter { $0.name.hasPrefix(name) },
      Player.all().including(required: Player.team.filter { $0.name == name }),
      Team.including(all: Team.players.filter { $0.name == name }),
      Team.annotated(with: Team.players.filter { $0.name == name }.count),
      filtered.union(Player.filter { $0.name == name + "x" }),
      CommonTableExpression(named: "c", request: filtered),
      SQLRequest<Player>(sql: "SELECT ?", arguments: [name]),
      SQLRequest<Player>(literal: "SELECT \(name)"), SQL("SELECT \(name), \([name])"),
      SQL(sql: "SELECT ?", arguments: [name]), Column("name") == name, name.sqlExpression,
      Column("name").set(to: name), filtered.asRequest(of: Row.self),
      AnyFetchRequest(filtered), filtered.adapted { _ in SuffixRowAdapter(fromIndex: 0) },
      Player.Columns.name.like(name), filtered.sqlSubquery, [filtered], ["a": filtered] as Any,
    ]
    for value in values {
      let text = everything(about: value)
      #expect(!text.contains(Self.marker), "\(type(of: value)): \(text)")
    }
    #expect("\(SQL("SELECT \(name) FROM t"))" == "SELECT ? FROM t")
    #expect("\(SQLRequest<Row>(literal: "SELECT \(name)"))".contains("SELECT ?"))
    // The scan would find them.
    #expect(everything(about: StatementArguments([name])).contains(Self.marker))
  }

  @Test func `statements, cursors and errors print no arguments`() throws {
    let queue = try DatabaseQueue()
    try queue.write { db in
      try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE)")
      let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE name <> ?")
      try statement.setArguments([Self.marker])
      #expect(!everything(about: statement).contains(Self.marker))
      let cursor = try Row.fetchCursor(statement)
      #expect(!everything(about: cursor).contains(Self.marker))
      let player = Player(id: 1, name: Self.marker)
      try player.insert(db)
      for fail in [
        { try player.insert(db) },
        {
          try Player.filter { $0.name == Self.marker }.deleteAll(db); try player.insert(db);
          try player.insert(db)
        },
      ] {
        do {
          try fail()
          Issue.record("inserted")
        } catch {
          #expect(!everything(about: error).contains(Self.marker))
        }
      }
    }
  }
}
