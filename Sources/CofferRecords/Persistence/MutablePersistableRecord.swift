import CofferCore
import CofferQuery

/// A record that can be inserted, updated and deleted, and can store its rowid when it is inserted.
///
/// ```swift
/// struct Player: MutablePersistableRecord, Encodable {
///   var id: Int64?, name: String
///
///   mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
/// }
/// ```
///
/// For an insertion, the callbacks are called in this order: `willSave`, `aroundSave`,
/// `willInsert`, `aroundInsert`, the insertion, the end of `aroundInsert`, `didInsert`, the end of
/// `aroundSave`, `didSave`. For an update, `willUpdate`, `aroundUpdate` and `didUpdate` take the
/// places of the insertion's callbacks.
public protocol MutablePersistableRecord: EncodableRecord, TableRecord {
  /// The behavior when a constraint fails.
  ///
  /// By default, the statement fails.
  static var persistenceConflictPolicy: PersistenceConflictPolicy { get }

  /// Called before the record is inserted.
  mutating func willInsert(_ db: Database) throws

  /// Called around the insertion.
  ///
  /// It must call `insert` exactly once.
  func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws

  /// Called after the record has been inserted, so it can store its rowid.
  ///
  /// It isn't called if `OR IGNORE` has prevented the insertion.
  mutating func didInsert(_ inserted: InsertionSuccess)

  /// Called before the record is updated.
  ///
  /// - Parameter columns: The columns that are updated.
  func willUpdate(_ db: Database, columns: Set<String>) throws

  /// Called around the update.
  ///
  /// It must call `update` exactly once.
  func aroundUpdate(
    _ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess
  ) throws

  /// Called after the record has been updated.
  func didUpdate(_ updated: PersistenceSuccess)

  /// Called before the record is inserted or updated.
  func willSave(_ db: Database) throws

  /// Called around the insertion or update.
  ///
  /// It must call `save` exactly once.
  func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws

  /// Called after the record has been inserted or updated.
  func didSave(_ saved: PersistenceSuccess)

  /// Called before the record is deleted.
  func willDelete(_ db: Database) throws

  /// Called around the deletion.
  ///
  /// It must call `delete` exactly once.
  func aroundDelete(_ db: Database, delete: () throws -> Bool) throws

  /// Called after the deletion.
  ///
  /// - Parameter deleted: Whether a row was deleted.
  func didDelete(deleted: Bool)
}

extension MutablePersistableRecord {
  /// Makes the statement fail when a constraint fails.
  @inlinable
  public static var persistenceConflictPolicy: PersistenceConflictPolicy {
    PersistenceConflictPolicy()
  }

  /// Does nothing.
  @inlinable
  public mutating func willInsert(_ db: Database) throws {}

  /// Calls `insert`.
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

  /// Calls `update`.
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

  /// Calls `save`.
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

  /// Calls `delete`.
  @inlinable
  public func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
    _ = try delete()
  }

  /// Does nothing.
  @inlinable
  public func didDelete(deleted: Bool) {}
}
