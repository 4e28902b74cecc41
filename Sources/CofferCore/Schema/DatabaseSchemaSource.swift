/// Completes the schema where SQLite doesn't know all of it.
///
/// ```swift
/// struct ViewKeys: DatabaseSchemaSource {
///   func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) -> [String]? {
///     view.name == "playerSummary" ? ["playerId"] : nil
///   }
/// }
/// configuration.schemaSource = ViewKeys()
/// ```
public protocol DatabaseSchemaSource: Sendable {
  /// Returns the columns that identify the rows of a view.
  ///
  /// Called once, until the schema changes. The columns must belong to the view and contain no
  /// NULL. The method can query the schema through `db`.
  /// - Returns: Nil if the source doesn't know the view; an empty list if its rows have no key.
  func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]?
}

extension DatabaseSchemaSource {
  /// Returns nil for all views.
  public func columnsForPrimaryKey(
    _ db: Database, inView view: DatabaseObjectID
  ) throws -> [String]? {
    nil
  }

  /// Combines this source with another one for the views that it doesn't know.
  public func then(_ other: some DatabaseSchemaSource) -> some DatabaseSchemaSource {
    SchemaSourcePair(first: self, second: other)
  }
}

private struct SchemaSourcePair<
  First: DatabaseSchemaSource, Second: DatabaseSchemaSource
>: DatabaseSchemaSource {
  let first: First
  let second: Second

  func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? {
    try first.columnsForPrimaryKey(db, inView: view)
      ?? second.columnsForPrimaryKey(db, inView: view)
  }
}
