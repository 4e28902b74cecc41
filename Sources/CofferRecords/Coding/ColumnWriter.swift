import CofferCore
import FoundationEssentials

/// Writes values of a type to a column, in a way that is chosen once.
final class ColumnWriter<Value>: SubjectSpecific {
  private let function: (Value, EncodedColumn, RecordWriting) throws -> Void

  init(_ function: @escaping (Value, EncodedColumn, RecordWriting) throws -> Void) {
    self.function = function
  }

  func write(_ value: Value, _ column: EncodedColumn, _ writing: RecordWriting) throws {
    try function(value, column, writing)
  }
}

/// Writes a type that only `encode(to:)` can encode, as a single value or as JSON.
private final class CodableValues<Value: Encodable> {
  private var encoder: ColumnEncoder?
  private var jsonEncoder: JSONEncoder?
  private let isUnordered = Value.self is any Unordered.Type
  private let isStrict: Bool

  init(isStrict: Bool) { self.isStrict = isStrict }

  func write(_ value: Value, _ column: EncodedColumn, _ writing: RecordWriting) throws {
    if !(Value.self is any JSONCollection.Type) {
      var encoder = self.encoder.take() ?? ColumnEncoder()
      encoder.begin(writing, column)
      // The encoder is reused, unless `encode(to:)` has kept it.
      defer {
        if isKnownUniquelyReferenced(&encoder) {
          encoder.end()
          self.encoder = encoder
        }
      }
      do { try value.encode(to: encoder) } catch  where encoder.needsJSON {}
      if !encoder.needsJSON {
        guard let result = encoder.result else {
          throw writing.invalid(value, column, "\(Value.self) has encoded nothing")
        }
        return try writing.set(isStrict ? result.distinctFromJSON : result, column)
      }
    }
    let jsonEncoder = self.jsonEncoder ?? writing.record.databaseJSONEncoder(for: column.name)
    self.jsonEncoder = jsonEncoder
    do {
      let unordered = isUnordered ? value as? any Unordered : nil
      let json = try unordered?.json(jsonEncoder) ?? jsonEncoder.encode(value)
      // JSONEncoder writes a Decimal that isn't a number as NaN.
      if json.contains(UInt8(ascii: "N")), !json.isJSON {
        throw writing.invalid(Decimal.nan, column, "JSON has no number for it")
      }
      try writing.set(String(decoding: json, as: UTF8.self), column)
    } catch let error as EncodingError { throw error.inside(of: column) }
  }
}

extension EncodingError {
  /// Returns the error with the column in front of the coding path inside the JSON.
  fileprivate func inside(of column: EncodedColumn) -> EncodingError {
    guard case .invalidValue(let value, let context) = self else { return self }
    return .invalidValue(
      value,
      Context(
        codingPath: [StringKey(column.name)] + context.codingPath,
        debugDescription: context.debugDescription, underlyingError: context.underlyingError))
  }
}

// MARK: - Choosing a writer

enum ColumnWriters {
  /// Returns a writer of a type's values to a column.
  static func writer<T: Encodable>(
    _ type: T.Type, column: String, _ record: any EncodableRecord.Type
  ) -> ColumnWriter<T> {
    let known: ColumnWriter<T>? = found(type, column: column, record)?.get()
    return known
      ?? ColumnWriter(CodableValues<T>(isStrict: record is any StrictlyDecoded.Type).write)
  }

