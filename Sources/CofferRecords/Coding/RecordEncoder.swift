import CofferCore
import Synchronization

/// An encoder of records, used for one after the other.
@usableFromInline
final class RecordEncoder: Encoder {
  let writing: RecordWriting
  private var keyType: ObjectIdentifier?
  private var container: AnyObject?
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

  deinit { writing.encoder = nil }

  @usableFromInline var codingPath: [any CodingKey] { [] }
  @usableFromInline var userInfo: [CodingUserInfoKey: Any] { writing.userInfo }

  @usableFromInline
  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    let id = ObjectIdentifier(type)
    if let known = keyType == id ? container : containers[id] {
      // SAFETY: made below, for that type of keys.
      return unsafeDowncast(known, to: Box<Key>.self).container
    }
    let box = Box(KeyedEncodingContainer(RecordKeyedContainer<Key>(writing)))
    if keyType == nil {
      keyType = id
      container = box
    } else {
      containers[id] = box
    }
    return box.container
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
      if value is any DatabaseValueConvertible { throw encoder.refusal.error(value) }
      try value.encode(to: encoder)
    }
  }
}

extension RecordEncoder {
  /// Encoders of all types that nobody uses.
  // SAFETY: an encoder is used by the thread that has taken it out, under the lock.
  private struct Pool: @unchecked Sendable {
    var free: [ObjectIdentifier: RecordEncoder] = [:]
  }

  private static let pool = Mutex(Pool())

  // SAFETY: an encoder on its way in or out of the pool.
  private struct Loan: @unchecked Sendable {
    let encoder: RecordEncoder?
  }

  /// Encodes a record.
  @usableFromInline
  static func encode<Record: EncodableRecord & Encodable>(
    _ record: Record, to container: inout PersistenceContainer
  ) throws {
    let id = ObjectIdentifier(Record.self)
    let loan = pool.withLock { Loan(encoder: $0.free.removeValue(forKey: id)) }
    let encoder = loan.encoder ?? RecordEncoder(Record.self)
    defer {
      let loan = Loan(encoder: encoder)
      pool.withLock { $0.free[id] = loan.encoder }
    }
    try encoder.writing.encode(to: &container) { try record.encode(to: encoder) }
  }
}

extension EncodableRecord where Self: Encodable {
  /// Gives the columns that are named after the coding keys what `encode(to:)` encodes.
  ///
  /// Values that have no single database value are stored as JSON.
  /// - Throws: What `encode(to:)` throws, and `EncodingError` for what can't be stored.
  public func encode(to container: inout PersistenceContainer) throws {
    try RecordEncoder.encode(self, to: &container)
  }
}
