import CofferCore

/// A table referred to by name, for requests without a record type.
///
/// ```swift
/// let scores = try Table("player")
///   .filter(Column("teamId") == 1)
///   .select(Column("score"), as: Int.self)
///   .fetchAll(db)
/// ```
///
/// Rows are decoded to `Row` unless another type is given: `Table<Player>("player")`.
public struct Table<RowDecoder>: Sendable {
  /// The name of the table.
  public let tableName: String
  private let selection: [SQLSelection]

  private init(_ tableName: String, selection: [any SQLSelectable]) {
    self.tableName = tableName
    self.selection = selection.map(\.sqlSelection)
  }

  /// Creates a table from its name, with rows decoded to a type.
  public init(_ tableName: String) { self.init(tableName, selection: [AllColumns()]) }

  /// Returns a request for all rows of the table.
  public func all() -> QueryInterfaceRequest<RowDecoder> {
    QueryInterfaceRequest(
      relation: Relation(source: .table(tableName), selection: selection))
  }
}

extension Table<Row> {
  /// Creates a table from its name.
  public init(_ tableName: String) { self.init(tableName, selection: [AllColumns()]) }
}

extension Table where RowDecoder: TableRecord {
  /// Creates a table from its name, with rows decoded to a record type and its `databaseSelection`.
  public init(_ tableName: String) {
    self.init(tableName, selection: RowDecoder.databaseSelection)
  }
}

extension Table: RequestSource {
  /// Returns the request for all rows, with changed parts.
  public func _with(_ change: (inout _RequestParts) -> Void) -> QueryInterfaceRequest<RowDecoder> {
    all()._with(change)
  }
}

extension Table: FetchRequest {
  /// The request for all rows as a subquery.
  public var sqlSubquery: SQLSubquery { all().sqlSubquery }

  /// Returns the statement for all rows.
  public func makePreparedRequest(
    _ db: Database, forSingleResult singleResult: Bool
  ) throws -> PreparedRequest {
    try all().makePreparedRequest(db, forSingleResult: singleResult)
  }

  /// Returns the number of rows.
  public func fetchCount(_ db: Database) throws -> Int { try all().fetchCount(db) }

  /// Returns the whole table as a region, or all that a view reads.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    try db.region(ofTable: tableName)
  }
}