  private static func found<T: Encodable>(
    _ type: T.Type, column: String, _ record: any EncodableRecord.Type
  ) -> KeptObject? {
    if type == Date.self {
      let strategy = record.databaseDateEncodingStrategy(for: column)
      if case .deferredToDate = strategy {} else { return strategyWriter(strategy.databaseValue) }
    }
    if type == Data.self {
      let strategy = record.databaseDataEncodingStrategy(for: column)
      if case .deferredToData = strategy {} else { return strategyWriter(strategy.databaseValue) }
    }
    if type == UUID.self {
      let strategy = record.databaseUUIDEncodingStrategy(for: column)
      if strategy != .deferredToUUID { return strategyWriter(strategy.databaseValue) }
    }
    // SQLite's integers can be too small for them.
    if type == UInt.self { return strategyWriter { (value: UInt) in value.storedValue } }
    if type == UInt64.self { return strategyWriter { (value: UInt64) in value.storedValue } }
    if let optional = type as? any AnyOptional.Type,
      let wrapped = optional.wrappedType as? any Encodable.Type
    {
      return optionalWriter(wrapped, column: column, record)
    }
    if let wrapper = type as? any ColumnWrapping.Type {
      return wrappingWriter(wrapper, column: column, record)
    }
    if record is any StrictlyDecoded.Type {
      if type == Double.self { return strategyWriter { (value: Double) in value.storedValue } }
      if type == Float.self { return strategyWriter { (value: Float) in value.storedValue } }
    }
    return (type as? any DatabaseValueConvertible.Type).map { valueWriter($0) }
  }

  /// Returns a writer of a type that is bound without conversion.
  private static func valueWriter<V: DatabaseValueConvertible>(_ type: V.Type) -> KeptObject {
    KeptObject(ColumnWriter<V> { try $2.set($0, $1) })
  }

  private static func strategyWriter<V>(_ convert: @escaping (V) -> DatabaseValue?) -> KeptObject {
    KeptObject(
      ColumnWriter<V> { value, column, writing in
        guard let dbValue = convert(value) else {
          let message = "SQLite, or the strategy, can't store this \(V.self)"
          throw writing.invalid(value, column, message)
        }
        try writing.set(dbValue, column)
      })
  }

  private static func optionalWriter<Wrapped: Encodable>(
    _ type: Wrapped.Type, column: String, _ record: any EncodableRecord.Type
  ) -> KeptObject {
    let writer = writer(type, column: column, record)
    return KeptObject(
      ColumnWriter<Wrapped?> { value, column, writing in
        guard let value else { return try writing.set(DatabaseValue.null, column) }
        try writer.write(value, column, writing)
      })
  }

  private static func wrappingWriter<Wrapper: ColumnWrapping>(
    _ type: Wrapper.Type, column: String, _ record: any EncodableRecord.Type
  ) -> KeptObject {
    let writer = writer(Wrapper.Value.self, column: column, record)
    return KeptObject(ColumnWriter<Wrapper> { try writer.write($0.wrappedValue, $1, $2) })
  }
}

extension Data {
  fileprivate var isJSON: Bool {
    unsafe withUnsafeBytes { JSONScanner.find(in: $0, at: "$") != nil }
  }
}

/// Types that always encode a list or a dictionary.
private protocol JSONCollection {}

extension Array: JSONCollection {}
extension Set: JSONCollection {}
extension Dictionary: JSONCollection {}

/// Types whose elements have no order, so that equal values can be encoded differently.
private protocol Unordered {
  /// Returns the same JSON for equal values; nil if the encoder does so itself.
  func json(_ encoder: JSONEncoder) throws -> Data?
}

extension Unordered {
  /// Returns a list of elements, ordered by their bytes.
  fileprivate func list(_ elements: [Data]) -> Data {
    let ordered = elements.sorted { $0.lexicographicallyPrecedes($1) }
    return Data("[".utf8) + Data(ordered.joined(separator: Data(",".utf8))) + Data("]".utf8)
  }

  /// Returns the JSON of a list, without its brackets.
  fileprivate func elements(_ list: some Encodable, _ encoder: JSONEncoder) throws -> Data {
    try encoder.encode(list).dropFirst().dropLast()
  }
}

extension Set: Unordered where Element: Encodable {
  fileprivate func json(_ encoder: JSONEncoder) throws -> Data? {
    list(try map { try elements([$0], encoder) })
  }
}

/// Keys that can't be names in JSON are encoded as a list, each before its value.
extension Dictionary: Unordered where Key: Encodable, Value: Encodable {
  fileprivate func json(_ encoder: JSONEncoder) throws -> Data? {
    let type: Any.Type = Key.self
    if type == String.self || type == Int.self || type is any CodingKeyRepresentable.Type {
      return nil
    }
    return list(
      try map { try elements([$0.key], encoder) + Data(",".utf8) + elements([$0.value], encoder) })
  }
}
