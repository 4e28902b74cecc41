import Coffer
import Foundation

/// A record that needs no more than `Codable` for its typed columns.
struct TypedPlayer: Codable, TableRecord {
  enum Kind: String, Codable, DatabaseValueConvertible { case human, robot }
  struct Address: Codable { var city: String }

  var id: Int64
  var name: String
  var nick: String?
  var score: Int
  var bonus: Int?
  var ratio: Double
  var active: Bool
  var maybe: Bool?
  var kind: Kind
  var born: Date?
  var token: UUID?
  var picture: Data?
  var address: Address?

  enum CodingKeys: String, CodingKey {
    case id, nick, score, bonus, ratio, active, maybe, kind, born, token, picture, address
    case name = "full_name"
  }

  static let databaseTableName = "player"

  static let schema = """
    CREATE TABLE player (
      id INTEGER PRIMARY KEY, full_name TEXT, nick TEXT, score INTEGER, bonus INTEGER, ratio REAL,
      active BOOLEAN, maybe BOOLEAN, kind TEXT, born TEXT, token BLOB, picture BLOB, address TEXT);
    INSERT INTO player VALUES
      (1, 'Arthur', 'Art', 10, 1, 0.5, 1, 1, 'human', '2000-01-02 03:04:05.000', NULL, x'0102', NULL),
      (2, 'Barbara', NULL, 20, NULL, 1.5, 1, NULL, 'robot', NULL, NULL, NULL, NULL),
      (3, 'arthur', 'x', 30, 30, 2.5, 0, 0, 'human', '2010-01-01 00:00:00.000', NULL, x'', NULL);
    """
}

/// The numbers of the players that a request gives.
func ids(
  _ request: QueryInterfaceRequest<TypedPlayer>, _ db: Database
) throws -> [Int64] {
  try request.order { $0.id }.select { $0.id }.fetchAll(db)
}

/// The SQL of a request, values included.
func typedSQL<T>(_ request: QueryInterfaceRequest<T>, _ db: Database) throws -> String {
  let prepared = try request.makePreparedRequest(db, forSingleResult: false)
  return prepared.statement.sql + " \(prepared.statement.arguments)"
}
