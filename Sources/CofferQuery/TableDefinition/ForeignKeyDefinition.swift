import CofferCore

/// Columns that refer to the primary key of a table; see
/// ``TableDefinition/belongsTo(_:inTable:onDelete:onUpdate:deferred:indexed:)``.
public final class ForeignKeyDefinition {
  let name: String
  /// Nil for the table of that name, in the singular or the plural.
  let table: String?
  let actions: ReferenceActions
  let isIndexed: Bool
  private(set) var notNull: Database.ConflictResolution??
  private(set) var isUnique = false

  init(_ name: String, table: String?, actions: ReferenceActions, isIndexed: Bool) {
    self.name = name
    self.table = table
    self.actions = actions
    self.isIndexed = isIndexed
  }

  /// Refuses rows that refer to nothing.
  @discardableResult
  public func notNull(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
    notNull = .some(conflictResolution)
    return self
  }

  /// Refuses two rows that refer to the same one.
  @discardableResult
  public func unique() -> Self {
    isUnique = true
    return self
  }
}

/// It belongs to the definition that it was made by.
@available(*, unavailable)
extension ForeignKeyDefinition: Sendable {}
