import Coffer
import CofferCore

/// The database of a session: what it needs to know of the file, and the pool that has it open.
package struct ArchivedDatabase: Sendable {
  let path: String
  let key: FileKey
  let checkpoints: CheckpointPolicy
  /// Whether the anchor of the pool says which checkpoints there were: nobody else may do any.
  let hasFreshness: Bool
  /// Tells the database's anchor how far the archive is; nil without one.
  let noteInAnchor: (@Sendable (_ end: ArchivedEnd, _ isComplete: Bool) -> Void)?
  /// Nil for a file that only other processes write to.
  let pool: DatabasePool?

  package init(_ pool: DatabasePool) throws {
    self.pool = pool
    (path, key, checkpoints) = (
      pool.path, try pool.fileKey(), pool.configuration.checkpointPolicy
    )
    (hasFreshness, noteInAnchor) = (pool.hasFreshness, try pool.anchorNote())
  }

  /// The database of a pool that is closed, so that its connections take no memory and no
  /// descriptors. The log stays.
  ///
  /// - Precondition: The pool has no freshness.
  package init(closing pool: DatabasePool) throws {
    precondition(!pool.hasFreshness)
    (path, key, checkpoints) = (
      pool.path, try pool.fileKey(), pool.configuration.checkpointPolicy
    )
    (hasFreshness, noteInAnchor, self.pool) = (false, nil, nil)
    try pool.keepLog()
    try pool.close()
  }
}
