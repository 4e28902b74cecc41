/// A keyed container that contains every key.
struct SampleKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: SampleDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }
  /// Returns no keys, since the type should ask for keys by name.
  ///
  /// One key for an enum with associated values, which determines its case this way.
  var allKeys: [Key] {
    decoder.node.hasAnyKeys = true
    guard decoder.run.use != .document, let plain = PlainEnum(Key.self) else { return [] }
    return [plain.value(at: decoder.choice % plain.count)]
  }

  private func inside(_ key: Key) -> SampleDecoder {
    decoder.inside(decoder.node.child(key.stringValue, property: enumCaseName(key)))
  }

  func contains(_ key: Key) -> Bool { true }

  func decodeNil(forKey key: Key) throws -> Bool {
    let inside = inside(key)
    inside.node.isOptional = true
    inside.node.isNil = inside.omits
    return inside.omits
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try inside(key).value(type)
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    let inside = inside(key)
    inside.node.isOptional = true
    // Types that can be nil themselves are decoded.
    if inside.omits, !(type is any ExpressibleByNilLiteral.Type) {
      inside.node.isNil = true
      return nil
    }
    do {
      try decoder.mayOmit(type)
      return try inside.value(type)
    } catch {
      try decoder.run.omit(after: error)
      inside.node.restart()
      inside.node.given.append(T?.none as Any)
      return nil
    }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try inside(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try inside(key).unkeyedContainer()
  }

  /// Returns a decoder of the same level for the root type.
  ///
  /// A row has the columns of a class and its superclass.
  func superDecoder() throws -> any Decoder {
    try decoder.run.step()
    return decoder.isRoot ? decoder : decoder.inside(decoder.node.child("super"))
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { inside(key) }
}

/// An unkeyed container with one element; further reads succeed too.
struct SampleUnkeyedContainer: UnkeyedDecodingContainer {
  let decoder: SampleDecoder
  private(set) var currentIndex = 0
  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { 1 }
  var isAtEnd: Bool { currentIndex > 0 }

  init(decoder: SampleDecoder) { self.decoder = decoder }

  private mutating func next() -> SampleDecoder {
    defer { currentIndex += 1 }
    return decoder.inside(decoder.node.child("[\(currentIndex)]", isInList: true))
  }

  mutating func decodeNil() throws -> Bool { false }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next().value(type) }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try next().container(keyedBy: keyType)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { next() }
}

struct SampleSingleValueContainer: SingleValueDecodingContainer {
  let decoder: SampleDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool {
    decoder.node.isOptional = true
    return false
  }

  func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.value(type) }
}
