import CofferCore

/// A part of the JSON of a column, recorded while `encode(to:)` describes it piece by piece.
///
/// Once it is complete, it replays the recorded content to a JSON encoder. A node can also refuse
/// all values, for encoders without keys or elements.
final class JSONNode: Encoder, UnkeyedEncodingContainer, SingleValueEncodingContainer, Encodable {
  private enum Content {
    case keyed([(key: String, value: any Encodable)])
    case list([any Encodable])
    case single(any Encodable)
  }

  private var content = Content.keyed([])
  let userInfo: [CodingUserInfoKey: Any]
  let codingPath: [any CodingKey]
  /// The reason for which the node refuses all values; nil if it records them.
  private let refusal: String?

  init(
    userInfo: [CodingUserInfoKey: Any] = [:], codingPath: [any CodingKey] = [],
    refusal: String? = nil
  ) {
    self.userInfo = userInfo
    self.codingPath = codingPath
    self.refusal = refusal
  }

  private func child(_ key: any CodingKey) -> JSONNode {
    JSONNode(userInfo: userInfo, codingPath: codingPath + [key], refusal: refusal)
  }

  /// Stores the recorded content in a column: a single value directly, other content as JSON.
  func write(to column: EncodedColumn, _ writing: RecordWriting) throws {
    if case .single(let value) = content {
      func open<T: Encodable>(_ value: T) throws {
        try column.writer(T.self, writing).write(value, column, writing)
      }
      return try open(value)
    }
    try column.writer(JSONNode.self, writing).write(self, column, writing)
  }

  // MARK: Replaying

  func encode(to encoder: any Encoder) throws {
    switch content {
    case .keyed(let values):
      var container = encoder.container(keyedBy: StringKey.self)
      for (key, value) in values { try container.encode(value, forKey: StringKey(key)) }
    case .list(let values):
      var container = encoder.unkeyedContainer()
      for value in values { try container.encode(value) }
    case .single(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }

  // MARK: Recording

  /// Throws if the node refuses all values.
  func accept(_ value: Any) throws {
    guard let refusal else { return }
    throw EncodingError.invalidValue(
      value, EncodingError.Context(codingPath: codingPath, debugDescription: refusal))
  }

  fileprivate func note(_ value: any Encodable, _ key: any CodingKey) throws {
    try accept(value)
    var values: [(key: String, value: any Encodable)] = []
    if case .keyed(let known) = content { values = known }
    values.removeAll { $0.key == key.stringValue }
    content = .keyed(values + [(key.stringValue, value)])
  }

  var count: Int { if case .list(let values) = content { values.count } else { 0 } }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .keyed = content {} else { content = .keyed([]) }
    return KeyedEncodingContainer(Keyed<Key>(node: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .list = content {} else { content = .list([]) }
    return self
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    if case .list = content { content = .keyed([]) }
    return self
  }

  func encodeNil() throws { try encode(Null()) }

  /// Records an element of the list, or else the single value.
  func encode<T: Encodable>(_ value: T) throws {
    guard case .list(let values) = content else { return content = .single(value) }
    try accept(value)
    content = .list(values + [value])
  }

  func superEncoder() -> any Encoder {
    let child = child(StringKey("Index \(count)"))
    try? encode(child)
    return child
  }

  private struct Null: Encodable {
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    }
  }

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: JSONNode
    var codingPath: [any CodingKey] { node.codingPath }

    func encodeNil(forKey key: Key) throws { try node.note(Null(), key) }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try node.note(value, key) }
    func superEncoder() -> any Encoder { superEncoder(StringKey("super")) }
    func superEncoder(forKey key: Key) -> any Encoder { superEncoder(key) }

    private func superEncoder(_ key: any CodingKey) -> any Encoder {
      let child = node.child(key)
      try? node.note(child, key)
      return child
    }
  }
}

// MARK: - Containers in containers

extension KeyedEncodingContainerProtocol {
  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    superEncoder(forKey: key).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    superEncoder(forKey: key).unkeyedContainer()
  }
}

extension UnkeyedEncodingContainer {
  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    superEncoder().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    superEncoder().unkeyedContainer()
  }
}
