@testable import CofferCore

/// A table of players, which the tests of pools write to.
enum PoolPlayers {
  static let schema = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)"

  static func insert(_ db: Database, _ name: String = "Arthur") throws {
    try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: [name])
  }

  static func count(_ db: Database) throws -> Int? {
    try Int.fetchOne(db, sql: "SELECT count(*) FROM player")
  }
}
