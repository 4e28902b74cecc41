import CofferCore

// Closures with typed columns for rows of any `Codable` type, which need not conform to
// `TableRecord`. `TableRecord` types have their own overloads.
//
// ```swift
// struct Player: Codable { var name: String, score: Int }
// let names = Table<Player>("player").filter { $0.score > 10 }.select { $0.name }
// ```

extension RequestSource {
  /// Returns the request with an additional condition on stored properties of the row type.
  @_disfavoredOverload
  public func filter(
    _ predicate: (RecordColumns<RowDecoder>.Type) throws -> any SQLExpressible
  ) rethrows -> _Request {
    try filter(predicate(RecordColumns<RowDecoder>.self).sqlExpression)
  }

  /// Returns the request ordered by a stored property of the row type.
  @_disfavoredOverload
  public func order(
    _ ordering: (RecordColumns<RowDecoder>.Type) throws -> any SQLOrderingTerm
  ) rethrows -> _Request {
    try order([ordering(RecordColumns<RowDecoder>.self)])
  }

  /// Returns the request ordered by stored properties of the row type.
  @_disfavoredOverload
  public func order(
    _ orderings: (RecordColumns<RowDecoder>.Type) throws -> [any SQLOrderingTerm]
  ) rethrows -> _Request {
    try order(orderings(RecordColumns<RowDecoder>.self))
  }

  /// Returns the request grouped by a stored property of the row type.
  @_disfavoredOverload
  public func group(
    _ expression: (RecordColumns<RowDecoder>.Type) throws -> any SQLExpressible
  ) rethrows -> _Request {
    try group([expression(RecordColumns<RowDecoder>.self)])
  }

  /// Returns the request with an additional `HAVING` condition on stored properties.
  @_disfavoredOverload
  public func having(
    _ predicate: (RecordColumns<RowDecoder>.Type) throws -> any SQLExpressible
  ) rethrows -> _Request {
    try having(predicate(RecordColumns<RowDecoder>.self).sqlExpression)
  }
}

extension RequestSource where _Request == QueryInterfaceRequest<RowDecoder> {
  /// Returns a request that selects a stored property, or an expression on several of them.
  ///
  /// Rows are decoded to the type of the expression.
  @_disfavoredOverload
  public func select<Selection: SQLTypedExpressible>(
    _ selection: (RecordColumns<RowDecoder>.Type) throws -> Selection
  ) rethrows -> QueryInterfaceRequest<Selection.SQLValue> {
    try select([selection(RecordColumns<RowDecoder>.self)], as: Selection.SQLValue.self)
  }

  /// Updates the columns of stored properties of the row type.
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
