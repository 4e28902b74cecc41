import CofferCore

// Closures with typed columns for rows of any type: it needs no table of its own, and nothing
// but `Codable` for its coding keys. A `TableRecord` has closures of its own.
//
// ```swift
// struct Player: Codable { var name: String, score: Int }
// let names = Table<Player>("player").filter { $0.score > 10 }.select { $0.name }
// ```

extension FilteredRequest where Self: TypedRequest {
  /// The request with a condition more, on the stored properties of its rows' type.
  @_disfavoredOverload
  public func filter(
    _ predicate: (RecordColumns<RowDecoder>.Type) throws -> any SQLExpressible
  ) rethrows -> Self {
    try filter(predicate(RecordColumns<RowDecoder>.self).sqlExpression)
  }
}

extension OrderedRequest where Self: TypedRequest {
  /// The request ordered by a stored property of its rows' type.
  @_disfavoredOverload
  public func order(
    _ ordering: (RecordColumns<RowDecoder>.Type) throws -> any SQLOrderingTerm
  ) rethrows -> Self {
    try order([ordering(RecordColumns<RowDecoder>.self)])
  }

  /// The request ordered by stored properties of its rows' type.
  @_disfavoredOverload
  public func order(
    _ orderings: (RecordColumns<RowDecoder>.Type) throws -> [any SQLOrderingTerm]
  ) rethrows -> Self {
    try order(orderings(RecordColumns<RowDecoder>.self))
  }
}

extension AggregatingRequest where Self: TypedRequest {
  /// The request grouped by a stored property of its rows' type.
  @_disfavoredOverload
  public func group(
    _ expression: (RecordColumns<RowDecoder>.Type) throws -> any SQLExpressible
  ) rethrows -> Self {
    try group([expression(RecordColumns<RowDecoder>.self)])
  }

  /// The request with a condition more for groups, on stored properties of its rows' type.
  @_disfavoredOverload
  public func having(
    _ predicate: (RecordColumns<RowDecoder>.Type) throws -> any SQLExpressible
  ) rethrows -> Self {
    try having(predicate(RecordColumns<RowDecoder>.self).sqlExpression)
  }
}

extension QueryInterfaceRequest {
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

extension Table {
  /// A request with a condition on the stored properties of the rows' type.
  @_disfavoredOverload
  public func filter(
    _ predicate: (RecordColumns<RowDecoder>.Type) throws -> any SQLExpressible
  ) rethrows -> QueryInterfaceRequest<RowDecoder> {
    try all().filter(predicate(RecordColumns<RowDecoder>.self).sqlExpression)
  }

  /// A request ordered by a stored property of the rows' type.
  @_disfavoredOverload
  public func order(
    _ ordering: (RecordColumns<RowDecoder>.Type) throws -> any SQLOrderingTerm
  ) rethrows -> QueryInterfaceRequest<RowDecoder> {
    try all().order([ordering(RecordColumns<RowDecoder>.self)])
  }

  /// A request for a stored property of the rows' type, with rows of that property's type.
  @_disfavoredOverload
  public func select<Selection: SQLTypedExpressible>(
    _ selection: (RecordColumns<RowDecoder>.Type) throws -> Selection
  ) rethrows -> QueryInterfaceRequest<Selection.SQLValue> {
    try all().select([selection(RecordColumns<RowDecoder>.self)], as: Selection.SQLValue.self)
  }
}
