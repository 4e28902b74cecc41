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

extension Table: DatabaseRegionConvertible {
  /// All columns of the table, in all of its rows.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    DatabaseRegion(table: tableName)
  }
}
