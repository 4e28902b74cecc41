import CofferCore

// Closures with typed columns for rows of any type: it needs no table of its own, and nothing
// but `Codable` for its coding keys. A `TableRecord` has closures of its own.
//
// ```swift
// struct Player: Codable { var name: String, score: Int }
// let names = Table<Player>("player").filter { $0.score > 10 }.select { $0.name }
// ```

extension RequestSource {
  /// The request with a condition more, on the stored properties of its rows' type.
  @_disfavoredOverload
  public func filter(
    _ predicate: (RecordColumns<RowDecoder>.Type) throws -> any SQLExpressible
  ) rethrows -> _Request {
    try filter(predicate(RecordColumns<RowDecoder>.self).sqlExpression)
  }

  /// The request ordered by a stored property of its rows' type.
  @_disfavoredOverload
  public func order(
    _ ordering: (RecordColumns<RowDecoder>.Type) throws -> any SQLOrderingTerm
  ) rethrows -> _Request {
    try order([ordering(RecordColumns<RowDecoder>.self)])
  }

  /// The request ordered by stored properties of its rows' type.
  @_disfavoredOverload
  public func order(
    _ orderings: (RecordColumns<RowDecoder>.Type) throws -> [any SQLOrderingTerm]
  ) rethrows -> _Request {
    try order(orderings(RecordColumns<RowDecoder>.self))
  }

  /// The request grouped by a stored property of its rows' type.
  @_disfavoredOverload
  public func group(
    _ expression: (RecordColumns<RowDecoder>.Type) throws -> any SQLExpressible
  ) rethrows -> _Request {
    try group([expression(RecordColumns<RowDecoder>.self)])
  }

  /// The request with a condition more for groups, on stored properties of its rows' type.
  @_disfavoredOverload
  public func having(
    _ predicate: (RecordColumns<RowDecoder>.Type) throws -> any SQLExpressible
  ) rethrows -> _Request {
    try having(predicate(RecordColumns<RowDecoder>.self).sqlExpression)
  }
}

extension RequestSource where _Request == QueryInterfaceRequest<RowDecoder> {
  /// The request for a stored property of its rows' type, or what is made of several, with rows
  /// of that type.
  @_disfavoredOverload
  public func select<Selection: SQLTypedExpressible>(
    _ selection: (RecordColumns<RowDecoder>.Type) throws -> Selection
  ) rethrows -> QueryInterfaceRequest<Selection.SQLValue> {
    try select([selection(RecordColumns<RowDecoder>.self)], as: Selection.SQLValue.self)
  }

  /// Updates stored properties of its rows' type.
  ///
  /// - Returns: The number of updated rows.
  @_disfavoredOverload
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (RecordColumns<RowDecoder>.Type) throws -> [ColumnAssignment]
  ) throws -> Int {
    try updateAll(
      db, onConflict: conflictResolution, assignments(RecordColumns<RowDecoder>.self))
  }
}
