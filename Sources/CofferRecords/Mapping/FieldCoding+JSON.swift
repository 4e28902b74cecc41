import CofferCore
import FoundationEssentials

/// Stores a `Codable` value as JSON text in one column: see ``Field/json(_:_:_:)``.
public enum JSONCoding<Value: Codable>: FieldCoding {
  /// Decodes the column's JSON, which is text or a blob.
  ///
  /// NULL is nil for an optional type.
  public static func read(_ row: FieldReader, at column: inout Int) throws -> Value {
    defer { column += 1 }
    let stored = row.databaseValue(at: column)
    if stored.isNull, let type = Value.self as? any AnyOptional.Type,
      let none = type.none as? Value
    {
      return none
    }
    guard let json = Data.fromDatabaseValue(stored),
      let value = try? JSONColumns.decoder.decode(Value.self, from: json)
    else { throw row.mismatch(Value.self, at: column) }
    return value
  }

  /// Writes the JSON, or NULL for nil.
  public static func write<Sink: FieldSink>(_ value: Value, to sink: inout Sink) throws {
    sink.set(try json(value))
  }

  private static func json(_ value: Value) throws -> String? {
    if let value = value as? any AnyOptional, value.wrapped == nil { return nil }
    return String(decoding: try JSONColumns.encoder.encode(value), as: UTF8.self)
  }
}

/// The JSON coders, the same as for other records.
private enum JSONColumns {
  static let encoder = String.databaseJSONEncoder()
  static let decoder = String.databaseJSONDecoder()
}
