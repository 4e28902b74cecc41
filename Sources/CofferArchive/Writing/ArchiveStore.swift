import CofferCore
import FoundationEssentials

/// Writes an archive's objects: manifests, segments and the parts of layers.
///
/// Each is stored under a name that is used once. So of two writers, the second one to use a name
/// finds it taken, and ends.
struct ArchiveStore {
  let destination: any ArchiveDestination
  private let seal: ArchiveSeal
  private(set) var manifest: Manifest
  /// Where the next segment goes.
  private(set) var tip: Manifest.LogPlace
  /// The bytes and objects that were stored.
  private(set) var byteCount = 0
  private(set) var objectCount = 0
  private var nextLayer: UInt64 = 0
  /// The highest number of a manifest whose name is taken, also by one that can't be used.
  private var takenNumber: UInt64 = 0
  /// The first segment that the log has lost before this writer began; nil for none. The archive
  /// can't be restored to its end until the log begins behind it.
  private(set) var hole: String?
  /// The number of objects with history that were deleted.
  private(set) var prunedCount = 0
  /// The number of the writer from which the archive was taken over; nil if it wasn't.
  private(set) var takenOver: UInt64?
  /// The last manifest that was stored, by which a folder is known to have the archive.
  private var home: (name: String, seal: [UInt8], identity: [Int]?)?
  /// Whether the folder of the archive may be made: only by the writer that begins the archive, and
  /// only for its first object.
  private var makesFolder = false

