import CofferCore

/// Fetches columns of the most frequent types without a decoder.
enum PlainValues {
  /// - Returns: Nil for other types, and if a stored value has another storage class, so that only
  ///   a decoder can tell whether it can be converted.
  static func fetchAll<Value>(_ type: Value.Type, _ sql: SQL, _ db: Database) throws -> [Value]? {
    let values: Any? =
      switch type {
      case is Int.Type: try plain(Int.self, SQLite.integerType, sql, db)
      case is Int64.Type: try plain(Int64.self, SQLite.integerType, sql, db)
      case is Double.Type: try plain(Double.self, SQLite.floatType, sql, db)
      case is String.Type: try plain(String.self, SQLite.textType, sql, db)
      default: nil
      }
    return values.flatMap { $0 as? [Value] }
  }

  private static func plain<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ type: Value.Type, _ storageClass: CInt, _ sql: SQL, _ db: Database
  ) throws -> [Value]? {
    let cursor = try StoredPlainly<Value>.fetchCursor(db, SQLRequest<Never>(literal: sql))
    var values: [Value] = []
    while let stored = try cursor.next() {
      guard stored.storageClass == storageClass, let value = stored.value else { return nil }
      values.append(value)
    }
    return values
  }
}

/// The value of a column, and its storage class.
private struct StoredPlainly<Value: DatabaseValueConvertible & StatementColumnConvertible>:
  DatabaseValueConvertible, StatementColumnConvertible
{
  let storageClass: CInt
  let value: Value?

  @safe init(sqliteStatement: SQLiteStatement, index: CInt) {
    // Read before the value, which SQLite can convert.
    storageClass = SQLite.columnType(sqliteStatement, index)
    value = Value.fromStatement(sqliteStatement, atUncheckedIndex: index)
  }

  @safe static func fromStatement(
    _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
  ) -> StoredPlainly? {
    StoredPlainly(sqliteStatement: sqliteStatement, index: index)
  }

  var databaseValue: DatabaseValue { value?.databaseValue ?? .null }

  /// - Returns: Nil, since values are only read from statements.
  static func fromDatabaseValue(_ dbValue: DatabaseValue) -> StoredPlainly? { nil }
}
