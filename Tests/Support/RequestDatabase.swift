import Coffer
import Testing

/// Readers in an encrypted database, and the SQL that is executed there.
final class RequestDatabase {
  private let database: EncryptedQueue

  init(_ sql: String = RequestDatabase.readers) throws {
    database = try EncryptedQueue(sql)
  }

  static let readers = """
    CREATE TABLE readers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INT);
    INSERT INTO readers VALUES (1, 'Arthur', 42), (2, 'Barbara', 36), (3, 'Craig', NULL);
    """

  /// Executes `body`, and gives the last SQL it has executed, with the values in it.
  func sql(_ body: (Database) throws -> Void) throws -> String {
    try database.queue.inDatabase { db in
      let last = LastStatement()
      db.trace { event in
        if case .statement(let statement) = event { last.sql = statement.expandedSQL }
      }
      defer { db.trace(nil) }
      try body(db)
      return last.sql
    }
  }

  /// The SQL of a request with the values in it; SQLite executes it.
  func sql(_ request: some FetchRequest) throws -> String {
    try sql { db in _ = try Row.fetchAll(db, request) }
  }

  func use<T>(_ body: (Database) throws -> T) throws -> T {
    try database.queue.inDatabase(body)
  }

  private final class LastStatement: @unchecked Sendable {
    // SAFETY: the trace is called on the thread of the access.
    var sql = ""
  }
}
