import CofferCore

/// What an archive has: its newest manifest says it. Manifests are numbered, and the first of a
/// writer gives it its fencing number.
struct Manifest {
  /// A place in the chain of segments.
  struct LogPlace: Equatable {
    /// The number of the next segment.
    var sequence: UInt64
    /// The seal of the one before.
    var seal: [UInt8]
    /// The last commit before that segment, as far as it is whole.
    var commit: UInt64

    static let beginning = LogPlace(
      sequence: 1, seal: [UInt8](repeating: 0, count: ArchiveSeal.size), commit: 0)
  }

  /// Pages as of a commit: all of the database's, or those that commits have changed.
  struct Layer: Equatable {
    /// What its parts are named after.
    var number: UInt64
    /// 0 to 2 for what was changed in about 5 minutes, an hour and a day; 3 for all pages.
    var level: Int
    /// The first commit whose changes it has; 0 for all pages.
    var first: UInt64
    /// The commit as of which its pages are.
    var last: UInt64
    /// The date of that commit, in milliseconds since 1970.
    var date: UInt64
    /// The number of the database's pages.
    var pageCount: Int
    var partCount: Int
    /// The size of its parts, in bytes.
    var byteCount: Int
    /// Where the log goes on: that segment may begin with earlier commits.
    var place: LogPlace

    /// The bits of a number that count the layers of a writer.
    static let countWidth: UInt64 = 20
    /// The fence of the writer that stored the layer.
    var fence: UInt64 { number >> Self.countWidth }
  }

  /// Returns the fence of a writer whose first manifest has a number.
  ///
  /// Fences grow with the numbers. If the destination loses a manifest, its number is used again,
  /// but not its fence: what is known of a writer isn't taken for what is known of another one.
  static func newFence(_ number: UInt64) -> UInt64 { number << 16 | .random(in: 0..<1 << 16) }

  /// Whether a part's layer is of a writer that has begun after this manifest.
  func isEarlier(thanWriterOfLayer layer: UInt64) -> Bool {
    layer >> (Layer.countWidth + 16) > number
  }

  static let largestSlots = 1 << 20

  var number: UInt64
  /// What the writer stores is known by; see ``newFence(_:)``.
  var fence: UInt64
  /// The random number of the writer, of 16 bytes.
  var writer: [UInt8]
  /// Whether the writer has ended.
  var isReleased: Bool
  /// Whether the writer before may still store segments: none of this writer's keeps it from that
  /// yet.
  var isTakingOver = false
  /// Whether only the last writer may go on, also after it has ended: a follower's file was
  /// promoted, and the writer before has commits that the archive doesn't have.
  var isBound = false
  var header: ObjectHeader
  /// The salt of the database.
  var salt: [UInt8]
  /// The end of the log when this was written. There may be more.
  var tip: LogPlace
  /// The first segment that is kept.
  var logStart: LogPlace
  /// The commits that no segment has, after which only all pages are a beginning.
  var gaps: [UInt64]
  var layers: [Layer]
  /// The file of the database's key slots; empty if there is none.
  var slots: [UInt8]

  static let snapshotLevel = 3

  /// Returns the object, without its seal.
  func bytes() -> [UInt8] {
    var bytes = header.bytes
    bytes.append(number)
    bytes.append(fence)
    bytes += writer
    bytes += [isReleased ? 1 : 0, isTakingOver ? 1 : 0, isBound ? 1 : 0, 0]
    bytes += salt
    append(tip, to: &bytes)
    append(logStart, to: &bytes)
    bytes.append(UInt32(gaps.count))
    for gap in gaps { bytes.append(gap) }
    bytes.append(UInt32(layers.count))
    for layer in layers {
      bytes.append(layer.number)
      bytes.append(UInt32(layer.level))
      bytes.append(layer.first)
      bytes.append(layer.last)
      bytes.append(layer.date)
      bytes.append(UInt32(layer.pageCount))
      bytes.append(UInt32(layer.partCount))
      bytes.append(UInt64(layer.byteCount))
      append(layer.place, to: &bytes)
    }
    bytes.append(UInt32(slots.count))
    return bytes + slots
  }

