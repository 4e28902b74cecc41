import CofferCore

/// The definition of columns that reference the primary key of a table.
///
/// See ``TableDefinition/belongsTo(_:inTable:onDelete:onUpdate:deferred:indexed:)``.
public final class ForeignKeyDefinition {
  let name: String
  /// The referenced table; nil for the one with the definition's name, singular or plural.
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

  /// Adds NOT NULL constraints.
  @discardableResult
  public func notNull(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
    notNull = .some(conflictResolution)
    return self
  }

  /// Adds a unique constraint.
  @discardableResult
  public func unique() -> Self {
    isUnique = true
    return self
  }
}

/// A foreign key definition belongs to its table definition.
@available(*, unavailable)
extension ForeignKeyDefinition: Sendable {}
