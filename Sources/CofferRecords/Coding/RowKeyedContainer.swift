import CofferCore

/// The columns, scopes and prefetched rows of a row, under coding keys.
///
/// Keys of one byte at most, which the cases of most `CodingKeys` are, are known by
/// their byte: no name is looked at again once a key has been found.
final class RowKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let reading: RowReading

  private enum Form { case none, byte, text }
  private let form: Form
  /// What is known of the keys, by their byte.
  private var entries: UnsafeMutablePointer<Entry>
  private var capacity = 0

  private struct Entry {
    /// The statement's column; -1 where the way leads through the slot.
    var column: CInt = -1
    var slot: KeySlot?
  }

  init(_ reading: RowReading) {
    self.reading = reading
    form =
      switch MemoryLayout<Key>.size {
      case 0: .none
      case 1 where _isPOD(Key.self): .byte
      default: .text
      }
    capacity = form == .none ? 1 : form == .byte ? 16 : 0
    entries = .allocate(capacity: capacity)
    entries.initialize(repeating: Entry(), count: capacity)
  }

  deinit {
    entries.deinitialize(count: capacity)
    entries.deallocate()
  }

  var codingPath: [any CodingKey] { reading.codingPath }

  var allKeys: [Key] {
    guard let row = reading.row else { return [] }
    let columns = row.layout.columnNames.map(reading.rules.columns.key(ofColumn:))
    let others = row.scopesTree.names.union(row.prefetchedRows.keys).sorted()
    var seen: Set<String> = []
    return (columns + others).compactMap { name in
      guard seen.insert(name).inserted else { return nil }
      return Key(stringValue: name)
    }
  }

  // MARK: Finding keys

  /// The entry of a key; -1 for a key that has none.
  @inline(__always)
  private func entryIndex(_ key: Key) -> Int {
    switch form {
    case .none: return 0
    case .byte:
      // SAFETY: a trivial type of one byte.
      return withUnsafePointer(to: key) {
        Int(UnsafeRawPointer($0).load(as: UInt8.self))
      }
    case .text: return -1
    }
  }

  /// The statement's column of the key; -1 where that is not known, or not the way.
  @inline(__always)
  private func column(_ key: Key) -> CInt {
    let index = entryIndex(key)
    guard UInt(bitPattern: index) < UInt(bitPattern: capacity) else { return -1 }
    return entries[index].column
  }

  private func slot(_ key: Key) throws -> KeySlot {
    let index = entryIndex(key)
    if index >= 0, index < capacity, let slot = entries[index].slot { return slot }
    let slot = try reading.slot(key.stringValue)
    guard index >= 0 else { return slot }
    if index >= capacity { grow(to: index) }
    entries[index] = Entry(column: slot.baseColumn, slot: slot)
    return slot
  }

  private func grow(to index: Int) {
    let newCapacity = index < 64 ? 64 : 256
    let newEntries = UnsafeMutablePointer<Entry>.allocate(capacity: newCapacity)
    newEntries.moveInitialize(from: entries, count: capacity)
    (newEntries + capacity).initialize(repeating: Entry(), count: newCapacity - capacity)
    entries.deallocate()
    entries = newEntries
    capacity = newCapacity
  }

  // MARK: Values that are read straight from a statement

  @inline(__always)
  private func value<V: DatabaseValueConvertible & StatementColumnConvertible>(
    _ type: V.Type, _ key: Key
  ) throws -> V {
    let column = column(key)
    if column >= 0, let handle = reading.handle,
      let value = V.fromStatement(handle, atUncheckedIndex: column)
    {
      return value
    }
    return try findValue(type, key)
  }

  @inline(never)
  private func findValue<V: DatabaseValueConvertible>(_ type: V.Type, _ key: Key) throws -> V {
    let slot = try slot(key)
    if let value = V.fromDatabaseValue(try reading.databaseValue(slot)) { return value }
    throw reading.mismatch(type, slot)
  }

  @inline(__always)
  private func valueIfPresent<V: DatabaseValueConvertible & StatementColumnConvertible>(
    _ type: V.Type, _ key: Key
  ) throws -> V? {
    let column = column(key)
    if column >= 0, let handle = reading.handle {
      if let value = V.fromStatement(handle, atUncheckedIndex: column) { return value }
      if SQLite.columnIsNull(handle, column) { return nil }
    }
    return try findValueIfPresent(type, key)
  }

  @inline(never)
  private func findValueIfPresent<V: DatabaseValueConvertible>(
    _ type: V.Type, _ key: Key
  ) throws -> V? {
    let slot = try slot(key)
    guard slot.column != nil else { return nil }
    let dbValue = try reading.databaseValue(slot)
    if dbValue.isNull { return nil }
    if let value = V.fromDatabaseValue(dbValue) { return value }
    throw reading.mismatch(type, slot)
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try value(type, key) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try value(type, key) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try value(type, key) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try value(type, key) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try value(type, key) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try value(type, key) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try value(type, key) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try value(type, key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try value(type, key) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try value(type, key) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try value(type, key) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try value(type, key) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try value(type, key) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try value(type, key) }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try valueIfPresent(type, key)
  }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try valueIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try valueIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    try valueIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try valueIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
    try valueIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
    try valueIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
    try valueIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    try valueIfPresent(type, key)
  }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
    try valueIfPresent(type, key)
  }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
    try valueIfPresent(type, key)
  }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    try valueIfPresent(type, key)
  }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    try valueIfPresent(type, key)
  }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    try valueIfPresent(type, key)
  }

  // MARK: All other values

  func contains(_ key: Key) -> Bool {
    guard let slot = try? slot(key), let row = reading.row else { return false }
    return slot.column != nil || slot.scope(of: row) != nil || row.prefetched?[slot.key] != nil
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    let slot = try slot(key)
    if slot.column != nil { return try reading.isNull(slot) }
    let row = try reading.currentRow()
    if let scope = slot.scope(of: row) { return !scope.containsNonNullValue }
    return row.prefetched?[slot.key] == nil
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    let slot = try slot(key)
    guard slot.column == nil else {
      return try slot.columnReader(type, reading.rules).read(reading, slot)
    }
    return try reading.decodeRow(type, slot)
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    let slot = try slot(key)
    guard slot.column == nil else {
      return try slot.columnReader(type, reading.rules).readIfPresent(reading, slot)
    }
    return try reading.decodeRowIfPresent(type, slot)
  }

  // MARK: Containers in containers

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try superDecoder(forKey: key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try superDecoder(forKey: key).unkeyedContainer()
  }

  /// The superclass's properties are in the columns of the same row.
  func superDecoder() throws -> any Decoder { reading.decoder ?? RowDecoder(reading) }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    try reading.decoder(try slot(key)) ?? superDecoder()
  }
}
