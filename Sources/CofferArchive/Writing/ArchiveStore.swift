import CofferCore
import FoundationEssentials

/// Writes an archive's objects: manifests, segments and the parts of layers.
///
/// Each is stored under a name that is used once. So of two writers, the second one to use a name finds
/// it taken, and ends.
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

  static func newWriter() -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<16).map { _ in generator.next() }
  }

  /// Takes an archive over, with a new manifest.
  ///
  /// - Throws: ``ArchiveError/writerExists`` if another writer does so at the same time.
  init(_ reader: ArchiveReader, writer: [UInt8]) throws {
    (destination, seal, manifest) = (reader.destination, reader.seal, reader.manifest)
    tip = manifest.tip
    manifest.writer = writer
    // Where the destination has lost manifests, their numbers are used again.
    let known = max(
      try reader.tip().last?.fence ?? 0, manifest.layers.map(\.fence).max() ?? 0)
    manifest.fence = max(known + 1, Manifest.newFence(manifest.number + 1))
    let isTakingOver =
      manifest.isTakingOver || !reader.manifest.isReleased && reader.manifest.writer != writer
    do {
      try putManifest {
        $0.isReleased = false
        $0.isTakingOver = isTakingOver
      }
    } catch ArchiveError.superseded {
      throw ArchiveError.writerExists
    }
    do {
      tip = try reader.tip().place
      guard isTakingOver else { return }
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
    manifest.writer = writer
    tip = try reader.tip().place
  }

  /// Stores a segment without commits, so that the writer before finds the name of its next one taken.
  private mutating func fenceOff(_ reader: ArchiveReader) throws {
    let end = LogPosition(salts: [UInt8](repeating: 0, count: 8), frame: 0, checksum: [])
    while true {
      do {
        try put(CommitPiece(firstCommit: tip.commit + 1, end: end))
        return
      } catch ArchiveError.superseded {
        tip = try reader.tip().place
      }
    }
  }

  /// Begins an archive.
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
    do { try putManifest { _ in } } catch ArchiveError.superseded {
      throw ArchiveError.writerExists
    }
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
    let data = try Data(seal.sealed(bytes))
    if try !destination.putIfAbsent(name, data) {
      // An attempt that has failed may have stored it.
      guard try destination.get(name) == data else { throw ArchiveError.superseded }
    }
    byteCount += data.count
    objectCount += 1
    return Array(data.suffix(ArchiveSeal.size))
  }

  // MARK: Manifests

  /// Stores a changed manifest.
  mutating func putManifest(_ change: (inout Manifest) -> Void) throws {
    var next = manifest
    change(&next)
    next.number += 1
    next.tip = tip
    while true {
      do {
        _ = try put(ObjectName.manifest(next.number), next.bytes())
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
    let newest =
      try destination.list(ObjectName.manifests)
      .compactMap { ObjectName.number($0, in: ObjectName.manifests) }.max() ?? 0
    guard newest >= manifest.number else { throw ArchiveError.superseded }
    // An attempt that has failed may have stored one.
    while manifest.number < newest {
      guard try isOwn(manifest.number + 1) else { throw ArchiveError.superseded }
      manifest.number += 1
    }
  }

  /// Leaves the archive to the next writer.
  mutating func release() throws { try putManifest { $0.isReleased = true } }

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
    for name in garbage { try destination.delete(name) }
    return garbage.count
  }
}
