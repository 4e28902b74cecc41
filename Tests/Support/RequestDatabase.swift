import Coffer

/// An encrypted database, of readers by default, that shows the SQL of requests.
package final class RequestDatabase {
  private let database: EncryptedQueue

  package init(_ sql: String = RequestDatabase.readers) throws {
    database = try EncryptedQueue(sql)
  }

  package static let readers = """
    CREATE TABLE readers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INT);
    INSERT INTO readers VALUES (1, 'Arthur', 42), (2, 'Barbara', 36), (3, 'Craig', NULL);
    """

  package func use<T>(_ body: (Database) throws -> T) throws -> T { try database.use(body) }

  /// The result of `body`, and the queries that it executes, with their values; the queries about
  /// the schema are left out.
  package func run<T>(_ body: (Database) throws -> T) throws -> (T, [String]) {
    try use { db in
      let (result, statements) = try db.tracing(expanded: true) { try body(db) }
      let queries = statements.filter {
        !$0.contains("sqlite_") && !$0.hasPrefix("PRAGMA") && !$0.hasPrefix("--")
      }
      return (result, queries)
    }
  }

  /// The last SQL that `body` executes, with its values.
  package func sql(_ body: (Database) throws -> Void) throws -> String {
    try use { db in try db.statements(expanded: true) { try body(db) }.last ?? "" }
  }

  /// The SQL of a request with its values; SQLite executes it.
  package func sql(_ request: some FetchRequest) throws -> String {
    try sql { db in _ = try Row.fetchAll(db, request) }
  }
}
