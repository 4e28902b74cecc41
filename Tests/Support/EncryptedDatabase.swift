import CofferCore

/// A writer of either kind on a new encrypted file, which goes with the last reference.
final class EncryptedDatabase: Sendable {
  enum Kind: CaseIterable, Sendable { case queue, pool }

  let writer: any DatabaseWriter
  private let owner: any Sendable

  init(
    _ kind: Kind, _ sql: String = "", configure: (inout Configuration) -> Void = { _ in }
  ) throws {
    switch kind {
    case .queue:
      let database = try EncryptedQueue(sql, configure: configure)
      (writer, owner) = (database.queue, database)
    case .pool:
      let database = try EncryptedPool(sql, configure: configure)
      (writer, owner) = (database.pool, database)
    }
  }
}
