import CofferCore
import CofferRecords
import FoundationEssentials

/// Converts values to the form in which documents store them.
enum DocumentValue {
  /// Returns the value that a column stores for a value of its property; NULL for nil.
  ///
  /// - Throws: ``DocumentError`` if the value can't be stored. The error doesn't show the value.
  static func databaseValue<V: Encodable>(
    of value: V, in column: DocumentColumn
  ) throws -> DatabaseValue {
    if column.isNested { return try nestedValue(of: value, in: column) }
    if let value = plainValue(of: value) { return value }
    if let optional = value as? any AnyOptional, optional.wrapped == nil { return .null }
    if let inner = inner(of: value) { return try databaseValue(of: inner, in: column) }
    do {
      return try ValueRecord(value: value).databaseDictionary[ValueRecord<V>.column] ?? .null
    } catch { throw cannotEncode(V.self, column) }
  }

  /// Returns the value with which a column is compared; NULL for nil.
  ///
  /// - Throws: ``DocumentError`` for NaN, and if the value can't be stored.
  static func compared<V: Encodable>(
    _ value: V, with column: DocumentColumn
  ) throws -> DatabaseValue {
    // No NaN, without asking for conformances, which is slow.
    if !column.isNested, V.self != Double.self, let value = plainValue(of: value) { return value }
    guard (value as? any BinaryFloatingPoint)?.isNaN != true else {
      throw DocumentError(
        "NaN can't be compared with \(column.description): nothing is equal to it, and none is stored",
        hint: "Filter with isNull: true to find nil.")
    }
    return try operand(of: value, in: column)
  }

  /// Returns the value of a side of a comparison; NULL for nil.
  ///
  /// - Throws: ``DocumentError`` if the value can't be stored.
  static func operand<V: Encodable>(
    of value: V, in column: DocumentColumn
  ) throws -> DatabaseValue {
    if !column.isNested, isUnsigned(V.self) {
      // A real compares with all integers like one that SQLite doesn't have.
      let number = value as? UInt64 ?? (value as? UInt).map { UInt64($0) }
      if let number, number > Int64.max { return Double(number).databaseValue }
    }
    return try databaseValue(of: value, in: column)
  }

  private static func isUnsigned(_ type: Any.Type) -> Bool {
    type == UInt64.self || type == UInt.self || type == UInt64?.self || type == UInt?.self
  }

  /// Returns the value with which an update sets a column; for a part of a column, its JSON.
  ///
  /// - Throws: ``DocumentError`` if the value can't be stored.
  static func assigned<V: Encodable>(
    _ value: V, to column: DocumentColumn
  ) throws -> DatabaseValue {
    column.isNested
      ? try json(of: value, in: column).databaseValue : try databaseValue(of: value, in: column)
  }

  /// Converts the most frequent types without an encoder.
  private static func plainValue<V>(of value: V) -> DatabaseValue? {
    // Asking for a conformance takes longer than all of the types.
    if V.self == Int.self { return (value as? Int)?.databaseValue }
    if V.self == String.self { return (value as? String)?.databaseValue }
    return switch V.self {
    case is Int64.Type, is UUID.Type, is Double.Type, is Bool.Type:
      (value as? any DatabaseValueConvertible)?.databaseValue
    case is Date.Type: (value as? Date)?.exactDatabaseValue
    default: nil
    }
  }

  /// Returns the other stored value that is read as this one: a number that is read as this text,
  /// where the property was a number once, or the earlier form of a date.
  ///
  /// - Parameter column: The column of the property; nil if it isn't known.
  static func other(_ value: DatabaseValue, in column: DocumentColumn? = nil) -> DatabaseValue? {
    if column?.isNested == true { return nil }
    return value.formerDate ?? number(readAs: value)
  }

  /// Returns the number that would be read as this text, if it is stored as a number: see
  /// ``StrictlyDecoded``.
  private static func number(readAs text: DatabaseValue) -> DatabaseValue? {
    guard case .string(let text) = text.storage, let first = text.utf8.first,
      first == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
    else { return nil }
    if let integer = Int64(text), "\(integer)" == text { return integer.databaseValue }
    if let real = Double(text), "\(real)" == text { return real.databaseValue }
    return nil
  }

  /// Returns the value inside an optional or a wrapper.
  private static func inner<V: Encodable>(of value: V) -> (any Encodable)? {
    switch value {
    case let optional as any AnyOptional: optional.wrapped as? any Encodable
    case let annotation as any ConfigurationAnnotation: annotation.wrappedValue
    default: nil
    }
  }

  /// Returns the value that `coffer_json` returns for a value.
  private static func nestedValue<V: Encodable>(
    of value: V, in column: DocumentColumn
  ) throws -> DatabaseValue {
    let stored = (V.self as? any AnyOptional.Type)?.wrappedType ?? V.self
    guard (stored as? any UnorderedValue.Type)?.hasAnyOrder != true else {
      throw DocumentError(
        "\(column.description) is a \(stored) inside a stored struct, where equal values have "
          + "several forms",
        hint: "Make it a property of the document itself, or store a sorted array.")
    }
    var path = "$"
    var json = try json(of: value, in: column)
    return json.withUTF8 { json in
      path.withUTF8 { path in
        JSONScanner.value(
          in: UnsafeRawBufferPointer(json), at: UnsafeRawBufferPointer(path), column.numbers)
      }
    }
  }

  /// Returns the JSON of a value inside a column's JSON.
  private static func json<V: Encodable>(of value: V, in column: DocumentColumn) throws -> String {
    do {
      // Encoded in a list, since encoders can refuse single values.
      let list = try ValueRecord<V>.databaseJSONEncoder(for: column.name).encode([value])
      return String(decoding: list.dropFirst().dropLast(), as: UTF8.self)
    } catch { throw cannotEncode(V.self, column) }
  }

  private static func cannotEncode(
    _ type: any Any.Type, _ column: DocumentColumn
  ) -> DocumentError {
    DocumentError(
      "the value of \(type) for \(column.description) can't be stored")
  }
}

/// A type whose JSON has no fixed order.
private protocol UnorderedValue {
  static var hasAnyOrder: Bool { get }
}

extension Set: UnorderedValue {
  fileprivate static var hasAnyOrder: Bool { true }
}

extension Dictionary: UnorderedValue {
  /// False for keys that become JSON names, which are sorted.
  fileprivate static var hasAnyOrder: Bool {
    let type: Any.Type = Key.self
    return type != String.self && type != Int.self && !(type is any CodingKeyRepresentable.Type)
  }
}

/// A record with one column.
private struct ValueRecord<Value: Encodable>: EncodableRecord, Encodable, StrictlyDecoded {
  static var column: String { "value" }
  static var decodedType: any Any.Type { Value.self }

  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
    .exact
  }

  let value: Value

  enum CodingKeys: CodingKey { case value }
}
