import CofferCore

/// A table, by name, from which requests can be made without a record type.
///
/// ```swift
/// let scores = try Table("player")
///   .filter(Column("teamId") == 1)
///   .select(Column("score"), as: Int.self)
///   .fetchAll(db)
/// ```
///
/// Rows are decoded to `Row`, unless another type is given: `Table<Player>("player")`.
public struct Table<RowDecoder>: Sendable {
  /// The name of the table.
  public let tableName: String
  private let selection: [SQLSelection]

  private init(_ tableName: String, selection: [any SQLSelectable]) {
    self.tableName = tableName
    self.selection = selection.map(\.sqlSelection)
  }

  /// The table of that name, with rows of a type.
  public init(_ tableName: String) { self.init(tableName, selection: [AllColumns()]) }

  /// A request for all rows of the table.
  public func all() -> QueryInterfaceRequest<RowDecoder> {
    QueryInterfaceRequest(
      relation: Relation(source: .table(tableName), selection: selection))
  }
}

extension Table<Row> {
  /// The table of that name.
  public init(_ tableName: String) { self.init(tableName, selection: [AllColumns()]) }
}

extension Table where RowDecoder: TableRecord {
  /// The table of that name, with rows of a type, of which its
  /// `databaseSelection` is fetched.
  public init(_ tableName: String) {
    self.init(tableName, selection: RowDecoder.databaseSelection)
  }
}

extension Table: RequestSource {
  /// The request for all rows, with something else in it.
  public func _with(_ change: (inout _RequestParts) -> Void) -> QueryInterfaceRequest<RowDecoder> {
    all()._with(change)
  }
}

extension Table: FetchRequest {
  /// The request for all rows, as a query inside of another one.
  public var sqlSubquery: SQLSubquery { all().sqlSubquery }

  /// The statement that gives all rows.
  public func makePreparedRequest(
    _ db: Database, forSingleResult singleResult: Bool
  ) throws -> PreparedRequest {
    try all().makePreparedRequest(db, forSingleResult: singleResult)
  }

  /// The number of rows.
  public func fetchCount(_ db: Database) throws -> Int { try all().fetchCount(db) }

  /// All columns of the table, in all of its rows.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    DatabaseRegion(table: tableName)
  }
}
