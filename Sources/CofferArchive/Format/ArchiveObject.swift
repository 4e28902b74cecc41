import CofferCore

/// What all objects of an archive begin with.
///
/// See `Docs/Format.md`.
struct ObjectHeader: Equatable {
  enum Kind: UInt8 { case manifest = 1, segment, part }

  static let magic = Array("Coffer archive".utf8)
  static let version: UInt16 = 1

  var kind: Kind
  /// The size of a database's page.
  var pageSize: Int
  /// The archive's random number, of 16 bytes.
  var archive: [UInt8]

  var bytes: [UInt8] {
    var bytes = Self.magic
    bytes.append(Self.version)
    bytes.append(kind.rawValue)
    bytes += [0, 0, 0]
    bytes.append(UInt32(pageSize))
    return bytes + archive
  }

  init(_ kind: Kind, pageSize: Int, archive: [UInt8]) {
    (self.kind, self.pageSize, self.archive) = (kind, pageSize, archive)
  }

  /// - Throws: ``ArchiveError`` for anything that isn't an object of this kind.
  init(_ reader: inout ByteReader, _ kind: Kind, name: String) throws(ArchiveError) {
    guard reader.bytes(Self.magic.count) == Self.magic, let version = reader.uint16() else {
      throw .damaged(name)
    }
    guard version == Self.version else { throw .unknownVersion(name, Int(version)) }
    guard let stored = reader.uint8(), reader.bytes(3) == [0, 0, 0], let size = reader.uint32(),
      let archive = reader.bytes(16)
    else { throw .damaged(name) }
    guard stored == kind.rawValue else { throw .misplaced(name) }
    guard (512...65_536).contains(size), size & (size - 1) == 0 else { throw .damaged(name) }
    self.init(kind, pageSize: Int(size), archive: archive)
  }
}

/// The names of an archive's objects.
enum ObjectName {
  static let manifests = "manifest/"
  static let segments = "log/"
  static let layers = "layer/"

  /// The number from which on nobody goes on.
  static let mostUsed: UInt64 = 1 << 61

  static func manifest(_ number: UInt64) -> String { manifests + hex(number) }
  static func segment(_ sequence: UInt64) -> String { segments + hex(sequence) }
  static func part(_ index: Int, of layer: UInt64) -> String {
    layers + hex(layer) + "-" + hex(UInt64(index))
  }

  /// Returns the number in a name; nil if it isn't one of these names.
  static func number(_ name: String, in prefix: String) -> UInt64? {
    let digits = name.dropFirst(prefix.count)
    guard name.hasPrefix(prefix), digits.utf8.count == 16, let number = UInt64(digits, radix: 16),
      // Others can store under any name, and nobody uses numbers near the highest one.
      number < 1 << 62, digits == hex(number)
    else { return nil }
    return number
  }

  /// Returns the layer and the index in a part's name.
  static func part(_ name: String) -> (layer: UInt64, index: UInt64)? {
    let numbers = name.dropFirst(layers.count).split(separator: "-", maxSplits: 1)
    guard name.hasPrefix(layers), numbers.count == 2,
      let layer = number(layers + numbers[0], in: layers),
      let index = number(layers + numbers[1], in: layers)
    else { return nil }
    return (layer, index)
  }

  /// Whether an archive's object can have a name.
  static func isObject(_ name: String) -> Bool {
    number(name, in: manifests) != nil || number(name, in: segments) != nil || part(name) != nil
  }

  private static func hex(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
