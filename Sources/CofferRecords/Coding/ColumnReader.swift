import CofferCore
import FoundationEssentials

/// Reads values of a type from a column, in a way that is chosen once.
class ColumnReader<Value>: SubjectSpecific {
  typealias Subject = Value

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
    if let value = try value(reading, slot) { return value }
    throw reading.mismatch(Value.self, slot)
  }

  override func readIfPresent(_ reading: RowReading, _ slot: KeySlot) throws -> Value? {
    if let value = try value(reading, slot) { return value }
    if try reading.isNull(slot) { return nil }
    throw reading.mismatch(Value.self, slot)
  }

  // Inlined, since unspecialized code looks up the metadata of `Value?` in each function.
  @inline(__always)
  private func value(_ reading: RowReading, _ slot: KeySlot) throws -> Value? {
    if let handle = reading.handle, let value = Value._value(of: handle, at: slot.baseColumn) {
      return value
    }
    return try reading.value(Value.self, slot)
  }
}

/// Reads a type that is stored as a number, and rejects other values: see ``StrictlyDecoded``.
final class NumberColumnReader<Value: DatabaseValueConvertible>: ColumnReader<Value> {
  override func read(_ reading: RowReading, _ slot: KeySlot) throws -> Value {
    try reading.number(Value.self, slot)
  }
}

/// Reads a type that is stored as text: see ``StrictlyDecoded``.
final class TextColumnReader<Value: DatabaseValueConvertible>: ColumnReader<Value> {
  override func read(_ reading: RowReading, _ slot: KeySlot) throws -> Value {
    if let handle = reading.handle,
      SQLite.columnType(handle, slot.baseColumn) == SQLite.textType,
      let value = Value._value(of: handle, at: slot.baseColumn)
    {
      return value
    }
    return try reading.text(Value.self, slot)
  }
}

/// Reads a type that a strategy of the record converts from database values.
final class StrategyColumnReader<Value>: ColumnReader<Value> {
  private let convert: (DatabaseValue) -> Value?

  init(_ convert: @escaping (DatabaseValue) -> Value?) { self.convert = convert }

  override func read(_ reading: RowReading, _ slot: KeySlot) throws -> Value {
    if let value = convert(try reading.databaseValue(slot)) { return value }
    throw reading.mismatch(Value.self, slot)
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
    if type == Date.self { return dateReader(column: column, rules) }
    if type == Data.self { return dataReader(column: column, rules) }
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
    guard rules.isStrict, type is any StatementColumnConvertible.Type else {
      return KeptObject(ValueColumnReader<V>())
    }
    let stored = storedType(type)
    if stored == String.self { return KeptObject(TextColumnReader<V>()) }
    let isNumber = stored is any Numeric.Type || stored == Bool.self
    return isNumber ? KeptObject(NumberColumnReader<V>()) : KeptObject(ValueColumnReader<V>())
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

  private static func dateReader(column: String, _ rules: DecodingRules) -> KeptObject {
    let strategy = rules.record.databaseDateDecodingStrategy(for: column)
    if case .deferredToDate = strategy { return KeptObject(ValueColumnReader<Date>()) }
    return KeptObject(StrategyColumnReader<Date>(strategy.date(from:)))
  }

  private static func dataReader(column: String, _ rules: DecodingRules) -> KeptObject {
    switch rules.record.databaseDataDecodingStrategy(for: column) {
    case .deferredToData: KeptObject(ValueColumnReader<Data>())
    case .custom(let convert): KeptObject(StrategyColumnReader<Data>(convert))
    }
  }
}
