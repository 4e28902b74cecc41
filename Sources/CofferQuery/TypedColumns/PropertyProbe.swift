import FoundationEssentials

/// Finds the key behind a key path that doesn't know its property's name.
///
/// Those are key paths of properties with observers or wrappers, and of classes
/// that are not final. Instances that differ in one key only tell: it is the
/// key with which the property changes, and whose values are the property's.
enum PropertyProbe {
  /// The one key whose decoded values the key path reads; nil where there is
  /// none, or no instance.
  static func key<Record: Decodable>(
    of keyPath: PartialKeyPath<Record>, in record: Record.Type
  ) -> CodableShape.Key? {
    func open<Value>(_: Value.Type) -> CodableShape.Key? {
      guard let keyPath = keyPath as? KeyPath<Record, Value> else { return nil }
      return key(of: keyPath)
    }
    return _openExistential(type(of: keyPath).valueType, do: open)
  }

  private static func key<Record: Decodable, Value>(
    of keyPath: KeyPath<Record, Value>
  ) -> CodableShape.Key? {
    let (base, log) = CodableShape.probe(Record.self)
    guard let base, let baseValue = Comparand(base[keyPath: keyPath]) else { return nil }
    let matches = log.fields.filter { field in
      var differs = false
      for variant in 0..<ProbeValue.variantCount where variant != log.variant {
        let varied = ProbeLog(.all, variant: log.variant, variants: [field.key: variant])
        guard let other = try? Record(from: ProbingDecoder(varied)) else { continue }
        guard let value = Comparand(other[keyPath: keyPath]) else { return false }
        let given = varied.fields.first { $0.key == field.key }?.given ?? []
        guard given.contains(where: { ($0 as? Value).flatMap(Comparand.init) == value }) else {
          return false
        }
        if value != baseValue { differs = true }
      }
      return differs
    }
    guard matches.count == 1 else { return nil }
    return CodableShape.Key(property: matches[0].property, name: matches[0].key)
  }
}

/// A value that can be compared, as itself or by its JSON.
private struct Comparand: Equatable {
  private let value: AnyHashableOrEquatable

  init?<Value>(_ value: Value) {
    if let equatable = value as? any Equatable {
      self.value = .equatable(equatable)
    } else if let encodable = value as? any Encodable, let json = Self.json(encodable) {
      self.value = .json(json)
    } else {
      return nil
    }
  }

  private static func json<E: Encodable>(_ value: E) -> Data? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try? encoder.encode([value])
  }

  private enum AnyHashableOrEquatable: Equatable {
    case equatable(any Equatable)
    case json(Data)

    static func == (lhs: Self, rhs: Self) -> Bool {
      func equal<E: Equatable>(_ lhs: E, _ rhs: any Equatable) -> Bool { lhs == rhs as? E }
      return switch (lhs, rhs) {
      case (.equatable(let lhs), .equatable(let rhs)): equal(lhs, rhs)
      case (.json(let lhs), .json(let rhs)): lhs == rhs
      default: false
      }
    }
  }
}
