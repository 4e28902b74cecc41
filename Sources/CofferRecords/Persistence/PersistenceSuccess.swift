import CofferCore

/// The result of an insertion: see ``MutablePersistableRecord/didInsert(_:)``.
public struct InsertionSuccess {
  /// The rowid of the row.
  ///
  /// If the table has no rowids, or a conflict was ignored, this is the rowid of the connection's
  /// last insertion.
  public var rowID: Int64

  @usableFromInline let stored: StoredValues
  /// Whether the row wasn't inserted because a conflict was ignored.
  @usableFromInline let isIgnored: Bool
  /// Whether the connection hasn't inserted a record of the type before.
  @usableFromInline let isFirst: Bool

  @inlinable
  init(rowID: Int64, stored: StoredValues, isIgnored: Bool = false, isFirst: Bool = false) {
    self.rowID = rowID
    self.stored = stored
    self.isIgnored = isIgnored
    self.isFirst = isFirst
  }

  /// The `INTEGER PRIMARY KEY` column, whose value is the rowid; nil if there is none.
  public var rowIDColumn: String? { stored.table.rowIDColumn }

  /// The inserted values, with the rowid in its column.
  public var persistenceContainer: PersistenceContainer {
    var container = stored.container
    if let rowIDColumn, container.storedValue(rowIDColumn)?.isNull ?? true {
      container.collect(rowID.databaseValue, rowIDColumn)
    }
    return container
  }
}

/// The result of an insertion or update.
public struct PersistenceSuccess {
  @usableFromInline let stored: StoredValues
  /// The rowid of an insertion.
  @usableFromInline let rowID: Int64?

  @inlinable
  init(_ stored: StoredValues) { (self.stored, rowID) = (stored, nil) }

  @inlinable
  init(_ inserted: InsertionSuccess) { (stored, rowID) = (inserted.stored, inserted.rowID) }

  /// The stored values.
  public var persistenceContainer: PersistenceContainer {
    guard let rowID else { return stored.container }
    return InsertionSuccess(rowID: rowID, stored: stored).persistenceContainer
  }
}
