import CofferCore

/// A request for rows of a table.
public protocol TableRequest: RequestSource where _Request == Self {
  /// The name of the table.
  var databaseTableName: String { get }
}

extension RequestSource {
  /// Returns the request with an alias for its table.
  public func aliased(_ alias: TableAlias<Void>) -> _Request {
    _with { $0.relation.aliases.append(alias) }
  }

  /// Returns the request with an alias for its table.
  public func aliased(_ alias: TableAlias<RowDecoder>) -> _Request {
    _with { $0.relation.aliases.append(alias) }
  }

  /// Returns the request for the row with a primary key; for no rows if it is nil.
  ///
  /// - Throws: Fetching throws if the primary key has several columns.
  @_disfavoredOverload
  public consuming func filter(key: any DatabaseValueConvertible) -> _Request {
    let value = key.databaseValue
    guard !value.isNull else { return none() }
    if let formed = _FormedValue(key), let record = Self.formingRecord {
      return filter(keyValues: [formed], of: record)
    }
    return filter(keyIn: SQLCollection([SQLExpression(value)]))
  }

  /// Returns the request for the rows with these primary keys.
  ///
  /// - Throws: Fetching throws if the primary key has several columns.
  @_disfavoredOverload
  public func filter<Key: DatabaseValueConvertible>(keys: any Collection<Key>) -> _Request {
    if _FormedValue.includes(Key.self), let record = Self.formingRecord {
      return filter(keyValues: keys.compactMap { _FormedValue($0) }, of: record)
    }
    return filter(keyIn: SQLCollection(keys.map { SQLExpression($0.databaseValue) }))
  }

  /// Returns the request for the row with a unique key, given by column names.
  ///
  /// If the key is nil, the request has no rows. It is the primary key or that of a unique index.
  ///
  /// ```swift
  /// Citizenship.all().filter(key: ["citizenId": 1, "countryCode": "FR"])
  /// ```
  ///
  /// - Throws: Fetching throws if the columns are not a unique key.
  public func filter(key: [String: (any DatabaseValueConvertible)?]?) -> _Request {
    guard let key else { return none() }
    return filter(keys: [key])
  }

  /// Returns the request for the rows with these unique keys, given by column names.
  ///
  /// - Throws: Fetching throws if the columns are not a unique key.
  public func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> _Request {
    guard !keys.isEmpty else { return none() }
    let record = Self.formingRecord
    let keys = keys.map { key in
      Dictionary(
        uniqueKeysWithValues: key.map { column, value in
          (column, value.map { record.stored($0, inColumn: column) } ?? .null)
        })
    }
    return filterInTable { db, table in
      try keys.map { key in
        try db.uniqueKeyColumns(Array(key.keys), ofTable: table).map { column in
          Column(column.name) == (key[column.key] ?? .null)
        }.joined(operator: .and)
      }.joined(operator: .or)
    }
  }

  /// The record type, if it specifies the stored form of keys.
  private static var formingRecord: (any _CodingKeyColumns.Type)? {
    RowDecoder.self as? any _CodingKeyColumns.Type
  }

  /// Returns the request for rows with these primary keys, in the record type's stored form.
  private func filter(
    keyValues values: [_FormedValue], of record: any _CodingKeyColumns.Type
  ) -> _Request {
    filterInTable { db, table in
      let column = try db.keyColumn(ofTable: table)
      let keys = values.map { SQLExpression(record._storedValue($0, inColumn: column)) }
      return SQLExpression(.key(SQLCollection(keys), table: table))
    }
  }

  private consuming func filter(keyIn keys: SQLCollection) -> _Request {
    _with { parts in
      let condition = SQLExpression(.key(keys, table: parts.relation.tableName))
      parts.relation.addFilter(condition)
    }
  }

  /// Returns the request with an additional condition, made from the database and the table's name.
  private func filterInTable(
    _ predicate: @escaping @Sendable (Database, _ table: String) throws -> SQLExpression
  ) -> _Request {
    _with { parts in
      let table = parts.relation.tableName
      let condition = SQLExpression(.deferred { try predicate($0, table) })
      parts.relation.addFilter(condition)
    }
  }

  /// Returns the request ordered by the primary key, or by the rowid without a primary key.
  public func orderByPrimaryKey() -> _Request {
    _with { parts in
      let table = parts.relation.tableName
      parts.relation.ordering = RelationOrdering {
        try $0.keyOrdering(of: table).map(\.sqlOrdering)
      }
    }
  }

  /// Returns the request with each row in a separate group.
  public func groupByPrimaryKey() -> _Request {
    _with { parts in
      let table = parts.relation.tableName
      parts.relation.grouping = [.made { try $0.rowIdentity(of: table) }]
    }
  }
}

extension RequestSource
where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
  /// Returns the request for the row with an identifier, which is the primary key.
  public func filter(id: RowDecoder.ID) -> _Request { filter(key: id) }

  /// Returns the request for the rows with these identifiers.
  @_disfavoredOverload
  public func filter(ids: any Collection<RowDecoder.ID>) -> _Request { filter(keys: ids) }
}

extension RequestSource where RowDecoder: Identifiable {
  /// Returns the request for the rows with these identifiers, of a type whose identifier is
  /// optional.
  @_disfavoredOverload
  public func filter<Key: DatabaseValueConvertible>(
    ids: [Key]
  ) -> _Request where RowDecoder.ID == Key? { filter(keys: ids) }
}

extension Optional where Wrapped == any _CodingKeyColumns.Type {
  /// Returns the form in which the record type stores a value.
  fileprivate func stored(
    _ value: some DatabaseValueConvertible, inColumn column: String
  ) -> DatabaseValue {
    guard let self, let formed = _FormedValue(value) else { return value.databaseValue }
    return self._storedValue(formed, inColumn: column)
  }
}
