import Coffer

/// The records of the tests of persistence, and their helpers.
enum Persisted {
  /// The schema of the tests of persistence.
  static let schema = """
    CREATE TABLE player (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, score INTEGER NOT NULL DEFAULT 1000);
    CREATE TABLE country (code TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE citizenship (playerID INTEGER, countryCode TEXT, since INTEGER,
      PRIMARY KEY (playerID, countryCode));
    CREATE TABLE note (text TEXT);
    CREATE TABLE event (id INTEGER PRIMARY KEY, text TEXT);
    """

  /// A record that gets its id when it is inserted.
  struct Player: MutablePersistableRecord, FetchableRecord, Equatable {
    static let databaseTableName = "player"

    var id: Int64?
    var name: String
    var score: Int

    init(_ name: String, _ score: Int = 0) { (self.name, self.score) = (name, score) }

    init(_ id: Int64, _ name: String, _ score: Int = 0) {
      (self.id, self.name, self.score) = (id, name, score)
    }

    init(row: Row) throws {
      (id, name, score) = (row["id"], row["name"], row["score"])
    }

    func encode(to container: inout PersistenceContainer) {
      container["id"] = id
      container["name"] = name
      container["score"] = score
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
  }

  /// A record without the column for the score.
  struct Name: PersistableRecord, FetchableRecord {
    static let databaseTableName = "player"

    var id: Int64?
    var name: String

    init(_ name: String) { self.name = name }

    init(_ id: Int64, _ name: String) { (self.id, self.name) = (id, name) }

    init(row: Row) throws { (id, name) = (row["id"], row["name"]) }

    func encode(to container: inout PersistenceContainer) {
      container["id"] = id
      container["name"] = name
    }
  }

  struct Country: PersistableRecord, FetchableRecord {
    static let databaseTableName = "country"

    var code: String, name: String

    init(_ code: String, _ name: String) { (self.code, self.name) = (code, name) }

    init(row: Row) throws { (code, name) = (row["code"], row["name"]) }

    func encode(to container: inout PersistenceContainer) {
      container["CODE"] = code
      container["Name"] = name
    }
  }

  struct Citizenship: PersistableRecord {
    static let databaseTableName = "citizenship"

    var playerID: Int64?, countryCode: String?, since: Int?

    func encode(to container: inout PersistenceContainer) {
      container["since"] = since
      container["countryCode"] = countryCode
      container["playerID"] = playerID
    }
  }

  struct Note: PersistableRecord {
    static let databaseTableName = "note"

    var text: String

    func encode(to container: inout PersistenceContainer) { container["text"] = text }
  }

  static func rows(_ db: Database, _ table: String) throws -> [Row] {
    try Row.fetchAll(db, sql: "SELECT * FROM \(table) ORDER BY 1")
  }
}
