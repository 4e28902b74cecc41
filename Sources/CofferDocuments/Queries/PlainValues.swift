import CofferCore

/// Columns of the most frequent types, fetched without a decoder.
enum PlainValues {
  /// - Returns: Nil for other types.
  static func fetchAll<Value>(_ type: Value.Type, _ sql: SQL, _ db: Database) throws -> [Value]? {
    let values: Any? =
      switch type {
      case is Int.Type: try Int.fetchAll(db, SQLRequest<Int>(literal: sql))
      case is Int64.Type: try Int64.fetchAll(db, SQLRequest<Int64>(literal: sql))
      case is Double.Type: try Double.fetchAll(db, SQLRequest<Double>(literal: sql))
      case is Bool.Type: try Bool.fetchAll(db, SQLRequest<Bool>(literal: sql))
      case is String.Type: try String.fetchAll(db, SQLRequest<String>(literal: sql))
      default: nil
      }
    return values.flatMap { $0 as? [Value] }
  }
}
