import CofferCore

/// Decodes values of a type from whole rows with certain columns.
class RowReader<Value>: SubjectSpecific {
  /// The plan that rows keep for the type: see ``Row/plan(_:make:)``.
  ///
  /// It is passed on from one copied row to the next.
  @safe @exclusivity(unchecked) fileprivate var plan: AnyObject?

  /// Returns the value of a row from which nothing else is being decoded.
  func read(_ row: Row) throws -> Value { preconditionFailure("overridden") }

  /// Returns the value of a row, even if another type's plan is in use for the row.
  func value(of row: Row) throws -> Value {
    // The plan is moved, which counts no references. A nested reading by the same reader finds no
    // plan and makes another one.
    var other = plan.take()
    swap(&row.plan, &other)
    defer {
      swap(&row.plan, &other)
      plan = other
    }
    return try read(row)
  }
}

/// Reads a record with its `init(row:)`.
private final class RecordRowReader<Record: FetchableRecord>: RowReader<Record> {
  override func read(_ row: Row) throws -> Record { try Record(row: row) }
}

/// Reads a type that isn't a record, with the strategies of the enclosing record.
private final class DecodableRowReader<Value: Decodable>: RowReader<Value> {
  private let make: () -> RowReading
  @safe @exclusivity(unchecked) private var decoder: RowDecoder?

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

/// Reads a type that is stored in one column, which is the first column of the row.
private final class ValueRowReader<Value: Decodable>: RowReader<Value> {
  private let make: () -> RowReading
  private let reading: RowReading
  @safe @exclusivity(unchecked) private var slot: KeySlot?

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
  /// Returns the reader for the rows of a list.
  /// - Parameter reading: Makes the reading for a type that isn't a record.
  static func elementReader(_ reading: @escaping () -> RowReading) -> RowReader<Value> {
    let isValue =
      Value.self is any DatabaseValueConvertible.Type && !(Value.self is any FetchableRecord.Type)
    return isValue ? ValueRowReader<Value>(reading) : reader(reading)
  }

  /// Returns the reader of a type.
  /// - Parameter reading: Makes the reading for a type that isn't a record.
  static func reader(_ reading: @escaping () -> RowReading) -> RowReader<Value> {
    func open<R: FetchableRecord>(_ type: R.Type) -> KeptObject { KeptObject(RecordRowReader<R>()) }
    let record = (Value.self as? any FetchableRecord.Type).map { open($0) }
    let known: RowReader<Value>? = record?.get()
    return known ?? DecodableRowReader<Value>(reading)
  }
}

extension RowReading {
  /// Decodes a key without a column from a scope, from prefetched rows, or else from the row.
  func decodeRow<T: Decodable>(_ type: T.Type, _ slot: KeySlot) throws -> T {
    let row = try currentRow()
    if let scope = slot.scope(of: row) { return try reader(type, slot).value(of: scope) }
    if let rows = row.prefetched?.list(slot.key) { return try decode(type, rows, slot) }
    return try decodeMissing(type, slot, row)
  }

  /// Decodes a key without a column from a scope or from prefetched rows.
  ///
  /// Returns nil if there is neither a scope with a value nor prefetched rows.
  func decodeRowIfPresent<T: Decodable>(_ type: T.Type, _ slot: KeySlot) throws -> T? {
    let row = try currentRow()
    if let scope = slot.scope(of: row), scope.containsNonNullValue {
      return try reader(type, slot).value(of: scope)
    }
    if let rows = row.prefetched?.list(slot.key) { return try decode(type, rows, slot) }
    return nil
  }

  private func reader<T: Decodable>(_ type: T.Type, _ slot: KeySlot) -> RowReader<T> {
    slot.knownRowReader(type) ?? makeReader(type, slot)
  }

  @inline(never)
  private func makeReader<T: Decodable>(
    _ type: T.Type, _ slot: KeySlot, missingKey: String? = nil, types: [ObjectIdentifier] = []
  ) -> RowReader<T> {
    slot.rowReader(type) { [rules, codingPath] in
      .reader {
        RowReading(
          rules, codingPath: codingPath + [StringKey(slot.key)], missingKey: missingKey,
          types: types + [ObjectIdentifier(type)])
      }
    }
  }

  private func decode<T: Decodable>(_ type: T.Type, _ rows: RowList, _ slot: KeySlot) throws -> T {
    let decoder = PrefetchedRowsDecoder(
      rows, self, codingPath: codingPath + [StringKey(slot.key)])
    // Without the container's box, and the lookup of metadata for each element.
    if let array = type as? any DecodableArray.Type,
      let decoded = try array.decoded(from: decoder) as? T
    {
      return decoded
    }
    return try T(from: decoder)
  }

  /// Decodes a key that has neither a column, a scope, nor prefetched rows.
  ///
  /// A row with associated rows has a key for each of them, but not for the record to which they
  /// belong: that record is decoded from the row itself. Only one key can be its own.
  private func decodeMissing<T: Decodable>(
    _ type: T.Type, _ slot: KeySlot, _ row: Row
  ) throws -> T {
    // Either all rows have a scope with that name or none has, so the reader is for the row itself.
    if let known = slot.knownRowReader(type) {
      try takeRoot(slot)
      return try known.value(of: row)
    }
    return try decodeFirstMissing(type, slot, row)
  }

  // A separate function, so that the function above looks up no metadata.
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
    // A type that is already being decoded from this row would recurse endlessly.
    guard !types.contains(ObjectIdentifier(type)) else { throw keyNotFound(slot.key) }
    try takeRoot(slot)
    return try makeReader(type, slot, missingKey: slot.key, types: types).value(of: row)
  }

  /// Returns a decoder for the content of a key; nil if there is none.
  func decoder(_ slot: KeySlot) throws -> (any Decoder)? {
    if slot.column != nil { return ColumnDecoder(self, slot) }
    let row = try currentRow()
    let path = codingPath + [StringKey(slot.key)]
    if let scope = slot.scope(of: row) {
      return part(scope, codingPath: path)
    }
    return row.prefetched?.list(slot.key).map { PrefetchedRowsDecoder($0, self, codingPath: path) }
  }
}
