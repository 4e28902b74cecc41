import CofferCore

/// What has been inserted: see ``MutablePersistableRecord/didInsert(_:)``.
public struct InsertionSuccess {
  /// The rowid of the row; without one, or where a conflict has been ignored, that of the last
  /// insertion of the connection.
  public var rowID: Int64

  @usableFromInline let stored: StoredValues
  /// Whether a conflict has kept the row away, without an error.
  @usableFromInline let isIgnored: Bool

  @inlinable
  init(rowID: Int64, stored: StoredValues, isIgnored: Bool = false) {
    self.rowID = rowID
    self.stored = stored
    self.isIgnored = isIgnored
  }

  /// The `INTEGER PRIMARY KEY` column, whose value is the rowid; nil for none.
  public var rowIDColumn: String? { stored.table.rowIDColumn }

  /// The values that have been inserted, with the rowid in its column.
  public var persistenceContainer: PersistenceContainer {
    var container = stored.container
    if let rowIDColumn, container.storedValue(rowIDColumn)?.isNull ?? true {
      container.collect(rowID.databaseValue, rowIDColumn)
    }
    return container
  }
}

/// What has been inserted or updated.
public struct PersistenceSuccess {
  @usableFromInline let stored: StoredValues
  /// Of an insertion.
  @usableFromInline let rowID: Int64?

  @inlinable
  init(_ stored: StoredValues) { (self.stored, rowID) = (stored, nil) }

  @inlinable
  init(_ inserted: InsertionSuccess) { (stored, rowID) = (inserted.stored, inserted.rowID) }

  /// The values that have been stored.
  public var persistenceContainer: PersistenceContainer {
    guard let rowID else { return stored.container }
    return InsertionSuccess(rowID: rowID, stored: stored).persistenceContainer
  }
}
