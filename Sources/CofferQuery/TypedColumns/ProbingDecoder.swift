/// A decoder without input, which notes what it is asked for and answers with
/// made-up values.
struct ProbingDecoder: Decoder {
  let log: ProbeLog
  /// How many values this one is inside of; 0 for the type itself.
  let depth: Int
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ log: ProbeLog, depth: Int = 0, codingPath: [any CodingKey] = []) {
    self.log = log
    self.depth = depth
    self.codingPath = codingPath
  }

  func nested(_ key: (any CodingKey)? = nil) -> ProbingDecoder {
    ProbingDecoder(log, depth: depth + 1, codingPath: key.map { codingPath + [$0] } ?? codingPath)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try log.step(depth: depth)
    if depth == 0 { try log.declare(type) }
    return KeyedDecodingContainer(ProbingKeyedContainer<Key>(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try log.step(depth: depth)
    return ProbingUnkeyedContainer(decoder: self)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    try log.step(depth: depth)
    return ProbingSingleValueContainer(decoder: self)
  }

  /// A value of the type, which is inside of this one.
  func value<T: Decodable>(_ type: T.Type, key: (any CodingKey)? = nil) throws -> T {
    try log.step(depth: depth)
    let variant = log.currentVariant
    if let value = ProbeValue.known(type, variant: variant) { return log.give(value) }
    do {
      return log.give(try T(from: nested(key)))
    } catch {
      guard let value = ProbeValue.fallback(type, variant: variant) else { throw error }
      return log.give(value)
    }
  }
}
