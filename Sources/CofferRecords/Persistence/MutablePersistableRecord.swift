import CofferCore
import CofferQuery

/// A record that can be inserted, updated and deleted, and that learns its rowid when it is
/// inserted.
///
/// ```swift
/// struct Player: MutablePersistableRecord, Encodable {
///   var id: Int64?, name: String
///
///   mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
/// }
/// ```
///
/// Around an insertion, these are called in this order: `willSave`, `aroundSave`, `willInsert`,
/// `aroundInsert`, the insertion, the end of `aroundInsert`, `didInsert`, the end of `aroundSave`,
/// `didSave`. Around an update it is the same with `willUpdate`, `aroundUpdate` and `didUpdate`.
public protocol MutablePersistableRecord: EncodableRecord, TableRecord {
  /// What happens where a constraint fails; by default, the statement fails.
  static var persistenceConflictPolicy: PersistenceConflictPolicy { get }

  /// Called before the record is inserted.
  mutating func willInsert(_ db: Database) throws

  /// Called around the insertion: calls `insert`, and no more than once.
  func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws

  /// Called when the record has been inserted: the place to keep the rowid. An insertion that
  /// `OR IGNORE` has dropped doesn't call it.
  mutating func didInsert(_ inserted: InsertionSuccess)

  /// Called before the record is updated.
  ///
  /// - Parameter columns: The columns that are updated.
  func willUpdate(_ db: Database, columns: Set<String>) throws

  /// Called around the update: calls `update`, and no more than once.
  func aroundUpdate(
    _ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess
  ) throws

  /// Called when the record has been updated.
  func didUpdate(_ updated: PersistenceSuccess)

  /// Called before the record is inserted or updated.
  func willSave(_ db: Database) throws

  /// Called around the insertion or update: calls `save`, and no more than once.
  func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws

  /// Called when the record has been inserted or updated.
  func didSave(_ saved: PersistenceSuccess)

  /// Called before the record is deleted.
  func willDelete(_ db: Database) throws

  /// Called around the deletion: calls `delete`, and no more than once.
  func aroundDelete(_ db: Database, delete: () throws -> Bool) throws

  /// Called when the deletion is over.
  ///
  /// - Parameter deleted: Whether there was a row.
  func didDelete(deleted: Bool)
}

extension MutablePersistableRecord {
  /// Constraints make the statement fail.
  @inlinable
  public static var persistenceConflictPolicy: PersistenceConflictPolicy {
    PersistenceConflictPolicy()
  }

  /// Does nothing.
  @inlinable
  public mutating func willInsert(_ db: Database) throws {}

  /// Inserts.
  @inlinable
  public func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
    _ = try insert()
  }

  /// Does nothing.
  @inlinable
  public mutating func didInsert(_ inserted: InsertionSuccess) {}

  /// Does nothing.
  @inlinable
  public func willUpdate(_ db: Database, columns: Set<String>) throws {}

  /// Updates.
  @inlinable
  public func aroundUpdate(
    _ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess
  ) throws {
    _ = try update()
  }

  /// Does nothing.
  @inlinable
  public func didUpdate(_ updated: PersistenceSuccess) {}

  /// Does nothing.
  @inlinable
  public func willSave(_ db: Database) throws {}

  /// Saves.
  @inlinable
  public func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
    _ = try save()
  }

  /// Does nothing.
  @inlinable
  public func didSave(_ saved: PersistenceSuccess) {}

  /// Does nothing.
  @inlinable
  public func willDelete(_ db: Database) throws {}

  /// Deletes.
  @inlinable
  public func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
    _ = try delete()
  }

  /// Does nothing.
  @inlinable
  public func didDelete(deleted: Bool) {}
}
