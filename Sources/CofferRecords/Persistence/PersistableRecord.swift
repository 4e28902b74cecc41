import CofferCore
import CofferQuery

/// A record that can be inserted, updated and deleted, and that insertions don't change.
public protocol PersistableRecord: MutablePersistableRecord {
  /// Called before the record is inserted.
  func willInsert(_ db: Database) throws

  /// Called after the record has been inserted.
  ///
  /// A `mutating` implementation would change a copy of the record: the first insertion throws
  /// then.
  func didInsert(_ inserted: InsertionSuccess)
}

extension PersistableRecord {
  /// Does nothing.
  @inlinable
  public func willInsert(_ db: Database) throws {}

  /// Does nothing.
  @inlinable
  public func didInsert(_ inserted: InsertionSuccess) { inserted.stored.defaultCallbackCount &+= 1 }
}
