import CofferCore

/// The row that is being decoded and the places of its keys, shared by decoder and containers.
///
/// It is reused for one row after another, as long as their columns are the same.
/// - Invariant: There is a row only between `enter` and `leave`. A container that is used later
///   throws.
@usableFromInline
@safe final class RowReading {
  /// The state that is accessed for each value.
  @safe @usableFromInline let live: UnsafeMutablePointer<LiveRow>
  @safe var handle: SQLiteStatement? { live.pointee.handle }

  var row: Row? { unsafe live.pointee.row?.takeUnretainedValue() }
  // SAFETY: the decoder clears it when it is deallocated.
  @safe @exclusivity(unchecked) unowned(unsafe) var decoder: RowDecoder?

  let rules: DecodingRules
  let codingPath: [any CodingKey]
  /// The key that had neither a column nor a scope, so that the whole row is decoded for it.
  let missingKey: String?
  /// The types that are being decoded from the same row, the outermost first.
  let types: [ObjectIdentifier]
  @safe @exclusivity(unchecked) private var slots: [String: KeySlot] = [:]
  private var keyTables: [KeyTable<KeySlot, CInt>] = []
  /// The decoders of parts of the row, which their containers don't retain.
  @safe @exclusivity(unchecked) var parts: [RowDecoder] = []
  /// The key that stands for the row itself, once it has been decoded.
  @safe @exclusivity(unchecked) var rootSlot: KeySlot?
  /// The row, if `leave` is never called.
  private var keptRow: Row?

  /// - Parameter row: The only row to read; nil if rows are passed to `enter`.
  init(
    _ rules: DecodingRules, codingPath: [any CodingKey] = [], missingKey: String? = nil,
    types: [ObjectIdentifier] = [], keeping row: Row? = nil
  ) {
    live = LiveRow.pool.take()
    self.rules = rules
    self.codingPath = codingPath
    self.missingKey = missingKey
    self.types = types
    keptRow = row
    live.pointee.reading = unsafe .passUnretained(self)
    live.pointee.isStrict = rules.isStrict
    if let row { _ = live.pointee.enter(row) }
  }

  deinit { LiveRow.pool.putBack(live) }

  /// Returns a decoder for a part of the row, which exists until the row has been read.
  func part(_ row: Row, codingPath: [any CodingKey]) -> RowDecoder {
    let decoder = RowDecoder(RowReading(rules, codingPath: codingPath, keeping: row))
    parts.append(decoder)
    live.pointee.hasParts = true
    return decoder
  }

  /// Makes a key stand for the row itself, until the row has been read.
  ///
  /// - Throws: An error if another key does: one of the two isn't in the row, such as an
  ///   association that the request doesn't include.
  func takeRoot(_ slot: KeySlot) throws {
    guard rootSlot !== slot else { return }
    guard rootSlot == nil else { throw keyNotFound(slot.key) }
    rootSlot = slot
    live.pointee.hasParts = true
  }

  func currentRow() throws -> Row {
    guard let row else { throw RowReading.rowIsGone }
    return row
  }

  static var rowIsGone: DatabaseError {
    DatabaseError(
      .SQLITE_MISUSE, "the decoder is used after its row was decoded",
      hint: "Decode inside of init(from:), and keep neither the decoder nor its containers.")
  }

  /// Returns the place of a key.
  func slot(_ key: String) throws -> KeySlot {
    if let slot = slots[key] { return slot }
    let slot = KeySlot(key, in: try currentRow(), rules)
    slots[key] = slot
    return slot
  }

  /// Creates a table for a container's keys, which exists as long as this object.
  func makeKeyTable() -> KeyTable<KeySlot, CInt> {
    let table = KeyTable<KeySlot, CInt>(unknown: -1)
    keyTables.append(table)
    return table
  }

  // MARK: Values of columns

  func databaseValue(_ slot: KeySlot) throws -> DatabaseValue {
    let row = try currentRow()
    guard let column = slot.column else { throw columnNotFound(slot) }
    return row.databaseValue(at: column)
  }

  /// Returns the value; nil if it can't be converted to the type.
  ///
  /// It is inlined, since unspecialized code looks up the metadata of `V?` in each function.
  @inline(__always)
  func value<V: DatabaseValueConvertible>(_ type: V.Type, _ slot: KeySlot) throws -> V? {
    if let handle, let value = V._value(of: handle, at: slot.baseColumn) { return value }
    let row = try currentRow()
    guard let column = slot.column else { throw columnNotFound(slot) }
    if let value: V = row.fastValue(at: column) { return value }
    return V.fromDatabaseValue(row.databaseValue(at: column))
  }

