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
    guard let encoder = container.encoder(of: Record.self), !encoder.isBusy else {
      return try encodeUnbound(record, to: &container)
    }
    try encoder.encode(record, to: &container)
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
    try encoder.encode(record, to: &container)
  }

  @inlinable
  func encode<Record: Encodable>(
    _ record: Record, to container: inout PersistenceContainer
  ) throws {
    try unsafe withUnsafeMutablePointer(to: &container) { pointer in
      begin(pointer)
      defer { end() }
      try record.encode(to: self)
      try finish()
    }
  }

  @usableFromInline var isBusy: Bool { unsafe writing.live.pointee.container != nil }

  @usableFromInline
  @safe func begin(_ container: UnsafeMutablePointer<PersistenceContainer>) {
    let live = writing.live
    unsafe live.pointee.container = unsafe container
    unsafe live.pointee.target = unsafe container.pointee.target
    unsafe live.pointee.use = unsafe container.pointee.use
  }

  /// Writes the columns whose JSON is complete once the record has been encoded.
  @usableFromInline
  func finish() throws { if writing.hasNodes { try writing.writeNodes() } }

  @usableFromInline
  func end() {
    writing.live.pointee.container = nil
    writing.live.pointee.target = nil
    if writing.hasNodes { writing.dropNodes() }
  }
}

extension PersistenceContainer {
  /// Returns the encoder that is kept for the type; nil if values aren't bound.
  @usableFromInline
  func encoder<Record: EncodableRecord>(of type: Record.Type) -> RecordEncoder? {
    guard let plan, plan.key.type == ObjectIdentifier(type) else { return nil }
    if let encoder = plan.encoder { return encoder }
    let encoder = RecordEncoder(type)
    plan.encoder = encoder
    return encoder
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
