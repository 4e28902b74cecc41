import CofferCore

/// The columns, scopes and prefetched rows of a row, under coding keys.
///
/// Keys of one byte, such as the cases of most `CodingKeys`, are recognized by their byte, so that
/// a key's name is looked up only once.
///
/// The standard library copies the container for each decoded value. So it is three words, and
/// holds no counted references.
@safe struct RowKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  @safe private let live: UnsafeMutablePointer<LiveRow>
  /// The columns of the keys, in the statement's row or in the copy; -1 for a key that has to be
  /// looked up.
  ///
  /// The table exists as long as `live` has the generation.
  @safe private let unsafeTable: Unmanaged<KeyTable<KeySlot, CInt>>
  private let generation: UInt32
  private let form = KeyForm(Key.self)

  init(_ reading: RowReading) {
    live = reading.live
    unsafeTable = unsafe .passUnretained(reading.makeKeyTable())
    generation = reading.live.pointee.generation
  }

  /// Returns the current reading; throws if the container was kept for too long.
  private func reading() throws -> RowReading {
    // SAFETY: when a reading is deallocated, it returns its memory, which gets another generation.
    guard live.pointee.generation == generation,
      let reading = unsafe live.pointee.reading?.takeUnretainedValue()
    else { throw RowReading.rowIsGone }
    return reading
  }

  var codingPath: [any CodingKey] { (try? reading())?.codingPath ?? [] }

  var allKeys: [Key] {
    guard let reading = try? reading(), let row = reading.row else { return [] }
    let columns = row.layout.columnNames.map(reading.rules.columns.key(ofColumn:))
    let others = row.scopesTree.names.union(row.prefetchedRows.keys).sorted()
    var seen: Set<String> = []
    return (columns + others).compactMap { name in
      guard seen.insert(name).inserted else { return nil }
      return Key(stringValue: name)
    }
  }

  // MARK: Finding keys

  /// Returns the column of the key; -1 for a key that has to be looked up.
  @inline(__always)
  private func column(_ key: Key) -> CInt {
    guard live.pointee.generation == generation, let byte = form.byte(of: key) else { return -1 }
    // SAFETY: with this generation, the table exists; it has words for all bytes.
    return unsafe unsafeTable._withUnsafeGuaranteedRef { $0.words[byte] }
  }

  /// Returns the current reading and the place of a key.
  private func place(_ key: Key) throws -> (RowReading, KeySlot) {
    let reading = try reading()
    guard let byte = form.byte(of: key) else { return (reading, try reading.slot(key.stringValue)) }
    // SAFETY: `reading` exists, and owns the table.
    let table = unsafe unsafeTable._withUnsafeGuaranteedRef { $0 }
    let slot = try table.column(byte) {
      let slot = try reading.slot(key.stringValue)
      return (slot, slot.baseColumn)
    }
    return (reading, slot)
  }

  // MARK: Scalars

  /// Returns the value in a column of the statement or of the copy; nil if it takes more to find.
  ///
  /// If the record type is strict, the value must have the storage class of its type.
  @inline(__always)
  private func direct<V: Scalar>(_ column: CInt) -> V? {
    guard column >= 0 else { return nil }
    if let handle = live.pointee.handle {
      if let value: V = number(column) { return value }
      if live.pointee.isStrict {
        // A value that is requested from a statement is checked and locked: so it is only once.
        let value = SQLite.columnValue(handle, column)
        guard SQLite.valueType(value) == V.storageClass else { return nil }
        if let stored = V.stored(value) { return stored }
      }
      return V._value(of: handle, at: column)
    }
    guard let image = live.pointee.image else { return nil }
    if let integer = image.integer(Int(column)), let value = V.exactly(integer) { return value }
    return live.pointee.isStrict ? nil : image.value(Int(column))
  }

  /// Returns the number that a column of the statement stores; nil if it has no number, or not one
  /// of this type.
  @inline(__always)
  private func number<V: Scalar>(_ column: CInt) -> V? {
    guard let core = live.pointee.core, unsafe column < core.pointee.columnCount,
      let (type, bits) = unsafe core.pointee.cells.bits(Int(column))
    else { return nil }
    if type == SQLite.integerType { return V.exactly(Int64(bitPattern: bits)) }
    return type == SQLite.floatType ? V.exactly(Double(bitPattern: bits)) : nil
  }

  /// Returns the value of a column in the memory of the statement or of the copy, if it is an
  /// integer or NULL; nil if it is another one, or one that this type hasn't.
  ///
  /// Nothing is called for it, so that a function has no registers to save for calls.
  @inline(__always)
  private func integer<V: Scalar>(_ column: CInt) -> V?? {
    let index = Int(column)
    guard let core = live.pointee.core else {
      guard index >= 0, let image = live.pointee.image else { return nil }
      if let integer = image.integer(index) { return V.exactly(integer).map { .some($0) } }
      return image.isNull(index) ? .some(nil) : nil
    }
    guard unsafe UInt(bitPattern: index) < UInt(bitPattern: core.pointee.columnCount) else {
      return nil
    }
    if let integer = unsafe core.pointee.cells.integer(index) {
      return V.exactly(integer).map { .some($0) }
    }
    return unsafe core.pointee.cells.isNull(index) ? .some(nil) : nil
  }

  @inline(__always)
  private func scalar<V: Scalar>(_ key: Key) throws -> V {
    let column = column(key)
    if V.storageClass == SQLite.integerType {
      if let value: V? = integer(column), let value { return value }
    } else if let value: V = direct(column) {
      return value
    }
    return try find(key)
  }

  @inline(never)
  private func find<V: Scalar>(_ key: Key) throws -> V {
    if let value: V = direct(column(key)) { return value }
    let (reading, slot) = try place(key)
    return try reading.scalar(slot)
  }

  @inline(__always)
  private func optional<V: Scalar>(_ key: Key) throws -> V? {
    let column = column(key)
    if V.storageClass == SQLite.integerType {
      if let value: V? = integer(column) { return value }
    } else if let value: V = direct(column) {
      return value
    }
    return try findOptional(key)
  }

  @inline(never)
  private func findOptional<V: Scalar>(_ key: Key) throws -> V? {
    let column = column(key)
    if let value: V = direct(column) { return value }
    if column >= 0 {
      if let handle = live.pointee.handle {
        if SQLite.columnIsNull(handle, column) { return nil }
      } else if live.pointee.image?.isNull(Int(column)) == true {
        return nil
      }
    }
    let (reading, slot) = try place(key)
    guard slot.column != nil, try !reading.isNull(slot) else { return nil }
    return try reading.scalar(slot)
  }

  @inline(__always)
  func decode<V: Scalar>(_: V.Type, forKey key: Key) throws -> V { try scalar(key) }

  // The protocol has a default implementation for each type, which the compiler prefers to a
  // generic method.
  func decodeIfPresent(_: Bool.Type, forKey key: Key) throws -> Bool? { try optional(key) }
  func decodeIfPresent(_: String.Type, forKey key: Key) throws -> String? { try optional(key) }
  func decodeIfPresent(_: Double.Type, forKey key: Key) throws -> Double? { try optional(key) }
  func decodeIfPresent(_: Float.Type, forKey key: Key) throws -> Float? { try optional(key) }
  func decodeIfPresent(_: Int.Type, forKey key: Key) throws -> Int? { try optional(key) }
  func decodeIfPresent(_: Int8.Type, forKey key: Key) throws -> Int8? { try optional(key) }
  func decodeIfPresent(_: Int16.Type, forKey key: Key) throws -> Int16? { try optional(key) }
  func decodeIfPresent(_: Int32.Type, forKey key: Key) throws -> Int32? { try optional(key) }
  func decodeIfPresent(_: Int64.Type, forKey key: Key) throws -> Int64? { try optional(key) }
  func decodeIfPresent(_: UInt.Type, forKey key: Key) throws -> UInt? { try optional(key) }
  func decodeIfPresent(_: UInt8.Type, forKey key: Key) throws -> UInt8? { try optional(key) }
  func decodeIfPresent(_: UInt16.Type, forKey key: Key) throws -> UInt16? { try optional(key) }
  func decodeIfPresent(_: UInt32.Type, forKey key: Key) throws -> UInt32? { try optional(key) }
  func decodeIfPresent(_: UInt64.Type, forKey key: Key) throws -> UInt64? { try optional(key) }

  // MARK: Other values

  func contains(_ key: Key) -> Bool {
    guard let (reading, slot) = try? place(key), let row = reading.row else { return false }
    return slot.column != nil || slot.scope(of: row) != nil || row.prefetched?.list(slot.key) != nil
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    let (reading, slot) = try place(key)
    if slot.column != nil { return try reading.isNull(slot) }
    let row = try reading.currentRow()
    if let scope = slot.scope(of: row) { return !scope.containsNonNullValue }
    return row.prefetched?.list(slot.key) == nil
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    let (reading, slot) = try place(key)
    guard slot.column == nil else {
      return try slot.columnReader(type, reading.rules).read(reading, slot)
    }
    return try reading.decodeRow(type, slot)
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    let (reading, slot) = try place(key)
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

  /// Returns a decoder of the same row, which also has columns for a superclass's properties.
  func superDecoder() throws -> any Decoder {
    let reading = try reading()
    return reading.decoder ?? RowDecoder(reading)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    let (reading, slot) = try place(key)
    return try reading.decoder(slot) ?? superDecoder()
  }
}
