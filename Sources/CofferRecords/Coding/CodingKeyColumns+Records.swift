import CofferCore
import CofferQuery

extension _CodingKeyColumns {
  /// The column that the record type's strategies give to a coding key.
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

  /// The form that the record type's strategies give to a value; that of its type for a type that
  /// isn't encoded by them.
  public static func _storedValue(
    _ value: _FormedValue, inColumn column: String
  ) -> DatabaseValue {
    guard let record = self as? any EncodableRecord.Type, !(self is any MappedRecord.Type) else {
      return value.databaseValue
    }
    // What can't be stored is in no row.
    return record.storedValue(value, inColumn: column) ?? .null
  }

  /// The one of the record type's `persistenceConflictPolicy`.
  public static var _updateConflictResolution: Database.ConflictResolution? {
    (self as? any MutablePersistableRecord.Type)?
      .persistenceConflictPolicy.conflictResolutionForUpdate
  }
}

extension EncodableRecord {
  /// The form that the strategies give to a value; nil for one that can't be stored.
  static func storedValue(_ value: _FormedValue, inColumn column: String) -> DatabaseValue? {
    switch value {
    case .date(let date): databaseDateEncodingStrategy(for: column).databaseValue(date)
    case .data(let data): databaseDataEncodingStrategy(for: column).databaseValue(data)
    case .uuid(let uuid): databaseUUIDEncodingStrategy(for: column).databaseValue(uuid)
    }
  }
}

extension _FormedValue {
  /// The form of the value's type.
  fileprivate var databaseValue: DatabaseValue {
    switch self {
    case .date(let date): date.databaseValue
    case .data(let data): data.databaseValue
    case .uuid(let uuid): uuid.databaseValue
    }
  }
}

extension DatabaseColumnDecodingStrategy {
  /// The column of a coding key, as far as it can be told without knowing the columns.
  fileprivate func likelyColumn(ofKey key: String) -> String {
    switch self {
    case .useDefaultKeys, .custom: key
    case .convertFromSnakeCase: SnakeCase.snakeCased(key)
    }
  }
}
