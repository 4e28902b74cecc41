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

  /// Whether a number must be stored as one.
  private var isStrict: Bool {
    @inline(__always) get { live.pointee.isStrict }
  }

  /// The current reading; nil if the container was kept for too long.
  private var reading: RowReading? {
    // SAFETY: when a reading is deallocated, it returns its memory, which gets another generation.
    unsafe live.pointee.generation == generation ? live.pointee.reading?.takeUnretainedValue() : nil
  }

  private func currentReading() throws -> RowReading {
    guard let reading else { throw RowReading.rowIsGone }
    return reading
  }

  var codingPath: [any CodingKey] { reading?.codingPath ?? [] }

  var allKeys: [Key] {
    guard let reading, let row = reading.row else { return [] }
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
  @inline(__always)
  private func place(_ key: Key) throws -> (RowReading, KeySlot) {
    let reading = try currentReading()
    return (reading, try slot(key, reading))
  }

  private func slot(_ key: Key, _ reading: RowReading) throws -> KeySlot {
    guard let byte = form.byte(of: key) else { return try reading.slot(key.stringValue) }
    // SAFETY: `reading` exists, and owns the table.
    let table = unsafe unsafeTable._withUnsafeGuaranteedRef { $0 }
    if let slot = table[byte] { return slot }
    let slot = try reading.slot(key.stringValue)
    table.set(slot, slot.baseColumn, byte)
    return slot
  }

  // MARK: Values read directly from a statement or a copy

  @inline(__always)
  private func value<V: DatabaseValueConvertible>(_ type: V.Type, _ key: Key) throws -> V {
    let column = column(key)
    if column >= 0 {
      if let handle = live.pointee.handle {
        if let value = V._value(of: handle, at: column) { return value }
      } else if let image = live.pointee.image, let value: V = image.value(Int(column)) {
        return value
      }
    }
    return try findValue(type, key)
  }

  /// Returns the integer in the column; nil if it could be another value.
  ///
  /// SQLite also returns an integer for NULL, for example, and for a real that is out of range.
  /// Most integers are read by a single call of SQLite.
  @inline(__always)
  private func plainInteger(_ key: Key) -> Int64? {
    let column = column(key)
    guard column >= 0 else { return nil }
    guard let handle = live.pointee.handle else {
      return live.pointee.image?.integer(Int(column))
    }
    if isStrict {
      let value = SQLite.columnValue(handle, column)
      return SQLite.valueType(value) == SQLite.integerType ? SQLite.valueInt64(value) : nil
    }
    let value = SQLite.columnInt64(handle, column)
    return value == 0 || value == .max || value == .min ? nil : value
  }

  /// Decodes an integer that isn't plain, as an `Int` or an `Int64`.
  ///
  /// It isn't generic, since it would look up the metadata of an optional. One function for both
  /// types leaves its callers less to keep while they call SQLite.
  @inline(never)
  private func otherInteger(_ key: Key, isInt: Bool) throws -> Int64 {
    isInt ? Int64(try number(Int.self, key)) : try number(Int64.self, key)
  }

  /// Decodes a number.
  ///
  /// If the record type is strict, the number must have the storage class of its type.
  @inline(__always)
  private func number<V: DatabaseValueConvertible>(
    _ type: V.Type, _ key: Key, storedAs storageClass: CInt = SQLite.integerType
  ) throws -> V {
    guard isStrict else { return try value(type, key) }
    return try strictNumber(type, key, storageClass)
  }

  @inline(__always)
  private func numberIfPresent<V: DatabaseValueConvertible>(
    _ type: V.Type, _ key: Key, storedAs storageClass: CInt = SQLite.integerType
  ) throws -> V? {
    guard isStrict else { return try valueIfPresent(type, key) }
    return try strictNumberIfPresent(type, key, storageClass)
  }

  private func strictNumber<V: DatabaseValueConvertible>(
    _ type: V.Type, _ key: Key, _ storageClass: CInt
  ) throws -> V {
    let column = column(key)
    if column >= 0, let handle = live.pointee.handle,
      SQLite.columnType(handle, column) == storageClass,
      let value = V._value(of: handle, at: column)
    {
      return value
    }
    let (reading, slot) = try place(key)
    return try reading.number(type, slot)
  }

  /// Returns the text in the column if it is stored as text.
  @inline(__always)
  private func plainText(_ key: Key) -> String? {
    let column = column(key)
    guard column >= 0, let handle = live.pointee.handle else { return nil }
    let value = SQLite.columnValue(handle, column)
    guard SQLite.valueType(value) == SQLite.textType else { return nil }
    let bytes = SQLite.valueBytes(value, isText: true)
    // The bytes are nil if SQLite is out of memory.
    guard unsafe bytes.baseAddress != nil else { return nil }
    return unsafe String(decoding: bytes.bindMemory(to: UInt8.self), as: UTF8.self)
  }

  private func strictText(_ key: Key) throws -> String {
    if let text = plainText(key) { return text }
    let (reading, slot) = try place(key)
    return try reading.text(String.self, slot)
  }

  private func strictTextIfPresent(_ key: Key) throws -> String? {
    if let text = plainText(key) { return text }
    let (reading, slot) = try place(key)
    guard slot.column != nil, try !reading.isNull(slot) else { return nil }
    return try reading.text(String.self, slot)
  }

  private func strictNumberIfPresent<V: DatabaseValueConvertible>(
    _ type: V.Type, _ key: Key, _ storageClass: CInt
  ) throws -> V? {
    let column = column(key)
    if column >= 0, let handle = live.pointee.handle {
      switch SQLite.columnType(handle, column) {
      case storageClass:
        if let value = V._value(of: handle, at: column) { return value }
      case SQLite.nullType: return nil
      default: break
      }
    }
    let (reading, slot) = try place(key)
    guard slot.column != nil, try !reading.isNull(slot) else { return nil }
    return try reading.number(type, slot)
  }

  @inline(never)
  private func findValue<V: DatabaseValueConvertible>(_ type: V.Type, _ key: Key) throws -> V {
    let (reading, slot) = try place(key)
    if let value = try reading.value(type, slot) { return value }
    throw reading.mismatch(type, slot)
  }

  @inline(__always)
  private func valueIfPresent<V: DatabaseValueConvertible>(
    _ type: V.Type, _ key: Key
  ) throws -> V? {
    let column = column(key)
    if column >= 0 {
      if let handle = live.pointee.handle {
        if let value = V._value(of: handle, at: column) { return value }
        if SQLite.columnIsNull(handle, column) { return nil }
      } else if let image = live.pointee.image {
        if let value: V = image.value(Int(column)) { return value }
        if image.isNull(Int(column)) { return nil }
      }
    }
    return try findValueIfPresent(type, key)
  }

  @inline(never)
  private func findValueIfPresent<V: DatabaseValueConvertible>(
    _ type: V.Type, _ key: Key
  ) throws -> V? {
    let (reading, slot) = try place(key)
    guard slot.column != nil else { return nil }
    if let value = try reading.value(type, slot) { return value }
    if try reading.isNull(slot) { return nil }
    throw reading.mismatch(type, slot)
  }

  // The storage class is not sufficient, since the value must be 0 or 1.
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try number(type, key, storedAs: SQLite.nullType)
  }
  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    if isStrict { try strictText(key) } else { try value(type, key) }
  }
  @inline(__always)
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    if let value = plainInteger(key), let result = Int(exactly: value) { return result }
    return Int(truncatingIfNeeded: try otherInteger(key, isInt: true))
  }
  @inline(__always)
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    if let value = plainInteger(key) { return value }
    return try otherInteger(key, isInt: false)
  }
  @inline(__always)
  func decode<V: FixedWidthInteger & DatabaseValueConvertible & Decodable>(
    _ type: V.Type, forKey key: Key
  ) throws -> V { try number(type, key) }
  @inline(__always)
  func decode<V: BinaryFloatingPoint & DatabaseValueConvertible & Decodable>(
    _ type: V.Type, forKey key: Key
  ) throws -> V { try number(type, key, storedAs: SQLite.floatType) }

  // The protocol has a default implementation for each type, which the compiler prefers to a
  // generic method.
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try numberIfPresent(type, key, storedAs: SQLite.nullType)
  }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    if isStrict { try strictTextIfPresent(key) } else { try valueIfPresent(type, key) }
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try numberIfPresent(type, key, storedAs: SQLite.floatType)
  }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    try numberIfPresent(type, key, storedAs: SQLite.floatType)
  }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try numberIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
    try numberIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
    try numberIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
    try numberIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    try numberIfPresent(type, key)
  }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
    try numberIfPresent(type, key)
  }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
    try numberIfPresent(type, key)
  }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    try numberIfPresent(type, key)
  }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    try numberIfPresent(type, key)
  }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    try numberIfPresent(type, key)
  }

  // MARK: Other values

  func contains(_ key: Key) -> Bool {
    guard let reading, let row = reading.row, let slot = try? slot(key, reading) else {
      return false
    }
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
    let reading = try currentReading()
    return reading.decoder ?? RowDecoder(reading)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    let reading = try currentReading()
    return try reading.decoder(slot(key, reading)) ?? superDecoder()
  }
}
