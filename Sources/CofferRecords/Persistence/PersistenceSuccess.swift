import CofferCore

/// What has been inserted: see ``MutablePersistableRecord/didInsert(_:)``.
public struct InsertionSuccess {
  /// The rowid of the row; without one, or where a conflict has been ignored, that of the last
  /// insertion of the connection.
  public var rowID: Int64

  /// The `INTEGER PRIMARY KEY` column, whose value is the rowid; nil for none.
  public var rowIDColumn: String?

  /// The values that have been inserted.
  public var persistenceContainer: PersistenceContainer
}

/// What has been inserted or updated.
public struct PersistenceSuccess {
  /// The values that have been stored.
  public var persistenceContainer: PersistenceContainer
}
