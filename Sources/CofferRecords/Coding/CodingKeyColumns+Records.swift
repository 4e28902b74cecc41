import CofferCore
import CofferQuery

extension _CodingKeyColumns {
  /// Returns the name of a coding key's column, by the record type's strategies.
  public static func _columnName(forCodingKey key: String) -> String {
    if let record = self as? any EncodableRecord.Type {
      let strategy = record.databaseColumnEncodingStrategy
      if case .useDefaultKeys = strategy {} else { return strategy.column(ofKey: StringKey(key)) }
    }
    if let record = self as? any FetchableRecord.Type {
      return record.databaseColumnDecodingStrategy.likelyColumn(ofKey: key)
    }
    return key
  }

  /// Returns the database value for a value, by the record type's strategies.
  ///
  /// If the type isn't encoded with strategies, this is the `databaseValue` of the value.
  public static func _storedValue(
    _ value: _FormedValue, inColumn column: String
  ) -> DatabaseValue {
    guard let record = self as? any EncodableRecord.Type, !(self is any MappedRecord.Type) else {
      return value.databaseValue
    }
    // A row can't contain a value that can't be stored.
    return record.storedValue(value, inColumn: column) ?? .null
  }

  /// The conflict resolution of updates in the record type's `persistenceConflictPolicy`.
  public static var _updateConflictResolution: Database.ConflictResolution? {
    (self as? any MutablePersistableRecord.Type)?
      .persistenceConflictPolicy.conflictResolutionForUpdate
  }
}

extension EncodableRecord {
  /// Returns the database value for a value, by the strategies; nil if it can't be stored.
  static func storedValue(_ value: _FormedValue, inColumn column: String) -> DatabaseValue? {
    switch value {
    case .date(let date): databaseDateEncodingStrategy(for: column).databaseValue(date)
    case .data(let data): databaseDataEncodingStrategy(for: column).databaseValue(data)
    case .uuid(let uuid): databaseUUIDEncodingStrategy(for: column).databaseValue(uuid)
    }
  }
}

extension _FormedValue {
  /// The `databaseValue` of the wrapped value.
  fileprivate var databaseValue: DatabaseValue {
    switch self {
    case .date(let date): date.databaseValue
    case .data(let data): data.databaseValue
    case .uuid(let uuid): uuid.databaseValue
    }
  }
}

extension DatabaseColumnDecodingStrategy {
  /// Returns the likely name of a coding key's column.
  ///
  /// The exact name can depend on the columns of a row.
  fileprivate func likelyColumn(ofKey key: String) -> String {
    switch self {
    case .useDefaultKeys, .custom: key
    case .convertFromSnakeCase: SnakeCase.snakeCased(key)
    }
  }
}