  static func newWriter() -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<16).map { _ in generator.next() }
  }

  /// Takes an archive over, with a new manifest.
  ///
  /// - Parameter binds: Whether only this writer may go on with it later.
  /// - Throws: ``ArchiveError/writerExists`` if another writer does so at the same time.
  init(_ reader: ArchiveReader, writer: [UInt8], binds: Bool = false) throws {
    (destination, seal, manifest) = (reader.destination, reader.seal, reader.manifest)
    tip = manifest.tip
    manifest.writer = writer
    // Where the destination has lost manifests, their numbers are used again.
    let known = max(
      try reader.writersTip().tip.last?.fence ?? 0, manifest.layers.map(\.fence).max() ?? 0)
    try skipManifests(reader)
    manifest.fence = max(known + 1, Manifest.newFence(takenNumber + 1))
    let isTakingOver =
      manifest.isTakingOver || !reader.manifest.isReleased && reader.manifest.writer != writer
    do {
      try putManifest {
        $0.isReleased = false
        $0.isTakingOver = isTakingOver
        $0.isBound = binds || $0.isBound && reader.manifest.writer == writer
      }
    } catch ArchiveError.superseded {
      throw ArchiveError.writerExists
    }
    do {
      let end = try reader.writersTip()
      (tip, hole) = (end.tip.place, end.hole)
      guard isTakingOver else { return }
      takenOver = reader.manifest.fence
      try fenceOff(reader)
      try putManifest { $0.isTakingOver = false }
    } catch {
      try? release()
      throw error
    }
  }

  /// Uses an archive that no writer has, to prune it.
  init(pruning reader: ArchiveReader, writer: [UInt8]) throws {
    (destination, seal, manifest) = (reader.destination, reader.seal, reader.manifest)
    if !manifest.isBound { manifest.writer = writer }
    tip = try reader.tip().place
    try skipManifests(reader)
  }

  /// Stores a segment without commits, so that the writer before finds the name of its next one
  /// taken.
  private mutating func fenceOff(_ reader: ArchiveReader) throws {
    let end = LogPosition(salts: [UInt8](repeating: 0, count: 8), frame: 0, checksum: [])
    while true {
      do {
        try put(CommitPiece(firstCommit: tip.commit + 1, end: end))
        return
      } catch ArchiveError.superseded {
        tip = try reader.writersTip().tip.place
      }
    }
  }

  /// Begins an archive.
  ///
  /// Where segments are left of one whose manifests are all gone, it begins behind them.
  /// - Throws: ``ArchiveError/missing(_:)`` if those segments are none of this key.
  init(
    _ destination: any ArchiveDestination, key: DerivedKey, pageSize: Int, slots: [UInt8],
    writer: [UInt8]
  ) throws {
    self.destination = destination
    seal = try ArchiveSeal(key)
    tip = .beginning
    manifest = Manifest(
      number: 0, writer: writer,
      header: ObjectHeader(.manifest, pageSize: pageSize, archive: Self.newWriter()),
      salt: key.salt, slots: slots)
    manifest.fence = Manifest.newFence(1)
    makesFolder = true
    try skipSegments()
    do { try putManifest { _ in } } catch ArchiveError.superseded {
      throw ArchiveError.writerExists
    }
  }

  /// Goes behind the manifests that are there, also those that can't be used.
  private mutating func skipManifests(_ reader: ArchiveReader) throws {
    guard reader.newestNumber < ObjectName.mostUsed else {
      throw ArchiveError.damaged(ObjectName.manifest(reader.newestNumber))
    }
    takenNumber = reader.newestNumber
  }

  /// Goes behind the segments that are there, and all commits that the last readable one has.
  private mutating func skipSegments() throws {
    let numbers = try destination.segmentNumbers()
    guard let last = numbers.last else { return }
    guard last < ObjectName.mostUsed else {
      throw ArchiveError.damaged(ObjectName.segment(last))
    }
    for number in numbers.reversed() {
      let name = ObjectName.segment(number)
      guard let bytes = try destination.bytes(name), seal.isSealed(bytes) else { continue }
      var reader = ByteReader(bytes)
      let header = try ObjectHeader(&reader, .segment, name: name)
      tip.commit = try Segment(bytes, name: name, in: header).lastWholeCommit
      tip.sequence = last + 1
      manifest.logStart = tip
      Database.logError?(
        .SQLITE_WARNING,
        "the archive has lost all manifests: a new one begins behind its \(numbers.count) segments")
      return
    }
    throw ArchiveError.missing(ObjectName.manifests)
  }

  private func header(_ kind: ObjectHeader.Kind) -> ObjectHeader {
    ObjectHeader(
      kind, pageSize: manifest.header.pageSize, archive: manifest.header.archive)
  }

  /// Stores an object.
  ///
  /// - Returns: Its seal.
  /// - Throws: ``ArchiveError/superseded`` if another object has the name.
  private mutating func put(_ name: String, _ bytes: consuming [UInt8]) throws -> [UInt8] {
    let bytes = try seal.sealed(bytes)
    try checkPlace()
    let isStored =
      if let folder = destination as? FolderDestination {
        try unsafe bytes.withUnsafeBytes {
          try unsafe folder.putIfAbsent(name, $0, makesFolder: makesFolder)
        }
      } else {
        try destination.putIfAbsent(name, Data(bytes))
      }
    // A disk that has gone meanwhile doesn't have it.
    try checkPlace()
    if !isStored {
      // An attempt that has failed may have stored it.
      guard try destination.get(name) == Data(bytes) else { throw ArchiveError.superseded }
    }
    byteCount += bytes.count
    objectCount += 1
    return Array(bytes.suffix(ArchiveSeal.size))
  }

  /// Throws if a folder has nothing in the archive's place, or something else: where a disk isn't
  /// mounted, there can be an empty folder, or one with another archive.
  private mutating func checkPlace() throws {
    guard let folder = destination as? FolderDestination, let home else { return }
    let identity = try folder.identity(home.name)
    if let identity, identity == home.identity { return }
    if let bytes = try folder.bytes(home.name), bytes.suffix(ArchiveSeal.size) == home.seal[...] {
      self.home?.identity = identity
      return
    }
    // Another writer, who has taken over, deletes it; and an archive that was put back doesn't have
    // it.
    guard let newest = try folder.manifestNumbers().last.map(ObjectName.manifest),
      let bytes = try folder.bytes(newest), seal.isSealed(bytes),
      try Manifest(bytes, name: newest).header.archive == manifest.header.archive
    else { throw ArchiveError.away(folder.path) }
    throw ArchiveError.superseded
  }

  // MARK: Manifests

  /// Stores a changed manifest.
  mutating func putManifest(_ change: (inout Manifest) -> Void) throws {
    var next = manifest
    change(&next)
    next.number = max(next.number, takenNumber) + 1
    next.tip = tip
    while true {
      do {
        let name = ObjectName.manifest(next.number)
        let seal = try put(name, next.bytes())
        home = (name, seal, try (destination as? FolderDestination)?.identity(name))
        makesFolder = false
        break
      } catch ArchiveError.superseded {
        // An attempt that has failed had stored an older state under this number.
        guard try isOwn(next.number) else { throw ArchiveError.superseded }
        next.number += 1
      }
    }
    manifest = next
  }

  /// Whether this writer has stored a manifest.
  private func isOwn(_ number: UInt64) throws -> Bool {
    let name = ObjectName.manifest(number)
    guard let data = try destination.get(name), seal.isSealed(Array(data)) else { return false }
    let stored = try Manifest(Array(data), name: name)
    return stored.writer == manifest.writer && stored.fence == manifest.fence
      && stored.header.archive == manifest.header.archive
  }

  /// Throws if there is a manifest of another writer.
  mutating func checkLease() throws {
    try checkPlace()
    guard let newest = try destination.manifestNumbers().last else {
      throw ArchiveError.gone(destination.place)
    }
    guard newest >= manifest.number else { throw ArchiveError.superseded }
    // An attempt that has failed may have stored one.
    while manifest.number < newest {
      guard try isOwn(manifest.number + 1) else { throw ArchiveError.superseded }
      manifest.number += 1
    }
  }

  /// Leaves the archive to the next writer.
  mutating func release() throws { try putManifest { $0.isReleased = true } }

  /// Stores a manifest that has one more layer.
  ///
  /// Where segments were lost before, the log begins with a layer of all pages. The commits before
  /// can then be restored as far as other layers have them.
  mutating func putManifest(with layer: Manifest.Layer) throws {
    let closesHole = hole != nil && layer.level == Manifest.snapshotLevel
    try putManifest {
      $0.layers.append(layer)
      if closesHole { $0.logStart = layer.place }
    }
    if closesHole { hole = nil }
  }

  // MARK: Segments

  /// Stores the next segment.
  mutating func put(_ piece: CommitPiece) throws {
    let segment = Segment(
      piece, sequence: tip.sequence, fence: manifest.fence, previousSeal: tip.seal)
    let seal = try put(ObjectName.segment(tip.sequence), segment.bytes(header(.segment)))
    tip = Manifest.LogPlace(
      sequence: tip.sequence + 1, seal: seal, commit: max(tip.commit, segment.lastWholeCommit))
  }

  // MARK: Layers

  /// Returns the number of a new layer: no writer has used it.
  mutating func newLayer() -> UInt64 {
    nextLayer += 1
    return manifest.fence << Manifest.Layer.countWidth | nextLayer
  }

  /// Stores a part of a layer.
  ///
  /// - Returns: The size of the object.
  mutating func put(_ part: LayerPart) throws -> Int {
    let before = byteCount
    _ = try put(ObjectName.part(part.index, of: part.layer), part.bytes(header(.part)))
    return byteCount - before
  }

  // MARK: Pruning

  /// Deletes what isn't kept.
  ///
  /// The manifest comes first: it no longer has what is deleted afterwards.
  /// - Parameters:
  ///   - pause: A time that makes nothing older.
  /// - Returns: The number of deleted objects.
  mutating func prune(
    _ retention: ArchiveRetention, at date: UInt64, pause: Range<UInt64> = 0..<0
  ) throws -> Int {
    try checkPlace()
    let plan = RetentionPlan(manifest, retention, at: date, pause: pause)
    if plan.layers != manifest.layers || plan.logStart != manifest.logStart {
      try putManifest {
        $0.layers = plan.layers
        $0.logStart = plan.logStart
        $0.gaps.removeAll { $0 <= plan.logStart.commit }
      }
    }
    let layers = Dictionary(
      manifest.layers.map { ($0.number, UInt64($0.partCount)) }, uniquingKeysWith: { $1 })
    var garbage: [String] = []
    for name in try destination.list(ObjectName.segments) {
      guard let number = ObjectName.number(name, in: ObjectName.segments) else { continue }
      if number < manifest.logStart.sequence { garbage.append(name) }
    }
    for name in try destination.list(ObjectName.layers) {
      guard let (layer, index) = ObjectName.part(name),
        !manifest.isEarlier(thanWriterOfLayer: layer)
      else { continue }
      if index >= layers[layer] ?? 0 { garbage.append(name) }
    }
    // A reader may just have listed the one before.
    for name in try destination.list(ObjectName.manifests) {
      guard let number = ObjectName.number(name, in: ObjectName.manifests) else { continue }
      if number + 1 < manifest.number { garbage.append(name) }
    }
    for name in garbage {
      try destination.delete(name)
      if !name.hasPrefix(ObjectName.manifests) { prunedCount += 1 }
    }
    return garbage.count
  }
}
