import CofferCore
import CofferQuery
import CofferRecords

/// Decodes values of any `Decodable` type from rows.
enum ExecutionResult {
  /// Decodes a value from all rows.
  static func value<T: Decodable>(_ type: T.Type, _ rows: RowCursor) throws -> T {
    if let list = type as? any RowListDecodable.Type {
      func open<L: RowListDecodable>(_ list: L.Type) throws -> any RowListDecodable {
        try L(rows: rows)
      }
      if let value = try open(list) as? T { return value }
    }
    guard let row = try rows.next() else {
      if let type = type as? any AnyOptional.Type, let value = type.none as? T { return value }
      throw DocumentError(
        "the SQL returned no row to decode \(type) from",
        hint: "Request an optional or an array if there may be no row.")
    }
    let result = try value(type, of: row)
    // A statement that writes must run to its end.
    while try rows.next() != nil {}
    return result
  }

  /// Decodes a value from one row.
  static func value<T: Decodable>(_ type: T.Type, of row: Row) throws -> T {
    if let composite = type as? any RowColumnsDecodable.Type {
      func open<C: RowColumnsDecodable>(_ type: C.Type) throws -> any RowColumnsDecodable {
        try C(columnsOf: row)
      }
      if let value = try open(composite) as? T { return value }
    }
    if isSingle(type) { return try SelectedValue<T>.value(of: row, at: 0) }
    return try DecodedRow<T>(row: row).value
  }

  /// Whether a type is decoded from one column.
  fileprivate static func isSingle<T: Decodable>(_ type: T.Type) -> Bool {
    type is any DatabaseValueConvertible.Type || !SampleRun.isKeyed(type)
  }
}

/// A type decoded from all rows.
private protocol RowListDecodable {
  init(rows: RowCursor) throws
}

/// A type decoded from the columns of a row by position or name.
private protocol RowColumnsDecodable {
  init(columnsOf row: Row) throws
}

extension Array: RowListDecodable where Element: Decodable {
  init(rows: RowCursor) throws {
    self = []
    while let row = try rows.next() { append(try ExecutionResult.value(Element.self, of: row)) }
  }
}

extension Array: RowColumnsDecodable where Element: Decodable {
  init(columnsOf row: Row) throws {
    self = try (0..<row.count).map { try SelectedValue<Element>.value(of: row, at: $0) }
  }
}

extension Dictionary: RowColumnsDecodable where Key == String, Value: Decodable {
  init(columnsOf row: Row) throws {
    self = [:]
    for (index, name) in row.columnNames.enumerated() where self[name] == nil {
      self[name] = try SelectedValue<Value>.value(of: row, at: index)
    }
  }
}

extension Optional: RowColumnsDecodable where Wrapped: Decodable {
  /// Nil for NULL only: if a struct can't be decoded from the row, that is an error.
  init(columnsOf row: Row) throws {
    let takesColumns =
      Wrapped.self is any RowColumnsDecodable.Type || !ExecutionResult.isSingle(Wrapped.self)
    self =
      takesColumns
      ? try ExecutionResult.value(Wrapped.self, of: row)
      : try SelectedValue<Wrapped?>.value(of: row, at: 0)
  }
}
