import CofferCore
import CofferQuery

extension MutablePersistableRecord {
  /// Deletes the row with the record's primary key.
  ///
  /// - Returns: Whether the row existed.
  @inlinable
  @discardableResult
  public func delete(_ db: Database) throws -> Bool {
    try withDeleteCallbacks(db) { try $0.deleteRow(db) }
  }

  /// Returns whether a row with the record's primary key exists.
  public func exists(_ db: Database) throws -> Bool { try existsRow(db) }
}
