@testable import CofferCore
@testable import CofferQuery
import CofferTestSupport
import Testing

let hasFTS5 = SQLiteFeatures.linked.hasFTS5

extension Database {
  /// The SQL that an object of the schema was created with.
  func creationSQL(_ name: String) throws -> String? {
    try String.fetchOne(
      self,
      sql: """
        SELECT sql FROM (SELECT * FROM sqlite_master UNION ALL SELECT * FROM sqlite_temp_master)
        WHERE name = ?
        """, arguments: [name])
  }

  /// The rowids of the rows that match, in order.
  func matches(
    _ table: String, _ pattern: some DatabaseValueConvertible, rowID: String = "rowid"
  ) throws -> [Int] {
    try Int.fetchAll(
      self, sql: "SELECT \(rowID) FROM \(table) WHERE \(table) MATCH ? ORDER BY \(rowID)",
      arguments: [pattern])
  }

  /// Throws if the index doesn't match the content.
  func checkFullText(_ table: String) throws {
    try execute(sql: "INSERT INTO \(table)(\(table)) VALUES('integrity-check')")
  }

  /// The statements that create virtual tables and triggers in `body`.
  func tracedCreations(_ body: () throws -> Void) throws -> [String] {
    try statements(body).filter {
      $0.hasPrefix("CREATE VIRTUAL") || $0.hasPrefix("CREATE TRIGGER")
    }
  }
}
