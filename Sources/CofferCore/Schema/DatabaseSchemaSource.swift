/// What completes the schema where SQLite doesn't know it all.
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
  /// The columns that tell the rows of a view apart.
  ///
  /// Asked once, until the schema changes. They must be columns of the view, none of which is NULL.
  /// It may ask `db` about the schema.
  /// - Returns: Nil where the source doesn't know the view; an empty list where its rows have no key.
  func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]?
}

extension DatabaseSchemaSource {
  /// Knows no view.
  public func columnsForPrimaryKey(
    _ db: Database, inView view: DatabaseObjectID
  ) throws -> [String]? {
    nil
  }

  /// This source, and another one for what it doesn't know.
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
