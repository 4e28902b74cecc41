/// Any type that is an optional.
protocol ProbedOptional {
  static var wrappedType: Any.Type { get }
}

extension Optional: ProbedOptional {
  static var wrappedType: Any.Type { Wrapped.self }
}

/// Has every key; the keys of the type itself are noted.
struct ProbingKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: ProbingDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }
  private var log: ProbeLog { decoder.log }
  private var isTop: Bool { decoder.depth == 0 }

  init(decoder: ProbingDecoder) { self.decoder = decoder }

  /// One case, where the keys are the cases of an enum: the type may be an enum
  /// with associated values, which wants one key. Dictionaries are empty.
  var allKeys: [Key] {
    guard let plain = PlainEnum(Key.self) else { return [] }
    return [plain.value(at: log.currentVariant % plain.count)]
  }

  /// Of a nested value, nothing that can be missing is there: recursions end.
  func contains(_ key: Key) -> Bool {
    guard isTop else { return false }
    log.note(key, isOptional: true)
    return true
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    guard isTop else { return true }
    log.note(key, isOptional: true)
    return false
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    guard isTop else { return try decoder.value(type, key: key) }
    if let optional = T.self as? any ProbedOptional.Type {
      log.enter(key, type: optional.wrappedType, isOptional: true)
    } else {
      log.enter(key, type: type)
    }
    defer { log.leave() }
    return try decoder.value(type, key: key)
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    guard isTop else { return nil }
    log.enter(key, type: type, isOptional: true)
    defer { log.leave() }
    guard log.currentVariant > 0, let value = try? decoder.value(type, key: key) else {
      return log.give(T?.none)
    }
    return value
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    if isTop { log.enter(key) }
    return try decoder.nested(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    if isTop { log.enter(key) }
    return try decoder.nested(key).unkeyedContainer()
  }

  /// The same level: a table's row has the columns of the class and of its superclass.
  func superDecoder() throws -> any Decoder {
    try log.step(depth: decoder.depth)
    return decoder
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    if isTop { log.enter(key) }
    return decoder.nested(key)
  }
}

/// Empty, or one element long where another value than the first is wanted.
/// Who reads on regardless gets further values.
struct ProbingUnkeyedContainer: UnkeyedDecodingContainer {
  let decoder: ProbingDecoder
  let count: Int?
  private(set) var currentIndex = 0
  var codingPath: [any CodingKey] { decoder.codingPath }
  var isAtEnd: Bool { currentIndex >= count ?? 0 }

  init(decoder: ProbingDecoder) {
    self.decoder = decoder
    count = decoder.log.currentVariant > 0 && decoder.depth < 3 ? 1 : 0
  }

  mutating func decodeNil() throws -> Bool { false }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    currentIndex += 1
    return try decoder.value(type)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    currentIndex += 1
    return try decoder.nested().container(keyedBy: keyType)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    currentIndex += 1
    return try decoder.nested().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder {
    currentIndex += 1
    return decoder.nested()
  }
}

struct ProbingSingleValueContainer: SingleValueDecodingContainer {
  let decoder: ProbingDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { decoder.log.currentVariant == 0 }

  func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.value(type) }
}
