import CofferCore

/// An encoder of records, which is reused for one record after another.
@usableFromInline
final class RecordEncoder: Encoder, SingleValueEncodingContainer {
  let writing: RecordWriting
  @safe @exclusivity(unchecked) private var containers = KeptContainers()

  init(_ record: any EncodableRecord.Type) {
    writing = RecordWriting(record)
    writing.encoder = self
  }

  deinit { writing.encoder = nil }

  @usableFromInline var codingPath: [any CodingKey] { [] }
  @usableFromInline var userInfo: [CodingUserInfoKey: Any] { writing.userInfo }

  @usableFromInline
  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    containers.container(keyedBy: type) {
      KeyedEncodingContainer(RecordKeyedContainer<Key>(writing))
    }
  }

  /// A node that refuses all values, since a record has to encode keys.
  private var refusingNode: JSONNode {
    JSONNode(refusal: "\(writing.record) has to encode keys, which are the names of its columns")
  }

  @usableFromInline
  func unkeyedContainer() -> any UnkeyedEncodingContainer { refusingNode.unkeyedContainer() }

  @usableFromInline
  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  // MARK: A type that wraps another one, which encodes the keys

  @usableFromInline
  func encodeNil() throws { try refusingNode.accept(String(describing: Any?.none)) }

  @usableFromInline
  func encode<T: Encodable>(_ value: T) throws {
    if let record = value as? any EncodableRecord {
      guard let container = writing.live.pointee.container else { throw RecordWriting.recordIsGone }
      return try unsafe record.encode(to: &container.pointee)
    }
    if value is any DatabaseValueConvertible { try refusingNode.accept(value) }
    try value.encode(to: self)
  }
}

extension RecordEncoder {
  private static let waiting = WaitingObjects<RecordEncoder>()

  /// Encodes a record.
  ///
  /// If the record is bound to a statement, the statement's plan keeps the encoder.
  @inlinable
  static func encode<Record: EncodableRecord & Encodable>(
    _ record: Record, to container: inout PersistenceContainer
  ) throws {
    let isBound = try unsafe withUnsafeMutablePointer(to: &container) { pointer in
      guard let encoder = begin(Record.self, pointer) else { return false }
      try encoder.finish(record)
      return true
    }
    if !isBound { try encodeUnbound(record, to: &container) }
  }

  @usableFromInline
  static func encodeUnbound<Record: EncodableRecord & Encodable>(
    _ record: Record, to container: inout PersistenceContainer
  ) throws {
    let id = ObjectIdentifier(Record.self)
    // Types share slots.
    let known = waiting.take(id).flatMap { ObjectIdentifier($0.writing.record) == id ? $0 : nil }
    let encoder = known ?? RecordEncoder(Record.self)
    defer { waiting.put(encoder, id) }
    try unsafe withUnsafeMutablePointer(to: &container) { pointer in
      encoder.begin(pointer)
      try encoder.finish(record)
    }
  }

  /// Begins with a record that is bound to a statement, with the encoder that its plan keeps.
  ///
  /// Nil if values aren't bound, or if the encoder is in use.
  @usableFromInline
  @safe static func begin<Record: EncodableRecord>(
    _ type: Record.Type, _ container: UnsafeMutablePointer<PersistenceContainer>
  ) -> RecordEncoder? {
    guard let target = unsafe container.pointee.target,
      unsafe target.pointee.use == container.pointee.use
    else { return nil }
    // SAFETY: `use` matches, so the target's plan is in use, and a plan in use isn't released.
    return unsafe target.pointee.plan?._withUnsafeGuaranteedRef { plan in
      guard plan.key.type == ObjectIdentifier(type) else { return nil }
      let encoder = plan.encoder ?? RecordEncoder(type)
      if plan.encoder == nil { plan.encoder = encoder }
      guard unsafe encoder.writing.live.pointee.container == nil else { return nil }
      encoder.begin(container)
      return encoder
    }
  }

  @inline(__always)
  @safe private func begin(_ container: UnsafeMutablePointer<PersistenceContainer>) {
    let live = writing.live
    unsafe live.pointee.container = unsafe container
    unsafe live.pointee.target = unsafe container.pointee.target
    unsafe live.pointee.use = unsafe container.pointee.use
  }

  /// Encodes the record with which it has begun.
  @inlinable @inline(__always)
  func finish<Record: Encodable>(_ record: Record) throws {
    do { try record.encode(to: self) } catch {
      end()
      throw error
    }
    try finish()
  }

  /// Writes the columns whose JSON is complete once the record has been encoded.
  @usableFromInline
  func finish() throws {
    defer { end() }
    if writing.hasNodes { try writing.writeNodes() }
  }

  @usableFromInline
  func end() {
    writing.live.pointee.container = nil
    writing.live.pointee.target = nil
    if writing.hasNodes { writing.dropNodes() }
  }
}

extension EncodableRecord where Self: Encodable {
  /// Sets the columns of the coding keys to the values that `encode(to:)` encodes.
  ///
  /// Values that have no single database value are stored as JSON.
  /// - Throws: The error of `encode(to:)`, or `EncodingError` for a value that can't be stored.
  @inlinable
  public func encode(to container: inout PersistenceContainer) throws {
    try RecordEncoder.encode(self, to: &container)
  }
}
