/// What a type's `init(from:)` asks for, and what it was given.
final class ProbeLog {
  /// What is under a key.
  struct Field {
    let property: String
    let key: String
    var type: Any.Type?
    var isOptional: Bool
    /// The value that was given, and those inside of it.
    var given: [Any] = []
  }

  /// How far to go.
  enum Extent {
    /// Until the first container tells its keys.
    case keys
    case all
  }

  let extent: Extent
  /// Which of the values to give, by key; the others get `variant`.
  let variants: [String: Int]
  let variant: Int

  private(set) var fields: [Field] = []
  private var positions: [String: Int] = [:]
  /// The keys that the containers of the type itself declare.
  private(set) var declared: [CodableShape.Key] = []
  /// Whether the type reads keys at all.
  private(set) var isKeyed = false

  /// The key whose value is being decoded.
  private var current: Int?
  private var remainingSteps = 10_000

  init(_ extent: Extent, variant: Int = 0, variants: [String: Int] = [:]) {
    self.extent = extent
    self.variant = variant
    self.variants = variants
  }

  func declare<Key: CodingKey>(_ type: Key.Type) throws {
    isKeyed = true
    if let plain = PlainEnum(type) {
      for key in plain.values where !declared.contains(where: { $0.name == key.stringValue }) {
        declared.append(CodableShape.Key(key))
      }
    }
    if extent == .keys { throw ProbeError.stop }
  }

  /// Notes a key that is asked for. Optionality and type are what any of the
  /// calls tell.
  /// - Returns: The field's position.
  @discardableResult
  func note<Key: CodingKey>(
    _ key: Key, type: Any.Type? = nil, isOptional: Bool = false
  ) -> Int {
    if let position = positions[key.stringValue] {
      if let type { fields[position].type = type }
      if isOptional { fields[position].isOptional = true }
      return position
    }
    let name = CodableShape.Key(key)
    let position = fields.count
    positions[name.name] = position
    fields.append(
      Field(property: name.property, key: name.name, type: type, isOptional: isOptional))
    return position
  }

  /// Notes a key whose value is decoded next.
  func enter<Key: CodingKey>(_ key: Key, type: Any.Type? = nil, isOptional: Bool = false) {
    current = note(key, type: type, isOptional: isOptional)
  }

  func leave() { current = nil }

  func give<T>(_ value: T) -> T {
    if let current { fields[current].given.append(value) }
    return value
  }

  var currentVariant: Int { current.flatMap { variants[fields[$0].key] } ?? variant }

  /// Ends recursions and endless loops.
  func step(depth: Int) throws {
    remainingSteps -= 1
    guard remainingSteps > 0, depth < 12 else { throw ProbeError.stop }
  }
}

enum ProbeError: Error {
  /// Nothing more is to be known.
  case stop
}
