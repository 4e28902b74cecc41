import CofferCore

/// The row that is being decoded, and what is known of its columns: what a decoder
/// and its containers share.
///
/// It is used for one row after the other, as long as their columns are the same.
/// - Invariant: There is a row from `enter` to `leave` only. A container that is kept
///   beyond that finds none, and throws.
@usableFromInline
final class RowReading {
  /// What is touched for each value.
  @usableFromInline let live: UnsafeMutablePointer<LiveRow>
  var handle: SQLiteStatement? { live.pointee.handle }

  var row: Row? { live.pointee.row?.takeUnretainedValue() }
  // SAFETY: the decoder clears it when it dies.
  @exclusivity(unchecked) unowned(unsafe) var decoder: RowDecoder?

  let rules: DecodingRules
  let codingPath: [any CodingKey]
  /// The key for which there was neither a column nor a scope, so that the whole row
  /// is decoded in its place.
  let missingKey: String?
  /// The types that are being decoded from the same row, from the outside in.
  let types: [ObjectIdentifier]
  @exclusivity(unchecked) private var slots: [String: KeySlot] = [:]
  private var keyTables: [KeyTable<KeySlot, CInt>] = []
  /// The decoders of parts of the row, whose containers don't keep them.
  @exclusivity(unchecked) var parts: [RowDecoder] = []
  /// The row, where nobody calls `leave`.
  private var keptRow: Row?

  /// - Parameter row: A row to read until the end; else `enter` tells the row.
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
    live.pointee.reading = .passUnretained(self)
    if let row { _ = live.pointee.enter(row) }
  }

  deinit { LiveRow.pool.putBack(live) }

  /// A decoder of a row that is a part of this one, there as long as this one is read.
  func part(_ row: Row, codingPath: [any CodingKey]) -> RowDecoder {
    let decoder = RowDecoder(RowReading(rules, codingPath: codingPath, keeping: row))
    parts.append(decoder)
    live.pointee.hasParts = true
    return decoder
  }

  func currentRow() throws -> Row {
    guard let row else { throw RowReading.rowIsGone }
    return row
  }

  static var rowIsGone: DatabaseError {
    DatabaseError(
      .SQLITE_MISUSE, "the row of this decoder is gone",
      hint: "Decode inside of init(from:), and keep neither the decoder nor its containers.")
  }

  /// What is known of a key.
  func slot(_ key: String) throws -> KeySlot {
    if let slot = slots[key] { return slot }
    let slot = KeySlot(key, in: try currentRow(), rules)
    slots[key] = slot
    return slot
  }

  /// A table for a container's keys, which lives as long as this object.
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

  /// The value as the type; nil for what it doesn't take.
  func value<V: DatabaseValueConvertible>(_ type: V.Type, _ slot: KeySlot) throws -> V? {
    let row = try currentRow()
    guard let column = slot.column else { throw columnNotFound(slot) }
    if let value: V = row.fastValue(at: column) { return value }
    return V.fromDatabaseValue(row.databaseValue(at: column))
  }

  /// The number, where the column has one: not what SQLite makes of a text, no whole number of one
  /// that has a fraction, and no Boolean of any number.
  func number<V: DatabaseValueConvertible>(_ type: V.Type, _ slot: KeySlot) throws -> V {
    let stored = try databaseValue(slot)
    if let value = V.fromDatabaseValue(stored), !stored.isTruncated(as: value.databaseValue) {
      return value
    }
    throw mismatch(type, slot)
  }

  /// The text, of a blob only if it is UTF-8: what else it holds would be lost.
  func text<V: DatabaseValueConvertible>(_ type: V.Type, _ slot: KeySlot) throws -> V {
    let stored = try databaseValue(slot)
    // A number is a text in one form, whoever reads it.
    let text: DatabaseValue =
      switch stored.storage {
      case .int64(let number): "\(number)".databaseValue
      case .double(let number): "\(number)".databaseValue
      default: stored
      }
    if let value = V.fromDatabaseValue(text) { return value }
    throw mismatch(type, slot)
  }

  func isNull(_ slot: KeySlot) throws -> Bool {
    if let handle, slot.baseColumn >= 0 { return SQLite.columnIsNull(handle, slot.baseColumn) }
    guard let column = slot.column else { throw columnNotFound(slot) }
    return try currentRow().hasNull(atIndex: column)
  }

  // MARK: Errors

  func context(_ slot: KeySlot) -> RowDecodingContext {
    var context = RowDecodingContext(columnName: slot.key)
    if let row {
      context =
        slot.column.map(row.decodingContext(column:))
        ?? row.decodingContext(columnName: slot.key)
    }
    context.recordType = rules.recordName
    // It would show the values.
    if rules.isStrict { context.row = nil }
    return context
  }

  func columnNotFound(_ slot: KeySlot) -> RowDecodingError {
    .columnNotFound(slot.key, context: context(slot))
  }

  /// The error of a value that the type doesn't take.
  func mismatch(_ type: Any.Type, _ slot: KeySlot) -> any Error {
    do {
      return RowDecodingError.valueMismatch(
        type, context: context(slot), databaseValue: try databaseValue(slot),
        showsValue: !rules.isStrict)
    } catch { return error }
  }

  /// The error of a value that the type's `init(from:)` has refused.
  func corrupted(
    _ type: Any.Type, _ slot: KeySlot, _ error: DecodingError, isJSON: Bool
  ) -> any Error {
    do {
      return RowDecodingError.dataCorrupted(
        type, error.reason(isJSON: isJSON), context: context(slot),
        databaseValue: try databaseValue(slot), underlyingError: error)
    } catch { return error }
  }

  /// The error of a key for which there is nothing.
  func keyNotFound(_ key: String) -> any Error {
    guard let row else { return RowDecodingError.keyNotFound(key, context: RowDecodingContext()) }
    var context = row.decodingContext(columnName: key)
    context.recordType = rules.recordName
    let available = row.scopesTree.names.union(row.prefetchedRows.keys)
    return RowDecodingError.keyNotFound(key, available: Array(available), context: context)
  }
}

extension DatabaseValue {
  /// Whether the other one, which a type has made of this one, is another number.
  func isTruncated(as other: DatabaseValue) -> Bool {
    switch (storage, other.storage) {
    case (.double(let real), .int64(let whole)): Double(whole) != real
    case (.int64(let whole), .int64(let other)): whole != other
    default: false
    }
  }
}

extension DecodingError {
  /// The reason in a few words, without stored values, which the debug description has.
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
