import Coffer
import CofferTestSupport

/// A store in a new encrypted file, which goes with the last reference.
final class EncryptedStore: Sendable {
  struct Note: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var text: String
  }

  let store: DocumentStore
  let database: EncryptedDatabase

  init(_ kind: EncryptedDatabase.Kind = .pool, _ sql: String = "") throws {
    database = try EncryptedDatabase(kind, sql)
    store = DocumentStore(database.writer)
  }

  /// Another store of the same queue or pool, as the next start of a program would have it.
  func again(autoDropColumns: Bool = false) -> DocumentStore {
    DocumentStore(database.writer, autoDropColumns: autoDropColumns)
  }

  /// The names of the table's indexes, in order.
  func indexes(_ table: String) throws -> [String] {
    try database.writer.read { db in
      try String.fetchAll(
        db,
        sql: """
          SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ? ORDER BY name
          """, arguments: [table])
    }
  }

  func columns(_ table: String) throws -> [String] {
    try database.writer.read { try $0.columns(in: table).map(\.name) }
  }
}
