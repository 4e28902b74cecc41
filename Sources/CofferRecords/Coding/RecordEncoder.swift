import CofferCore

/// An encoder of records, used for one after the other.
@usableFromInline
final class RecordEncoder: Encoder {
  let writing: RecordWriting
  /// The container for the keys that were asked for first.
  private var keyType: ObjectIdentifier?
  private var container: UnsafeMutableRawPointer?
  private var freeContainer: (() -> Void)?
  /// The containers for other types of keys: those of superclasses, mostly.
  private var containers: [ObjectIdentifier: AnyObject] = [:]

  private final class Box<Key: CodingKey> {
    let container: KeyedEncodingContainer<Key>

    init(_ container: KeyedEncodingContainer<Key>) { self.container = container }
  }

  init(_ record: any EncodableRecord.Type) {
    writing = RecordWriting(record)
    writing.encoder = self
  }

  deinit {
    writing.encoder = nil
    freeContainer?()
  }

  @usableFromInline var codingPath: [any CodingKey] { [] }
  @usableFromInline var userInfo: [CodingUserInfoKey: Any] { writing.userInfo }

  @usableFromInline
  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if keyType == ObjectIdentifier(type), let container {
      // SAFETY: made below, for that type of keys.
      return container.assumingMemoryBound(to: KeyedEncodingContainer<Key>.self).pointee
    }
    return findContainer(keyedBy: type)
  }

  private func findContainer<Key: CodingKey>(
    keyedBy type: Key.Type
  ) -> KeyedEncodingContainer<Key> {
    let id = ObjectIdentifier(type)
    if let known = containers[id] {
      // SAFETY: as above.
      return unsafeDowncast(known, to: Box<Key>.self).container
    }
    let made = KeyedEncodingContainer(RecordKeyedContainer<Key>(writing))
    if keyType == nil {
      let memory = UnsafeMutablePointer<KeyedEncodingContainer<Key>>.allocate(capacity: 1)
      memory.initialize(to: made)
      freeContainer = {
        memory.deinitialize(count: 1)
        memory.deallocate()
      }
      keyType = id
      container = UnsafeMutableRawPointer(memory)
    } else {
      containers[id] = Box<Key>(made)
    }
    return made
  }

  private var refusal: EncodingRefusal {
    EncodingRefusal(
      codingPath: [],
      message: "\(writing.record) has to encode keys, which are the names of its columns",
      encoder: self)
  }

  /// A list that takes nothing: a record has keys.
  @usableFromInline
  func unkeyedContainer() -> any UnkeyedEncodingContainer { RefusingUnkeyedContainer(refusal) }

  @usableFromInline
  func singleValueContainer() -> any SingleValueEncodingContainer { Wrapper(encoder: self) }

  /// A container for another type that has the keys.
  private struct Wrapper: SingleValueEncodingContainer {
    let encoder: RecordEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil() throws { throw encoder.refusal.error(String(describing: Any?.none)) }

    func encode<T: Encodable>(_ value: T) throws {
      if let record = value as? any EncodableRecord { return try encoder.encode(wrapped: record) }
      if value is any DatabaseValueConvertible { throw encoder.refusal.error(value) }
      try value.encode(to: encoder)
    }
  }
}

extension RecordEncoder {
  /// Encodes a record that is all there is in this one, in its own way.
  private func encode(wrapped record: any EncodableRecord) throws {
    guard let container = writing.live.pointee.container else { throw RecordWriting.recordIsGone }
    try record.encode(to: &container.pointee)
  }

  private static let waiting = WaitingObjects<RecordEncoder>()

  /// Encodes a record. The plan of a statement that it is bound to keeps the encoder.
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
    try withUnsafeMutablePointer(to: &container) { pointer in
      begin(pointer)
      defer { end() }
      try record.encode(to: self)
      try finish()
    }
  }

  @usableFromInline var isBusy: Bool { writing.live.pointee.container != nil }

  @usableFromInline
  func begin(_ container: UnsafeMutablePointer<PersistenceContainer>) {
    let live = writing.live
    live.pointee.container = container
    live.pointee.target = container.pointee.target
    live.pointee.use = container.pointee.use
  }

  /// Writes what is complete only when the record has been encoded.
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
  /// The encoder that waits for the next record of the type; nil where values aren't bound.
  @usableFromInline
  func encoder<Record: EncodableRecord>(of type: Record.Type) -> RecordEncoder? {
    guard let plan, plan.key.type == ObjectIdentifier(type) else { return nil }
    // SAFETY: nothing else is ever stored there.
    if let encoder = plan.encoder { return unsafeDowncast(encoder, to: RecordEncoder.self) }
    let encoder = RecordEncoder(type)
    plan.encoder = encoder
    return encoder
  }
}

extension EncodableRecord where Self: Encodable {
  /// Gives the columns that are named after the coding keys what `encode(to:)` encodes.
  ///
  /// Values that have no single database value are stored as JSON.
  /// - Throws: What `encode(to:)` throws, and `EncodingError` for what can't be stored.
  @inlinable
  public func encode(to container: inout PersistenceContainer) throws {
    try RecordEncoder.encode(self, to: &container)
  }
}
