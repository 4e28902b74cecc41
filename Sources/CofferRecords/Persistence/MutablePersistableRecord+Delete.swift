import CofferCore
import CofferQuery

extension MutablePersistableRecord {
  /// Deletes the row that has the record's primary key.
  ///
  /// - Returns: Whether there was one.
  @inlinable
  @discardableResult
  public func delete(_ db: Database) throws -> Bool {
    try withDeleteCallbacks(db) { try $0.deleteRow(db) }
  }

  /// Whether there is a row that has the record's primary key.
  public func exists(_ db: Database) throws -> Bool { try existsRow(db) }
}