  /// Returns the scalar, which a strict record type takes only as it is stored.
  ///
  /// - Parameter named: The type named in errors.
  func scalar<V: Scalar>(_ slot: KeySlot, named type: (any Any.Type)? = nil) throws -> V {
    if rules.isStrict {
      return try V.storageClass == SQLite.textType ? text(V.self, slot) : number(V.self, slot)
    }
    if let value = try value(V.self, slot) { return value }
    throw try mismatch(type ?? V.self, slot)
  }

  /// Returns the number that the column stores.
  ///
  /// Text isn't converted, fractions aren't truncated, and only 0 and 1 are Booleans.
  func number<V: DatabaseValueConvertible>(_ type: V.Type, _ slot: KeySlot) throws -> V {
    let stored = try databaseValue(slot)
    if let value = V.fromDatabaseValue(stored), !stored.isTruncated(as: value.databaseValue) {
      return value
    }
    throw try mismatch(type, slot)
  }

  /// Returns the text.
  ///
  /// A blob must be UTF-8, since other bytes would be lost.
  func text<V: DatabaseValueConvertible>(_ type: V.Type, _ slot: KeySlot) throws -> V {
    if let handle, SQLite.columnType(handle, slot.baseColumn) == SQLite.textType,
      let value = V._value(of: handle, at: slot.baseColumn)
    {
      return value
    }
    let stored = try databaseValue(slot)
    // A number always has the same text.
    let text: DatabaseValue =
      switch stored.storage {
      case .int64(let number): "\(number)".databaseValue
      case .double(let number): "\(number)".databaseValue
      default: stored
      }
    if let value = V.fromDatabaseValue(text) { return value }
    throw try mismatch(type, slot)
  }

  func isNull(_ slot: KeySlot) throws -> Bool {
    if let handle, slot.baseColumn >= 0 { return SQLite.columnIsNull(handle, slot.baseColumn) }
    guard let column = slot.column else { throw columnNotFound(slot) }
    return try currentRow().hasNull(atIndex: column)
  }

  // MARK: Errors

  func context(_ slot: KeySlot) -> RowDecodingContext {
    var context =
      slot.column.flatMap { row?.decodingContext(column: $0) }
      ?? row?.decodingContext(columnName: slot.key) ?? RowDecodingContext(columnName: slot.key)
    context.recordType = rules.recordName
    // The row would reveal the values.
    if rules.isStrict { context.row = nil }
    return context
  }

  func columnNotFound(_ slot: KeySlot) -> RowDecodingError {
    .columnNotFound(slot.key, context: context(slot))
  }

  /// Returns the error for a value that can't be converted to the type.
  func mismatch(_ type: Any.Type, _ slot: KeySlot) throws -> RowDecodingError {
    .valueMismatch(
      type, context: context(slot), databaseValue: try databaseValue(slot),
      showsValue: !rules.isStrict)
  }

  /// Returns the error for a value that the type's `init(from:)` has rejected.
  func corrupted(
    _ type: Any.Type, _ slot: KeySlot, _ error: DecodingError, isJSON: Bool
  ) throws -> RowDecodingError {
    .dataCorrupted(
      type, error.reason(isJSON: isJSON), context: context(slot),
      databaseValue: try databaseValue(slot), underlyingError: error)
  }

  /// Returns the error for a key without a column, scope or prefetched rows.
  func keyNotFound(_ key: String) -> any Error {
    guard let row else { return RowDecodingError.keyNotFound(key, context: RowDecodingContext()) }
    var context = row.decodingContext(columnName: key)
    context.recordType = rules.recordName
    let available = row.scopesTree.names.union(row.prefetchedRows.keys)
    return RowDecodingError.keyNotFound(key, available: Array(available), context: context)
  }
}

extension DatabaseValue {
  /// Returns whether conversion to a type has changed the number to `other`.
  func isTruncated(as other: DatabaseValue) -> Bool {
    switch (storage, other.storage) {
    case (.double(let real), .int64(let whole)): Double(whole) != real
    case (.int64(let whole), .int64(let other)): whole != other
    default: false
    }
  }
}

extension DecodingError {
  /// Returns a short reason without stored values, which the debug description can contain.
  fileprivate func reason(isJSON: Bool) -> String {
    let place = isJSON ? "its JSON" : "it"
    return switch self {
    case .typeMismatch(let type, _): "\(place) has something else where \(type) is expected"
    case .valueNotFound(let type, _): "\(place) has null where \(type) is expected"
    case .keyNotFound(let key, _): "\(place) lacks \(String(reflecting: key.stringValue))"
    default: isJSON ? "it is no JSON of such a value" : "it stands for no value of the type"
    }
  }
}
