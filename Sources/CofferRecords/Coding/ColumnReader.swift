import CofferCore
import FoundationEssentials

/// Reads values of a type from a column, in a way that is chosen once.
class ColumnReader<Value>: SubjectSpecific {
  /// Reads the value.
  ///
  /// Some types accept NULL.
  func read(_ reading: RowReading, _ slot: KeySlot) throws -> Value {
    preconditionFailure("overridden")
  }

  /// Reads the value; nil if it is a NULL that the type doesn't accept.
  func readIfPresent(_ reading: RowReading, _ slot: KeySlot) throws -> Value? {
    try reading.isNull(slot) ? nil : read(reading, slot)
  }
}

/// Reads a type that is stored as one value, directly from the statement if there is one.
final class ValueColumnReader<Value: DatabaseValueConvertible>: ColumnReader<Value> {
  override func read(_ reading: RowReading, _ slot: KeySlot) throws -> Value {
    if let value = try reading.value(Value.self, slot) { return value }
    throw try reading.mismatch(Value.self, slot)
  }

  override func readIfPresent(_ reading: RowReading, _ slot: KeySlot) throws -> Value? {
    if let value = try reading.value(Value.self, slot) { return value }
    if try reading.isNull(slot) { return nil }
    throw try reading.mismatch(Value.self, slot)
  }
}

/// Reads a type with a function, such as a strategy of the record.
final class FunctionColumnReader<Value>: ColumnReader<Value> {
  private let function: (RowReading, KeySlot) throws -> Value

  init(_ function: @escaping (RowReading, KeySlot) throws -> Value) { self.function = function }

  override func read(_ reading: RowReading, _ slot: KeySlot) throws -> Value {
    try function(reading, slot)
  }
}

/// Reads an optional with the reader of its wrapped type.
final class OptionalColumnReader<Wrapped>: ColumnReader<Wrapped?> {
  private let reader: ColumnReader<Wrapped>

  init(_ reader: ColumnReader<Wrapped>) { self.reader = reader }

  override func read(_ reading: RowReading, _ slot: KeySlot) throws -> Wrapped? {
    try reader.readIfPresent(reading, slot)
  }

  // NULL is nil of the outermost optional.
  override func readIfPresent(_ reading: RowReading, _ slot: KeySlot) throws -> Wrapped?? {
    try reader.readIfPresent(reading, slot).map { .some($0) }
  }
}

// MARK: - Choosing a reader

enum ColumnReaders {
  /// Returns a reader of a type's values in a column.
  static func reader<T: Decodable>(
    _ type: T.Type, column: String, _ rules: DecodingRules
  ) -> ColumnReader<T> {
    let known: ColumnReader<T>? = found(type, column: column, rules)?.get()
    return known ?? CodableColumnReader<T>()
  }

  private static func found<T: Decodable>(
    _ type: T.Type, column: String, _ rules: DecodingRules
  ) -> KeptObject? {
    if type == Date.self {
      let strategy = rules.record.databaseDateDecodingStrategy(for: column)
      if case .deferredToDate = strategy {} else { return strategyReader(strategy.date(from:)) }
    }
    if type == Data.self,
      case .custom(let convert) = rules.record.databaseDataDecodingStrategy(for: column)
    {
      return strategyReader(convert)
    }
    if let optional = type as? any AnyOptional.Type,
      let wrapped = optional.wrappedType as? any Decodable.Type
    {
      return optionalReader(wrapped, column: column, rules)
    }
    if let convertible = type as? any DatabaseValueConvertible.Type {
      return valueReader(convertible, rules)
    }
    return nil
  }

  private static func optionalReader<Wrapped: Decodable>(
    _ type: Wrapped.Type, column: String, _ rules: DecodingRules
  ) -> KeptObject {
    KeptObject(OptionalColumnReader<Wrapped>(reader(type, column: column, rules)))
  }

  private static func valueReader<V: DatabaseValueConvertible>(
    _ type: V.Type, _ rules: DecodingRules
  ) -> KeptObject {
    let stored = storedType(type)
    let isText = stored == String.self
    guard rules.isStrict, type is any StatementColumnConvertible.Type,
      isText || stored is any Numeric.Type || stored == Bool.self
    else { return KeptObject(ValueColumnReader<V>()) }
    return KeptObject(
      FunctionColumnReader { try isText ? $0.text(V.self, $1) : $0.number(V.self, $1) })
  }

  private static func strategyReader<V>(_ convert: @escaping (DatabaseValue) -> V?) -> KeptObject {
    KeptObject(
      FunctionColumnReader<V> { reading, slot in
        if let value = convert(try reading.databaseValue(slot)) { return value }
        throw try reading.mismatch(V.self, slot)
      })
  }

  /// Returns the type whose values are stored for the values of a type.
  private static func storedType(_ type: any Any.Type) -> any Any.Type {
    func wrapped<W: ColumnWrapping>(_ type: W.Type) -> any Any.Type { W.Value.self }
    func raw<R: RawRepresentable>(_ type: R.Type) -> any Any.Type { R.RawValue.self }
    if let wrapper = type as? any ColumnWrapping.Type { return storedType(wrapped(wrapper)) }
    if let enumeration = type as? any RawRepresentable.Type { return storedType(raw(enumeration)) }
    if let optional = type as? any AnyOptional.Type { return storedType(optional.wrappedType) }
    return type
  }
}