  /// Whether an archive with this manifest has to have an object, as far as the log is known to go.
  func needs(_ name: String) -> Bool {
    if let sequence = ObjectName.number(name, in: ObjectName.segments) {
      return sequence >= logStart.sequence
    }
    guard let (number, index) = ObjectName.part(name) else { return true }
    return layers.contains { $0.number == number && index < UInt64($0.partCount) }
  }

  private func append(_ place: LogPlace, to bytes: inout [UInt8]) {
    bytes.append(place.sequence)
    bytes += place.seal
    bytes.append(place.commit)
  }

  /// Reads an object, whose seal may not have been verified yet.
  init(_ bytes: [UInt8], name: String) throws(ArchiveError) {
    var reader = ByteReader(bytes)
    header = try ObjectHeader(&reader, .manifest, name: name)
    guard let number = reader.uint64(), let fence = reader.uint64(),
      let writer = reader.bytes(16), let flags = reader.bytes(4), let salt = reader.bytes(16),
      let tip = LogPlace(&reader), let logStart = LogPlace(&reader),
      let gapCount = reader.uint32(), Int(gapCount) <= bytes.count / 8
    else { throw .damaged(name) }
    (self.number, self.fence, self.writer, self.salt) = (number, fence, writer, salt)
    (self.tip, self.logStart) = (tip, logStart)
    (isReleased, isTakingOver, isBound) = (flags[0] == 1, flags[1] == 1, flags[2] == 1)
    gaps = []
    for _ in 0..<gapCount {
      guard let gap = reader.uint64(), gap < 1 << 62 else { throw .damaged(name) }
      gaps.append(gap)
    }
    guard let layerCount = reader.uint32(), Int(layerCount) <= bytes.count / 64 else {
      throw .damaged(name)
    }
    layers = []
    for _ in 0..<layerCount {
      guard let layer = Layer(&reader) else { throw .damaged(name) }
      layers.append(layer)
    }
    guard let slotsCount = reader.uint32(), Int(slotsCount) <= Self.largestSlots,
      let slots = reader.bytes(Int(slotsCount)), reader.range(ArchiveSeal.size) != nil,
      reader.isAtEnd
    else { throw .damaged(name) }
    self.slots = slots
  }

  init(
    number: UInt64, writer: [UInt8], header: ObjectHeader, salt: [UInt8], slots: [UInt8]
  ) {
    (self.number, fence, self.writer, isReleased) = (number, number, writer, false)
    (self.header, self.salt, self.slots) = (header, salt, slots)
    (tip, logStart, gaps, layers) = (.beginning, .beginning, [], [])
  }
}

extension Manifest.LogPlace {
  fileprivate init?(_ reader: inout ByteReader) {
    guard let sequence = reader.uint64(), let seal = reader.bytes(ArchiveSeal.size),
      let commit = reader.uint64(), sequence >= 1, sequence < 1 << 62, commit < 1 << 62
    else { return nil }
    self.init(sequence: sequence, seal: seal, commit: commit)
  }
}

extension Manifest.Layer {
  fileprivate init?(_ reader: inout ByteReader) {
    guard let number = reader.uint64(), let level = reader.uint32(), let first = reader.uint64(),
      let last = reader.uint64(), let date = reader.uint64(), let pageCount = reader.uint32(),
      let partCount = reader.uint32(), let byteCount = reader.uint64(),
      let place = Manifest.LogPlace(&reader),
      level <= Manifest.snapshotLevel, first <= last, last < 1 << 62, date <= 1 << 53,
      byteCount < 1 << 62, (first == 0) == (level == Manifest.snapshotLevel)
    else { return nil }
    self.init(
      number: number, level: Int(level), first: first, last: last, date: date,
      pageCount: Int(pageCount), partCount: Int(partCount), byteCount: Int(byteCount),
      place: place)
  }
}
