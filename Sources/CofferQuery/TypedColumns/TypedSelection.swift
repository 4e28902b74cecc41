import CofferCore

extension RequestSource
where RowDecoder: TableRecord, _Record == RowDecoder, _Request == QueryInterfaceRequest<RowDecoder>
{
  /// The request with a typed expression for its selection, its rows decoded to
  /// that type.
  ///
  /// ```swift
  /// let scores = try Player.all().select { $0.score }.fetchAll(db)        // [Int]
  /// let best = try Player.all().select { max($0.score) }.fetchOne(db)
  /// ```
  public func select<Selection: SQLTypedExpressible>(
    _ selection: (DatabaseComponents) throws -> Selection
  ) rethrows -> TypedSelectionRequest<RowDecoder, Selection.SQLValue> {
    try TypedSelectionRequest(base: select([selection(RowDecoder.databaseComponents)]))
  }
}

extension TableRecord {
  /// A request for a typed expression, with rows of that type.
  ///
  /// ```swift
  /// let scores = try Player.select { $0.score }.fetchAll(db)  // [Int]
  /// ```
  public static func select<Selection: SQLTypedExpressible>(
    _ selection: (DatabaseComponents) throws -> Selection
  ) rethrows -> TypedSelectionRequest<Self, Selection.SQLValue> {
    try all().select(selection)
  }
}

extension TableAlias
where RowDecoder: TableRecord, RowDecoder.DatabaseComponents == RecordColumns<RowDecoder>.Type {
  /// A column of the table.
  public subscript<Value>(
    dynamicMember keyPath: KeyPath<RowDecoder, Value>
  ) -> TypedExpression<Value> {
    self[RecordColumns<RowDecoder>[dynamicMember: keyPath]]
  }
}

extension TableAliasBase {
  /// A typed expression with its columns taken from the table.
  public subscript<Value>(_ expression: some SQLTypedExpressible<Value>) -> TypedExpression<Value> {
    TypedExpression(self[expression.sqlExpression], form: expression._form)
  }
}
