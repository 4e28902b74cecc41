import CofferCore

extension RequestSource
where RowDecoder: TableRecord, _Record == RowDecoder, _Request == QueryInterfaceRequest<RowDecoder>
{
  /// Returns the request with a typed expression as its selection.
  ///
  /// Rows are decoded to the type of the expression.
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
  /// Returns a request that selects a typed expression.
  ///
  /// Rows are decoded to the type of the expression.
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
  /// Returns a column of the table.
  public subscript<Value>(
    dynamicMember keyPath: KeyPath<RowDecoder, Value>
  ) -> TypedExpression<Value> {
    self[RecordColumns<RowDecoder>[dynamicMember: keyPath]]
  }
}

extension TableAliasBase {
  /// Returns a typed expression whose columns belong to the table.
  public subscript<Value>(_ expression: some SQLTypedExpressible<Value>) -> TypedExpression<Value> {
    TypedExpression(self[expression.sqlExpression], form: expression._form)
  }
}
