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
    guard try exists(db) else { return [] }
    return try String.fetchSet(db, sql: "SELECT identifier FROM main.\(name)")
  }

  /// Returns those of the given identifiers that the table contains.
  ///
  /// - Complexity: O(*n* log *m*) for *n* given identifiers and *m* in the table, so that a
  ///   migrator can ask again before each migration.
  static func identifiers(among candidates: Set<String>, _ db: Database) throws -> Set<String> {
    guard try exists(db) else { return [] }
    return try String.fetchSet(
      db, sql: "SELECT identifier FROM main.\(name) WHERE identifier IN (?)",
      arguments: [candidates])
  }

  /// Returns whether the main database has the table: an attached one may have another.
  ///
  /// - Complexity: O(1) in the size of the schema.
  private static func exists(_ db: Database) throws -> Bool {
    // Old versions of SQLite answer the pragma from a schema that may be outdated. Any query renews
    // it.
    _ = try Row.fetchOne(db, sql: "SELECT 1 FROM main.sqlite_master LIMIT 1")
    return try Row.fetchOne(db, sql: "PRAGMA main.table_info(\(name))") != nil
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
