import CofferCore

/// The table of the identifiers of applied migrations, compatible with GRDB.
enum MigrationTable {
  static let name = "grdb_migrations"

  static func create(_ db: Database) throws {
    try db.execute(
      sql: "CREATE TABLE IF NOT EXISTS main.\(name) (identifier TEXT NOT NULL PRIMARY KEY)")
  }

  /// Returns the identifiers; none if the table doesn't exist.
  static func identifiers(_ db: Database) throws -> Set<String> {
    // Only in the main database: an attached one may have a migration table too.
    let exists = try Bool.fetchOne(
      db,
      sql: "SELECT 1 FROM main.sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE",
      arguments: [name])
    guard exists != nil else { return [] }
    return try String.fetchSet(db, sql: "SELECT identifier FROM main.\(name)")
  }

  static func insert(_ identifier: String, _ db: Database) throws {
    try db.execute(
      sql: "INSERT INTO main.\(name) (identifier) VALUES (?)", arguments: [identifier])
  }

  static func delete(_ identifiers: Set<String>, _ db: Database) throws {
    for identifier in identifiers {
      try db.execute(
        sql: "DELETE FROM main.\(name) WHERE identifier = ?", arguments: [identifier])
    }
  }
}
