/// A place in a document that a sample decoder was asked for: a property, or one inside of it.
final class SampleNode {
  /// The coding key, or an index as `[0]`.
  let key: String
  /// The name of the property; the key itself where that isn't known.
  let property: String
  let path: [String]
  let properties: [String]
  private let hash: UInt64

  /// The type that was asked for first: the declared one, but for its optional.
  private(set) var type: (any Any.Type)?
  var isOptional = false
  /// Whether it is part of a list, where it has no index of its own.
  let isInList: Bool
  private(set) var config = DocumentPropertyConfig()
  private(set) var children: [SampleNode] = []
  /// Whether the type may have keys that it wasn't asked for by name.
  var hasAnyKeys = false
  /// The values that the document has there: that of the wrapper, that inside of it, ….
  var given: [Any] = []
  /// Whether it was told to be nil.
  var isNil = false

  init() {
    key = ""
    property = ""
    path = []
    properties = []
    hash = 0xCBF2_9CE4_8422_2325
    isInList = false
  }

  private init(_ key: String, _ property: String, _ parent: SampleNode, isInList: Bool) {
    self.key = key
    self.property = property
    path = parent.path + [key]
    properties = parent.properties + [property]
    hash = key.utf8.reduce((parent.hash ^ 0x2F) &* 0x100_0000_01B3) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
    self.isInList = isInList || parent.isInList
  }

  /// The place inside of this one.
  func child(_ key: String, property: String? = nil, isInList: Bool = false) -> SampleNode {
    if let child = children.first(where: { $0.key == key }) { return child }
    let child = detached(key, property: property, isInList: isInList)
    children.append(child)
    return child
  }

  /// A place that no key path leads to.
  func detached(_ key: String, property: String? = nil, isInList: Bool = true) -> SampleNode {
    SampleNode(key, property ?? key, self, isInList: isInList)
  }

  func note(_ type: any Any.Type) { if self.type == nil { self.type = type } }

  /// Notes what a wrapper configures.
  /// - Returns: False if another one says something else.
  func note(_ config: PropertyConfig) -> Bool { self.config.add(config) }

  /// Forgets what is inside, before another try.
  func restart() {
    children = []
    given = []
    isNil = false
  }

  /// What tells the place from all others: its bit in each sample.
  func bit(_ round: Int) -> Int { Int(SampleNode.mixed(hash) >> UInt64(round) & 1) }

  /// What the place's value is made of, in a sample of values of all kinds.
  func seed(_ round: Int) -> UInt64 {
    SampleNode.mixed(hash &+ (UInt64(round) &+ 1) &* 0x9E37_79B9_7F4A_7C15)
  }

  private static func mixed(_ hash: UInt64) -> UInt64 {
    var mixed = hash
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// The keys that the type knows here, and in there: `{"city":0,"geo":{"lat":0}}`; nil where
  /// there are none, or all may be.
  var structure: String? {
    guard !children.isEmpty, !hasAnyKeys, !children.contains(where: \.isInList) else { return nil }
    let members = children.map { child in
      let key = DocumentColumn(name: "", path: [child.key]).jsonPath.dropFirst(2)
      return (key.hasPrefix("\"") ? "\(key)" : "\"\(key)\"") + ":" + (child.structure ?? "0")
    }
    return "{" + members.joined(separator: ",") + "}"
  }

  /// This place and all inside of it.
  var all: [SampleNode] { [self] + children.flatMap(\.all) }

  var description: String {
    path.dropFirst().reduce(path.first ?? "") { $0 + ($1.hasPrefix("[") ? $1 : "." + $1) }
  }
}
