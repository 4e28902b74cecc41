import CofferCore

/// The columns of a record, under coding keys.
///
/// Like ``RowKeyedContainer``, it recognizes keys by their byte, and doesn't count references.
@safe struct RecordKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  private let form = KeyForm(Key.self)
  private let generation: UInt32
  @safe private let live: UnsafeMutablePointer<LiveTarget>
  /// The names of the keys' columns.
  ///
  /// Like the table, they exist as long as `live` has the generation.
  @safe private let words: UnsafeMutablePointer<TextWords>
  @safe private let unsafeTable: Unmanaged<KeyTable<EncodedColumn, TextWords>>

  init(_ writing: RecordWriting) {
    live = writing.live
    generation = writing.live.pointee.generation
    let table = writing.makeKeyTable()
    words = table.words
    unsafeTable = unsafe .passUnretained(table)
  }

  private var writing: RecordWriting? {
    // SAFETY: when a writing is deallocated, it returns its memory, which gets another generation.
    unsafe live.pointee.generation == generation ? live.pointee.writing?.takeUnretainedValue() : nil
  }

  private func currentWriting() throws -> RecordWriting {
    guard let writing else { throw RecordWriting.recordIsGone }
    return writing
  }

  var codingPath: [any CodingKey] { [] }

  private func column(_ key: Key, _ writing: RecordWriting) -> EncodedColumn {
    guard let byte = form.byte(of: key) else { return writing.column(key) }
    // SAFETY: `writing` exists, and owns the table.
    let table = unsafe unsafeTable._withUnsafeGuaranteedRef { $0 }
    return table.column(byte) {
      let column = writing.column(key)
      return (column, TextWords(column.name))
    }
  }

  // MARK: Values bound without conversion

  /// Binds the value if its column is the next one.
  @inline(__always)
  private func bind<V: DatabaseValueConvertible>(_ value: V?, _ key: Key) -> Bool {
    // SAFETY: with this generation, the table exists; it has words for all bytes.
    guard live.pointee.generation == generation, let target = live.pointee.target,
      let byte = form.byte(of: key)
    else { return false }
    return BindingTarget.bind(value, to: target, live.pointee.use, forColumnWith: words[byte])
  }

  @inline(__always)
  private func set<V: DatabaseValueConvertible>(_ value: V?, _ key: Key) throws {
    if !bind(value, key) { try setSlowly(value, key) }
  }

  @inline(never)
  private func setSlowly<V: DatabaseValueConvertible>(_ value: V?, _ key: Key) throws {
    let writing = try currentWriting()
    try writing.set(value, column(key, writing))
  }

  @inline(__always)
  private func setScalar<V: Scalar>(_ value: V?, _ key: Key) throws {
    if let value, !value.isStorable { try checkUnstorable(value, key) }
    try set(value, key)
  }

  /// Throws unless the record type allows NULL to be stored instead, which SQLite does for NaN.
  @inline(never)
  private func checkUnstorable(_ value: any Scalar, _ key: Key) throws {
    let writing = try currentWriting()
    let isReal = type(of: value).storageClass == SQLite.floatType
    if isReal, !(writing.record is any StrictlyDecoded.Type) { return }
    let message = isReal ? "SQLite has no NaN" : "SQLite's largest integer is \(Int64.max)"
    throw writing.invalid(value, column(key, writing), message)
  }

  func encodeNil(forKey key: Key) throws { try set(DatabaseValue.null, key) }
  @inline(__always)
  func encode<V: Scalar>(_ value: V, forKey key: Key) throws {
    if !value.isStorable || !bind(value, key) { try encodeSlowly(value, key) }
  }

  @inline(never)
  private func encodeSlowly<V: Scalar>(_ value: V, _ key: Key) throws {
    try setScalar(value, key)
  }

  // The protocol has a default implementation for each type, which the compiler prefers to a
  // generic method.
  func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try setScalar(value, key) }
  func encodeIfPresent(_ value: String?, forKey key: Key) throws { try setScalar(value, key) }
  func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try setScalar(value, key) }
  func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try setScalar(value, key) }
  func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try setScalar(value, key) }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try setScalar(value, key) }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try setScalar(value, key) }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try setScalar(value, key) }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try setScalar(value, key) }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try setScalar(value, key) }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try setScalar(value, key) }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try setScalar(value, key) }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try setScalar(value, key) }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try setScalar(value, key) }

  // MARK: Other values

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    let writing = try currentWriting()
    let column = column(key, writing)
    try column.writer(T.self, writing).write(value, column, writing)
  }

  /// Sets the column, with NULL for nil.
  func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
    guard let value else { return try encodeNil(forKey: key) }
    try encode(value, forKey: key)
  }

  // MARK: Containers in containers

  /// Returns an encoder for the same row, which also has columns for a superclass's properties.
  func superEncoder() -> any Encoder { writing?.encoder ?? JSONNode() }

  /// Returns an encoder for the key's column.
  ///
  /// A single value is stored directly, other content as JSON.
  func superEncoder(forKey key: Key) -> any Encoder {
    guard let writing else { return JSONNode() }
    return writing.node(column(key, writing))
  }
}
