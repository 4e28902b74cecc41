import CofferCore
import FoundationEssentials

/// A `Codable` value as JSON text in one column: see ``Field/json(_:_:_:)``.
public struct JSONCoding<Value: Codable>: FieldCoding {
  init() {}

  /// The value of the column's JSON, in a text or a blob; nil for NULL, where there is nil.
  public func read(_ reader: FieldReader, at column: inout Int) throws -> Value {
    defer { column += 1 }
    let stored = reader.databaseValue(at: column)
    if stored.isNull, let none = nilValue { return none }
    guard let json = Data.fromDatabaseValue(stored),
      let value = try? JSONColumns.decoder.decode(Value.self, from: json)
    else { throw reader.mismatch(Value.self, at: column) }
    return value
  }

  /// Gives the column the JSON, or NULL for nil.
  public func write(_ value: Value, to writer: inout FieldWriter) throws {
    writer.set(try json(value))
  }

  private func json(_ value: Value) throws -> String? {
    if let value = value as? any OptionalValue, value.isNil { return nil }
    return String(decoding: try JSONColumns.encoder.encode(value), as: UTF8.self)
  }

  private var nilValue: Value? {
    (Value.self as? any OptionalValue.Type).flatMap { $0.nilValue as? Value }
  }
}

/// The coders of columns with JSON: as those of other records.
private enum JSONColumns {
  static let encoder = String.databaseJSONEncoder()
  static let decoder = String.databaseJSONDecoder()
}

/// `Optional`, whatever it wraps.
protocol OptionalValue {
  static var wrappedType: Any.Type { get }
  static var nilValue: Self { get }
  var isNil: Bool { get }
}

extension Optional: OptionalValue {
  static var wrappedType: Any.Type { Wrapped.self }
  static var nilValue: Wrapped? { nil }
  var isNil: Bool { self == nil }
}
