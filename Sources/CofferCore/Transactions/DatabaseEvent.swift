/// A kind of change that a statement may make to a table.
public enum DatabaseEventKind: Sendable, Hashable {
  /// Rows may be inserted.
  case insert(tableName: String)
  /// Rows may be deleted.
  case delete(tableName: String)
  /// These columns of rows may be updated.
  case update(tableName: String, columnNames: Set<String>)

  /// The table.
  public var tableName: String {
    switch self {
    case .insert(let tableName), .delete(let tableName), .update(let tableName, _): tableName
    }
  }

  var eventKind: DatabaseEvent.Kind {
    switch self {
    case .insert: .insert
    case .delete: .delete
    case .update: .update
    }
  }

  /// Whether the two differ in nothing but columns.
  func isSame(as other: DatabaseEventKind) -> Bool {
    eventKind == other.eventKind && tableName == other.tableName
  }
}

/// A change to one row.
public struct DatabaseEvent: Sendable, Hashable {
  /// What happened to a row.
  public enum Kind: CInt, Sendable, Hashable {
    /// It was inserted.
    case insert = 18
    /// It was deleted.
    case delete = 9
    /// It was updated.
    case update = 23
  }

  /// What happened to the row.
  public let kind: Kind

  /// `main`, `temp`, or the name of an attached database.
  public let databaseName: String

  /// The table, as its `CREATE TABLE` has written it.
  public let tableName: String

  /// The row, after the change.
  public let rowID: Int64

  package init(kind: Kind, databaseName: String, tableName: String, rowID: Int64) {
    self.kind = kind
    self.databaseName = databaseName
    self.tableName = tableName
    self.rowID = rowID
  }

  /// The same event: it can be kept as it is.
  public func copy() -> DatabaseEvent { self }
}
