import CofferCore

/// Columns of the most frequent types, fetched without a decoder.
enum PlainValues {
  /// - Returns: Nil for other types, and where a value isn't one of the type: a decoder tells then
  ///   what is wrong, or finds that nothing is.
  static func fetchAll<Value>(_ type: Value.Type, _ sql: SQL, _ db: Database) throws -> [Value]? {
    let values: Any? =
      switch type {
      case is Int.Type: try numbers(Int.self, sql, db)
      case is Int64.Type: try numbers(Int64.self, sql, db)
      case is Double.Type: try numbers(Double.self, sql, db)
      case is String.Type: try String.fetchAll(db, SQLRequest<String>(literal: sql))
      default: nil
      }
    return values.flatMap { $0 as? [Value] }
  }

  private static func numbers<Number: PlainNumber>(
    _ type: Number.Type, _ sql: SQL, _ db: Database
  ) throws -> [Number]? {
    let cursor = try StoredNumber<Number>.fetchCursor(db, SQLRequest<Never>(literal: sql))
    var numbers: [Number] = []
    while let stored = try cursor.next() {
      guard stored.isNumber else { return nil }
      numbers.append(stored.value)
    }
    return numbers
  }
}

/// A number that is stored in one way.
private protocol PlainNumber: DatabaseValueConvertible, StatementColumnConvertible {
  static var zero: Self { get }
  static var storageClass: CInt { get }
}

extension Int: PlainNumber {
  fileprivate static var storageClass: CInt { SQLite.integerType }
}

extension Int64: PlainNumber {
  fileprivate static var storageClass: CInt { SQLite.integerType }
}

extension Double: PlainNumber {
  fileprivate static var storageClass: CInt { SQLite.floatType }
}

/// A column's number, if it is stored as its type's numbers are.
private struct StoredNumber<Number: PlainNumber>: DatabaseValueConvertible,
  StatementColumnConvertible
{
  let value: Number
  let isNumber: Bool

  init(sqliteStatement: SQLiteStatement, index: CInt) {
    isNumber = SQLite.columnType(sqliteStatement, index) == Number.storageClass
    let number =
      isNumber ? Number.fromStatement(sqliteStatement, atUncheckedIndex: index) : nil
    value = number ?? .zero
  }

  static func fromStatement(
    _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
  ) -> StoredNumber? {
    StoredNumber(sqliteStatement: sqliteStatement, index: index)
  }

  var databaseValue: DatabaseValue { value.databaseValue }

  /// - Returns: Nil always: numbers are read from statements.
  static func fromDatabaseValue(_ dbValue: DatabaseValue) -> StoredNumber? { nil }
}
