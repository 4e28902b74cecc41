import CofferCore

/// Decodes values of a type from whole rows with certain columns.
class RowReader<Value>: SubjectSpecific {
  typealias Subject = Value

  /// What rows keep for the type: see ``Row/plan(_:make:)``. It goes along from one copied row
  /// to the next.
  @exclusivity(unchecked) fileprivate var plan: AnyObject?

  fileprivate func read(_ row: Row) throws -> Value { preconditionFailure("overridden") }

  /// The value of a row, which may be one that another type's plan is in use for.
  func value(of row: Row) throws -> Value {
    // Moved, not copied: nothing has to be counted. A reading inside of this one, by the same
    // reader, finds no plan, and makes another.
    var other = plan.take()
    swap(&row.plan, &other)
    defer {
      swap(&row.plan, &other)
      plan = other
    }
    return try read(row)
  }
}

/// A record that makes itself of a row, in its own way or by decoding.
private final class RecordRowReader<Record: FetchableRecord>: RowReader<Record> {
  override func read(_ row: Row) throws -> Record { try Record(row: row) }
}

/// A type that is no record: the strategies are those of the record around it.
private final class DecodableRowReader<Value: Decodable>: RowReader<Value> {
  private let make: () -> RowReading
  @exclusivity(unchecked) private var decoder: RowDecoder?

  init(_ make: @escaping () -> RowReading) { self.make = make }

  override func read(_ row: Row) throws -> Value {
    let decoder = self.decoder.take() ?? RowDecoder(make())
    guard decoder.live.pointee.enter(row) else { return try read(row) }
    defer {
      decoder.live.pointee.leave()
      self.decoder = decoder
    }
    return try Value(from: decoder)
  }
}

/// A type that is stored in one column: the first one of the row.
private final class ValueRowReader<Value: Decodable>: RowReader<Value> {
  private let make: () -> RowReading
  private let reading: RowReading
  @exclusivity(unchecked) private var slot: KeySlot?

  init(_ make: @escaping () -> RowReading) {
    self.make = make
    reading = make()
  }

  override func read(_ row: Row) throws -> Value {
    guard reading.live.pointee.enter(row) else {
      return try ValueRowReader(make).read(row)
    }
    defer { reading.live.pointee.leave() }
    let slot = self.slot ?? KeySlot(firstColumnOf: row)
    self.slot = slot
    return try slot.columnReader(Value.self, reading.rules).read(reading, slot)
  }
}

extension RowReader where Value: Decodable {
  /// The reader of a row that is one of a list.
  /// - Parameter reading: What a type that is no record is decoded with.
  static func elementReader(_ reading: @escaping () -> RowReading) -> RowReader<Value> {
    let isValue =
      Value.self is any DatabaseValueConvertible.Type && !(Value.self is any FetchableRecord.Type)
    return isValue ? ValueRowReader<Value>(reading) : reader(reading)
  }

  /// The reader of a type.
  /// - Parameter reading: What a type that is no record is decoded with.
  static func reader(_ reading: @escaping () -> RowReading) -> RowReader<Value> {
    func open<R: FetchableRecord>(_ type: R.Type) -> KeptObject { KeptObject(RecordRowReader<R>()) }
    let record = (Value.self as? any FetchableRecord.Type).map { open($0) }
    return record?.get() ?? DecodableRowReader<Value>(reading)
  }
}

extension RowReading {
  /// What is decoded for a key that is no column: from a scope, from prefetched
  /// rows, or else from the row itself.
  func decodeRow<T: Decodable>(_ type: T.Type, _ slot: KeySlot) throws -> T {
    let row = try currentRow()
    if let scope = slot.scope(of: row) { return try reader(type, slot).value(of: scope) }
    if let rows = row.prefetched?[slot.key] { return try decode(type, rows, slot) }
    return try decodeMissing(type, slot, row)
  }

  /// The same; nil where there is neither a scope with a value nor prefetched rows.
  func decodeRowIfPresent<T: Decodable>(_ type: T.Type, _ slot: KeySlot) throws -> T? {
    let row = try currentRow()
    if let scope = slot.scope(of: row), scope.containsNonNullValue {
      return try reader(type, slot).value(of: scope)
    }
    if let rows = row.prefetched?[slot.key] { return try decode(type, rows, slot) }
    return nil
  }

  private func reader<T: Decodable>(_ type: T.Type, _ slot: KeySlot) -> RowReader<T> {
    slot.knownRowReader(type) ?? makeReader(type, slot)
  }

  @inline(never)
  private func makeReader<T: Decodable>(_ type: T.Type, _ slot: KeySlot) -> RowReader<T> {
    slot.rowReader(type) { [rules, codingPath] in
      .reader {
        RowReading(
          rules, codingPath: codingPath + [StringKey(slot.key)], types: [ObjectIdentifier(type)])
      }
    }
  }

  private func decode<T: Decodable>(_ type: T.Type, _ rows: [Row], _ slot: KeySlot) throws -> T {
    try T(
      from: PrefetchedRowsDecoder(rows, self, codingPath: codingPath + [StringKey(slot.key)]))
  }

  /// A row of a record with associations has a key for each, but none for the record
  /// that they belong to: that one is the row itself.
  private func decodeMissing<T: Decodable>(
    _ type: T.Type, _ slot: KeySlot, _ row: Row
  ) throws -> T {
    // All rows have a scope of that name, or none has: the reader is one for the row itself.
    if let known = slot.knownRowReader(type) { return try known.value(of: row) }
    return try decodeFirstMissing(type, slot, row)
  }

  // Apart, so that the way above looks up no metadata.
  @inline(never)
  private func decodeFirstMissing<T: Decodable>(
    _ type: T.Type, _ slot: KeySlot, _ row: Row
  ) throws -> T {
    if let optional = type as? any AnyOptional.Type, let value = optional.none as? T {
      return value
    }
    if let convertible = type as? any DatabaseValueConvertible.Type,
      !(type is any FetchableRecord.Type)
    {
      guard let missing = convertible.fromMissingColumn(), let value = missing as? T else {
        throw columnNotFound(slot)
      }
      return value
    }
    // A type that is decoded from this row already would be so without end.
    guard !types.contains(ObjectIdentifier(type)) else { throw keyNotFound(slot.key) }
    let reader = slot.rowReader(type) { [rules, codingPath, types] in
      .reader {
        RowReading(
          rules, codingPath: codingPath + [StringKey(slot.key)], missingKey: slot.key,
          types: types + [ObjectIdentifier(type)])
      }
    }
    return try reader.value(of: row)
  }

  /// The decoder of what is behind a key; nil where nothing is.
  func decoder(_ slot: KeySlot) throws -> (any Decoder)? {
    if slot.column != nil { return ColumnDecoder(self, slot) }
    let row = try currentRow()
    let path = codingPath + [StringKey(slot.key)]
    if let scope = slot.scope(of: row) {
      return part(scope, codingPath: path)
    }
    return row.prefetched?[slot.key].map { PrefetchedRowsDecoder($0, self, codingPath: path) }
  }
}
