import CofferCore

extension Table where RowDecoder == Row {
  /// A cursor over all rows of the table.
  public func fetchCursor(_ db: Database) throws -> RowCursor { try all().fetchCursor(db) }

  /// All rows of the table.
  public func fetchAll(_ db: Database) throws -> [Row] { try all().fetchAll(db) }

  /// The first row of the table; nil where there is none.
  public func fetchOne(_ db: Database) throws -> Row? { try all().fetchOne(db) }
}

extension Table where RowDecoder == Row {
  /// The distinct rows of the table.
  public func fetchSet(_ db: Database) throws -> Set<Row> { try all().fetchSet(db) }
}

extension Table where RowDecoder: DatabaseValueConvertible {
  /// A cursor over all values of the table.
  public func fetchCursor(_ db: Database) throws -> DatabaseValueCursor<RowDecoder> {
    try all().fetchCursor(db)
  }

  /// All values of the table.
  public func fetchAll(_ db: Database) throws -> [RowDecoder] { try all().fetchAll(db) }

  /// The first value of the table; nil where there is none.
  public func fetchOne(_ db: Database) throws -> RowDecoder? { try all().fetchOne(db) }
}

extension Table where RowDecoder: DatabaseValueConvertible & Hashable {
  /// The distinct values of the table.
  public func fetchSet(_ db: Database) throws -> Set<RowDecoder> { try all().fetchSet(db) }
}
