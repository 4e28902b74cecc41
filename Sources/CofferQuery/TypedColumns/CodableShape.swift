import Synchronization

/// What a `Decodable` type stores: its keys, with the properties and the types
/// behind them.
///
/// It is found by running the type's `init(from:)` against a decoder that notes
/// what it is asked for and answers with made-up values, once for a type and process.
/// Where `init(from:)` refuses all of these values, what it asked for until then
/// is known, and all keys if they are an enum's.
package struct CodableShape: Sendable {
  /// A coding key, and the property that it stands for.
  package struct Key: Hashable, Sendable {
    /// The property: the name of the key's case, and the key itself where it is none.
    package let property: String
    /// The key's string.
    package let name: String

    init<K: CodingKey>(_ key: K) {
      name = key.stringValue
      property = enumCaseName(key) ?? key.stringValue
    }

    init(property: String, name: String) {
      self.property = property
      self.name = name
    }
  }

  /// What is stored under a key.
  package struct Field: Sendable {
    package let key: Key
    /// The type that is decoded, without its optional; nil where the keys or
    /// elements of a nested container are.
    package let type: Any.Type?
    /// Whether the value may be missing.
    package let isOptional: Bool
  }

  /// Where the values are.
  package enum Layout: Sendable {
    /// Under keys.
    case keyed
    /// In a single value, or a list.
    case unkeyed
  }

  /// The type itself.
  package let type: Any.Type
  package let layout: Layout
  /// What is decoded, in the order of decoding, superclasses included.
  package let fields: [Field]
  /// The keys of ``fields``, and those that are declared and have not been seen
  /// to be decoded.
  package let keys: [Key]
  /// Whether `init(from:)` came to its end, so that ``fields`` are all there are.
  package let isComplete: Bool

  /// The shape of a type.
  package static func of<T: Decodable>(_ type: T.Type) -> CodableShape {
    let id = ObjectIdentifier(type)
    if let shape = known.withLock({ $0[id] }) { return shape }
    // Found without the lock, since `init(from:)` may well ask for a shape.
    let shape = CodableShape(probing: type)
    known.withLock { $0[id] = shape }
    return shape
  }

  /// The shape of a type, if it is `Decodable`.
  package static func of(any type: Any.Type) -> CodableShape? {
    guard let type = type as? any Decodable.Type else { return nil }
    func open<T: Decodable>(_ type: T.Type) -> CodableShape { of(type) }
    return open(type)
  }

  /// The key of a property.
  package func key(ofProperty property: String) -> Key? {
    keys.first { $0.property == property }
  }

  /// The keys that the type's first container declares, if they are an enum's: no
  /// code of the type runs after it has asked for its container.
  package static func declaredKeys<T: Decodable>(_ type: T.Type) -> [Key] {
    let log = ProbeLog(.keys)
    _ = try? T(from: ProbingDecoder(log))
    return log.declared
  }

  // MARK: Probing

  private static let known = Mutex<[ObjectIdentifier: CodableShape]>([:])

  private init<T: Decodable>(probing type: T.Type) {
    let (value, log) = Self.probe(type)
    self.type = type
    isComplete = value != nil
    layout = log.isKeyed || !log.fields.isEmpty ? .keyed : .unkeyed
    fields = log.fields.map {
      Field(
        key: Key(property: $0.property, name: $0.key), type: $0.type, isOptional: $0.isOptional)
    }
    let seen = fields.map(\.key)
    keys = seen + log.declared.filter { key in !seen.contains { $0.name == key.name } }
  }

  /// An instance made of the first made-up values that the type accepts, or else
  /// what was learned with those that got farthest.
  static func probe<T: Decodable>(_ type: T.Type) -> (T?, ProbeLog) {
    var best: ProbeLog?
    for variant in 0..<ProbeValue.variantCount {
      let log = ProbeLog(.all, variant: variant)
      if let value = try? T(from: ProbingDecoder(log)) { return (value, log) }
      if log.fields.count > best?.fields.count ?? -1 { best = log }
    }
    return (nil, best ?? ProbeLog(.all))
  }
}
