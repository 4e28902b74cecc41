/// A place in a sample that was requested from a sample decoder: a property, or one nested in it.
package final class SampleNode {
  /// The coding key, or an index as `[0]`.
  package let key: String
  /// The name of the property; the key if it is unknown.
  let property: String
  /// The steps to the place: see ``PathStep``.
  package let path: [String]
  let properties: [String]
  private let hash: UInt64

  /// The requested types.
  ///
  /// The declared type without its optional, and nested types stored in the same place.
  package private(set) var types: [any Any.Type] = []
  package var isOptional = false
  /// Whether the place is in a list, without a fixed index.
  package let isInList: Bool
  package private(set) var children: [SampleNode] = []
  /// Whether the type may have keys that it doesn't request by name.
  package var hasAnyKeys = false
  /// The values of the sample at this place, such as a wrapper's and the wrapped one.
  var given: [Any] = []
  /// Whether the decoder returned nil.
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
    path = parent.path + [isInList ? key : PathStep.step(key)]
    properties = parent.properties + [property]
    hash = key.utf8.reduce((parent.hash ^ 0x2F) &* 0x100_0000_01B3) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
    self.isInList = isInList || parent.isInList
  }

  /// Returns the nested place with this key.
  func child(_ key: String, property: String? = nil, isInList: Bool = false) -> SampleNode {
    if let child = children.first(where: { $0.key == key }) { return child }
    let child = detached(key, property: property, isInList: isInList)
    children.append(child)
    return child
  }

  /// Returns a nested place that no key path refers to.
  func detached(_ key: String, property: String? = nil, isInList: Bool = true) -> SampleNode {
    SampleNode(key, property ?? key, self, isInList: isInList)
  }

  func note(_ type: any Any.Type) { types.append(type) }

  /// Clears the nested places and values before another attempt.
  func restart() {
    children = []
    given = []
    isNil = false
  }

  /// Returns the place's bit in a sample; the bits of all samples identify the place.
  func bit(_ round: Int) -> Int { Int(SampleNode.mixed(hash) >> UInt64(round) & 1) }

  /// Returns the seed of the place's value in a sample with arbitrary values.
  func seed(_ round: Int) -> UInt64 {
    SampleNode.mixed(hash &+ (UInt64(round) &+ 1) &* 0x9E37_79B9_7F4A_7C15)
  }

  private static func mixed(_ hash: UInt64) -> UInt64 {
    var mixed = hash
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// This place and all nested places.
  package var all: [SampleNode] { [self] + children.flatMap(\.all) }

  package var description: String {
    path.dropFirst().reduce(PathStep.name(path.first ?? "")) {
      $0 + (PathStep.isIndex($1) ? $1 : "." + PathStep.name($1))
    }
  }
}
