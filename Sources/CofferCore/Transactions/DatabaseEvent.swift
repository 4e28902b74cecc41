/// A kind of change that a statement can make to a table.
public enum DatabaseEventKind: Sendable, Hashable {
  /// Rows can be inserted.
  case insert(tableName: String)
  /// Rows can be deleted.
  case delete(tableName: String)
  /// These columns of rows can be updated.
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

  /// Returns whether both are equal except for their columns.
  func isSame(as other: DatabaseEventKind) -> Bool {
    eventKind == other.eventKind && tableName == other.tableName
  }
}

/// A change to one row.
public struct DatabaseEvent: Sendable, Hashable {
  /// A kind of change to a row.
  public enum Kind: CInt, Sendable, Hashable {
    /// The row was inserted.
    case insert = 18
    /// The row was deleted.
    case delete = 9
    /// The row was updated.
    case update = 23
  }

  /// The kind of change.
  public let kind: Kind

  /// `main`, `temp`, or the name of an attached database.
  public let databaseName: String

  /// The table, as written in its `CREATE TABLE` statement.
  public let tableName: String

  /// The rowid after the change.
  public let rowID: Int64

  /// Returns the event, which is a value and needs no copy.
  public func copy() -> DatabaseEvent { self }
}
