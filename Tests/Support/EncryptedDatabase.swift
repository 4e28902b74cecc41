import CofferCore

/// A writer of either kind on a new encrypted file, which goes with the last reference.
final class EncryptedDatabase: Sendable {
  enum Kind: CaseIterable, Sendable { case queue, pool }

  let writer: any DatabaseWriter
  private let owner: any Sendable

  init(_ kind: Kind, _ sql: String = "") throws {
    switch kind {
    case .queue:
      let database = try EncryptedQueue(sql)
      (writer, owner) = (database.queue, database)
    case .pool:
      let database = try EncryptedPool(sql)
      (writer, owner) = (database.pool, database)
    }
  }
}
