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
