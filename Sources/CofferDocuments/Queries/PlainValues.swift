import CofferCore

/// Columns of the most frequent types, fetched without a decoder.
enum PlainValues {
  /// - Returns: Nil for other types, and where a value isn't one of the type: a decoder tells then
  ///   what is wrong, or finds that nothing is.
  static func fetchAll<Value>(_ type: Value.Type, _ sql: SQL, _ db: Database) throws -> [Value]? {
    let values: Any? =
      switch type {
      case is Int.Type: try plain(Int.self, sql, db)
      case is Int64.Type: try plain(Int64.self, sql, db)
      case is Double.Type: try plain(Double.self, sql, db)
      case is String.Type: try plain(String.self, sql, db)
      default: nil
      }
    return values.flatMap { $0 as? [Value] }
  }

  private static func plain<Value: PlainValue>(
    _ type: Value.Type, _ sql: SQL, _ db: Database
  ) throws -> [Value]? {
    let cursor = try StoredPlainly<Value>.fetchCursor(db, SQLRequest<Never>(literal: sql))
    var values: [Value] = []
    while let stored = try cursor.next() {
      guard let value = stored.value else { return nil }
      values.append(value)
    }
    return values
  }
}

/// A value that is stored in one way.
private protocol PlainValue: DatabaseValueConvertible, StatementColumnConvertible {
  static var storageClass: CInt { get }
}

extension Int: PlainValue {
  fileprivate static var storageClass: CInt { SQLite.integerType }
}

extension Int64: PlainValue {
  fileprivate static var storageClass: CInt { SQLite.integerType }
}

extension Double: PlainValue {
  fileprivate static var storageClass: CInt { SQLite.floatType }
}

extension String: PlainValue {
  fileprivate static var storageClass: CInt { SQLite.textType }
}

/// A column's value, if it is stored as its type's values are.
private struct StoredPlainly<Value: PlainValue>: DatabaseValueConvertible,
  StatementColumnConvertible
{
  let value: Value?

  init(sqliteStatement: SQLiteStatement, index: CInt) {
    let isPlain = SQLite.columnType(sqliteStatement, index) == Value.storageClass
    value = isPlain ? Value.fromStatement(sqliteStatement, atUncheckedIndex: index) : nil
  }

  static func fromStatement(
    _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
  ) -> StoredPlainly? {
    StoredPlainly(sqliteStatement: sqliteStatement, index: index)
  }

  var databaseValue: DatabaseValue { value?.databaseValue ?? .null }

  /// - Returns: Nil always: values are read from statements.
  static func fromDatabaseValue(_ dbValue: DatabaseValue) -> StoredPlainly? { nil }
}
