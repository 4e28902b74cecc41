import CofferCore

/// A request for rows of a table.
public protocol TableRequest {
  /// The name of the table.
  var databaseTableName: String { get }

  /// The type that rows are decoded to.
  associatedtype RowDecoder

  /// The request with its table under an alias.
  func aliased(_ alias: TableAlias<Void>) -> Self

  /// The request with its table under an alias.
  func aliased(_ alias: TableAlias<RowDecoder>) -> Self
}

extension TableRequest where Self: FilteredRequest {
  /// The request for the row with a primary key; for no row where it is nil.
  ///
  /// - Throws: Fetching throws an error where the primary key has several columns.
  @_disfavoredOverload
  public func filter(key: any DatabaseValueConvertible) -> Self {
    let value = key.databaseValue
    guard !value.isNull else { return none() }
    if let formed = _FormedValue(key), let filtered = filter(keyValues: [formed]) {
      return filtered
    }
    return filter(keyValues: [value])
  }

  /// The request for the rows with a value in the primary key.
  ///
  /// - Throws: Fetching throws an error where the primary key has several columns.
  @_disfavoredOverload
  public func filter<Key: DatabaseValueConvertible>(keys: any Collection<Key>) -> Self {
    if _FormedValue.includes(Key.self),
      let filtered = filter(keyValues: keys.compactMap { _FormedValue($0) })
    {
      return filtered
    }
    return filter(keyValues: keys.map(\.databaseValue))
  }

  /// The request for the row with a unique key: the primary key or that of a
  /// unique index, by names of columns; for no row where it is nil.
  ///
  /// ```swift
  /// Citizenship.all().filter(key: ["citizenId": 1, "countryCode": "FR"])
  /// ```
  ///
  /// - Throws: Fetching throws an error where the columns are no unique key.
  public func filter(key: [String: (any DatabaseValueConvertible)?]?) -> Self {
    guard let key else { return none() }
    return filter(keys: [key])
  }

  /// The request for the rows with one of several unique keys, by names of columns.
  ///
  /// - Throws: Fetching throws an error where the columns are no unique key.
  public func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> Self {
    guard !keys.isEmpty else { return none() }
    let table = databaseTableName
    let record = RowDecoder.self as? any _CodingKeyColumns.Type
    let keys = keys.map { key in
      Dictionary(
        uniqueKeysWithValues: key.map { column, value in
          (column, value.map { record.stored($0, inColumn: column) } ?? .null)
        })
    }
    return filterWhenConnected { db in
      try keys.map { key in
        try db.uniqueKeyColumns(Array(key.keys), ofTable: table).map { column in
          Column(column.name) == (key[column.key] ?? .null)
        }.joined(operator: .and)
      }.joined(operator: .or)
    }
  }

  /// The request for rows with a value in the primary key, in the form that the record type stores
  /// it; nil where it says none.
  private func filter(keyValues values: [_FormedValue]) -> Self? {
    guard let record = RowDecoder.self as? any _CodingKeyColumns.Type else { return nil }
    // SAFETY: types are immutable.
    nonisolated(unsafe) let type = record
    let table = databaseTableName
    return filterWhenConnected { db in
      let column = try db.keyColumn(ofTable: table)
      let keys = values.map { SQLExpression(type._storedValue($0, inColumn: column)) }
      return SQLExpression(.key(SQLCollection(keys), table: table))
    }
  }

  private func filter(keyValues values: [DatabaseValue]) -> Self {
    let keys = SQLCollection(values.map { SQLExpression($0) })
    return filter(SQLExpression(.key(keys, table: databaseTableName)))
  }
}

extension TableRequest
where Self: FilteredRequest, RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
  /// The request for the row with an identifier, which is its primary key.
  public func filter(id: RowDecoder.ID) -> Self { filter(key: id) }

  /// The request for the rows with one of several identifiers.
  @_disfavoredOverload
  public func filter(ids: any Collection<RowDecoder.ID>) -> Self { filter(keys: ids) }
}

extension TableRequest where Self: OrderedRequest {
  /// The request in the order of the primary key: that of the rowid, where there is
  /// no other.
  public func orderByPrimaryKey() -> Self {
    let table = databaseTableName
    return orderWhenConnected { try $0.keyOrdering(of: table) }
  }
}

extension TableRequest where Self: AggregatingRequest {
  /// The request with each row in a group of its own.
  public func groupByPrimaryKey() -> Self {
    let table = databaseTableName
    return groupWhenConnected { db in
      try db.groupingColumns(of: table).map { Column($0) }
    }
  }
}

extension Optional where Wrapped == any _CodingKeyColumns.Type {
  /// What the record type stores for a value.
  fileprivate func stored(
    _ value: some DatabaseValueConvertible, inColumn column: String
  ) -> DatabaseValue {
    guard let self, let formed = _FormedValue(value) else { return value.databaseValue }
    return self._storedValue(formed, inColumn: column)
  }
}
