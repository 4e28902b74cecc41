import CofferCore
import FoundationEssentials

/// Reads an archive's objects, and verifies each.
struct ArchiveReader: Sendable {
  let destination: any ArchiveDestination
  let key: DerivedKey
  let seal: ArchiveSeal
  /// The newest manifest.
  private(set) var manifest: Manifest

  /// Opens an archive.
  ///
  /// - Parameters:
  ///   - path: Where the database is or will be, for a key's provider.
  /// - Throws: ``ArchiveError``, or the error of the key or the destination.
  init(
    _ destination: any ArchiveDestination, key: DatabaseKey, settings: CipherSettings, path: String
  ) throws {
    guard let (name, bytes) = try Self.newestManifest(destination) else {
      throw ArchiveError.noArchive
    }
    let manifest = try Manifest(bytes, name: name)
    func derived(from manifest: Manifest) throws -> DerivedKey {
      try key.derived(salt: manifest.salt, slots: manifest.slots, settings: settings, path: path)
    }
    do {
      try self.init(destination, derived(from: manifest), name: name, bytes)
    } catch let error where (error as? ArchiveError) == .otherKey || error is KeySlotsError {
      // The salt or the slots in the manifest may be what is damaged.
      for older in try destination.list(ObjectName.manifests).suffix(3) where older != name {
        guard let data = try destination.get(older),
          let other = try? Manifest(Array(data), name: older),
          // The same ones would only take the same time to say the same.
          other.salt != manifest.salt || other.slots != manifest.slots,
          let derived = try? derived(from: other),
          case let seal = try ArchiveSeal(derived), seal.isSealed(Array(data))
        else { continue }
        // If the newest one is intact, a slot was only removed since.
        if !seal.isSealed(bytes) { throw ArchiveError.damaged(name) }
      }
      // Slots have a checksum, so that no key is needed to see that they were changed.
      if case KeySlotsError.damaged = error { throw ArchiveError.damaged(name) }
      throw error
    }
  }

  /// Opens an archive with the key of its database; nil if there is none.
  init?(_ destination: any ArchiveDestination, key: DerivedKey) throws {
    guard let (name, bytes) = try Self.newestManifest(destination) else { return nil }
    try self.init(destination, key, name: name, bytes)
  }

  private init(
    _ destination: any ArchiveDestination, _ key: DerivedKey, name: String, _ bytes: [UInt8]
  ) throws {
    self.destination = destination
    self.key = key
    seal = try ArchiveSeal(key)
    guard seal.isSealed(bytes) else {
      // With the right key, other objects are intact.
      guard try Self.hasSealedObject(destination, seal) else { throw ArchiveError.otherKey }
      throw ArchiveError.damaged(name)
    }
    manifest = try Manifest(bytes, name: name)
    guard manifest.number == ObjectName.number(name, in: ObjectName.manifests) else {
      throw ArchiveError.misplaced(name)
    }
    guard manifest.salt == key.salt else { throw ArchiveError.otherKey }
  }

  private static func newestManifest(
    _ destination: any ArchiveDestination
  ) throws -> (name: String, bytes: [UInt8])? {
    for _ in 0..<5 {
      let names = try destination.list(ObjectName.manifests)
      guard let name = names.last(where: { ObjectName.number($0, in: ObjectName.manifests) != nil })
      else {
        guard try destination.list(ObjectName.segments).isEmpty else {
          throw ArchiveError.missing(ObjectName.manifests)
        }
        return nil
      }
      // A writer may have replaced it meanwhile.
      if let data = try destination.get(name) { return (name, Array(data)) }
    }
    throw ArchiveError.missing(ObjectName.manifests)
  }

  private static func hasSealedObject(
    _ destination: any ArchiveDestination, _ seal: ArchiveSeal
  ) throws -> Bool {
    let manifests = try destination.list(ObjectName.manifests).dropLast().suffix(3)
    let segments = try destination.list(ObjectName.segments)
    for name in Array(manifests) + segments.prefix(2) + segments.suffix(2) {
      if let data = try destination.get(name), seal.isSealed(Array(data)) { return true }
    }
    return false
  }

  /// Reads the newest manifest again.
  ///
  /// - Returns: Whether there is another one.
  mutating func refresh() throws -> Bool {
    guard let (name, bytes) = try Self.newestManifest(destination) else {
      throw ArchiveError.gone(destination.place)
    }
    guard let number = ObjectName.number(name, in: ObjectName.manifests),
      number != manifest.number
    else { return false }
    guard number > manifest.number else {
      throw ArchiveError.missing(ObjectName.manifest(manifest.number))
    }
    let archive = manifest.header.archive
    self = try ArchiveReader(destination, key, name: name, bytes)
    guard manifest.header.archive == archive else { throw ArchiveError.otherArchive(name) }
    return true
  }

  /// Reads the newest manifest again, after an object was missing.
  ///
  /// - Returns: Whether there is another one that doesn't need the object, which a writer has
  ///   deleted.
  mutating func refresh(without name: String) throws -> Bool {
    try refresh() && !manifest.needs(name)
  }

  /// Calls `body` again with a newer manifest, as long as an object is missing that the newer one
  /// doesn't need: a writer may have deleted it.
  mutating func retrying<Result>(_ body: (ArchiveReader) throws -> Result) throws -> Result {
    while true {
      do { return try body(self) } catch ArchiveError.missing(let name) {
        guard try refresh(without: name) else { throw ArchiveError.missing(name) }
      }
    }
  }

  // MARK: Objects

  private func object(_ name: String) throws -> [UInt8]? {
    guard let bytes = try destination.bytes(name) else { return nil }
    guard seal.isSealed(bytes) else { throw ArchiveError.damaged(name) }
    return bytes
  }

  /// Returns the segment at a place, and its seal; nil if there is none yet.
  func segment(at place: Manifest.LogPlace) throws -> (segment: Segment, seal: [UInt8])? {
    guard let found = try segment(place.sequence) else { return nil }
    guard found.segment.previousSeal == place.seal else {
      throw ArchiveError.brokenChain(ObjectName.segment(place.sequence))
    }
    return found
  }

  /// Returns a segment by its number, whose predecessor isn't known.
  func segment(_ sequence: UInt64) throws -> (segment: Segment, seal: [UInt8])? {
    let name = ObjectName.segment(sequence)
    guard let bytes = try object(name) else { return nil }
    let segment = try Segment(bytes, name: name, in: manifest.header)
    guard segment.sequence == sequence else { throw ArchiveError.misplaced(name) }
    return (segment, Array(bytes.suffix(ArchiveSeal.size)))
  }

  /// Calls `body` for each segment from a place on, while it returns true.
  ///
  /// - Parameters:
  ///   - verifier: Finds the pages that aren't authentic; nil if they aren't needed.
  ///   - body: Called with a segment, and these pages.
  /// - Returns: The place behind the last one.
  @discardableResult
  func forEachSegment(
    from place: Manifest.LogPlace, verifier: PageVerifier? = nil,
    _ body: (_ segment: Segment, _ damagedPages: [PageVerifier.DamagedPage]) throws -> Bool
  ) throws -> Manifest.LogPlace {
    var place = place
    var isEnded = false
    while true {
      try readInOrder(place.sequence..<(1 << 62)) { [self] sequence in
        try segment(sequence).map { segment, seal in
          (segment, seal, try verifier?.damagedPages(in: segment.frames) ?? [])
        }
      } use: { sequence, found in
        guard let (segment, seal, damagedPages) = found else { return false }
        let name = ObjectName.segment(sequence)
        guard segment.previousSeal == place.seal else { throw ArchiveError.brokenChain(name) }
        isEnded = try !body(segment, damagedPages)
        guard !isEnded else { return false }
        place = Manifest.LogPlace(
          sequence: sequence + 1, seal: seal, commit: max(place.commit, segment.lastWholeCommit))
        if place.sequence == manifest.tip.sequence, place.seal != manifest.tip.seal {
          throw ArchiveError.brokenChain(name)
        }
        return true
      }
      if isEnded { return place }
      let name = ObjectName.segment(place.sequence)
      // The manifest says how far the log goes at least.
      guard place.sequence >= manifest.tip.sequence else { throw ArchiveError.missing(name) }
      guard
        try destination.list(ObjectName.segments).contains(where: {
          ObjectName.number($0, in: ObjectName.segments) ?? 0 >= place.sequence
        })
      else {
        return place
      }
      // It may have been stored since it was asked for.
      if try destination.get(name) == nil { throw ArchiveError.missing(name) }
    }
  }

  /// Returns a part of a layer.
  func part(_ index: Int, of layer: Manifest.Layer) throws -> LayerPart {
    let name = ObjectName.part(index, of: layer.number)
    guard let bytes = try object(name) else { throw ArchiveError.missing(name) }
    let part = try LayerPart(bytes, name: name, in: manifest.header)
    guard part.layer == layer.number, part.index == index else {
      throw ArchiveError.misplaced(name)
    }
    return part
  }

  // MARK: The log's end

  /// The numbers of the segments that are there.
  private func segmentNumbers() throws -> [UInt64] {
    try destination.segmentNumbers().filter { $0 >= manifest.logStart.sequence }
  }

  /// The first segment that has to be there, and isn't; nil for none.
  ///
  /// A hole is a lost object, even where nothing needs to be read there.
  private func hole(in numbers: [UInt64]) -> UInt64? {
    guard let last = numbers.last else {
      let start = manifest.logStart.sequence
      return manifest.tip.sequence == start ? nil : manifest.tip.sequence - 1
    }
    if last + 1 < manifest.tip.sequence { return last + 1 }
    return zip(numbers, manifest.logStart.sequence...).first { $0 != $1 }?.1
  }

  /// The last segment that is there.
  private func lastSegment() throws -> (segment: Segment, seal: [UInt8])? {
    let numbers = try segmentNumbers()
    if let hole = hole(in: numbers) { throw ArchiveError.missing(ObjectName.segment(hole)) }
    guard let last = numbers.last else { return nil }
    guard let found = try segment(last) else {
      throw ArchiveError.missing(ObjectName.segment(last))
    }
    return found
  }

  /// The end of an archive's log.
  struct Tip {
    /// Where the next segment goes.
    var place: Manifest.LogPlace
    /// The last segment; nil if there is none.
    var last: Segment?
    /// The date of the last whole commit.
    var date: UInt64
  }

  /// Returns the end of the log.
  func tip() throws -> Tip {
    guard let (last, seal) = try lastSegment() else {
      return Tip(place: manifest.tip, last: nil, date: manifest.layers.map(\.date).max() ?? 0)
    }
    var whole = last
    while whole.lastWholeCommit < whole.firstCommit, whole.sequence > manifest.logStart.sequence {
      guard let (before, _) = try segment(whole.sequence - 1) else {
        throw ArchiveError.missing(ObjectName.segment(whole.sequence - 1))
      }
      whole = before
    }
    let index = whole.commits.count - (whole.isOpen ? 2 : 1)
    let isNone = index < 0
    return Tip(
      place: Manifest.LogPlace(
        sequence: last.sequence + 1, seal: seal,
        commit: isNone ? manifest.logStart.commit : whole.lastWholeCommit),
      last: last, date: isNone ? 0 : whole.commits[index].date)
  }

  /// Returns the end of the log for a writer: where segments are lost, behind all that are known.
  ///
  /// - Returns: The first segment that is lost, too; nil for none.
  func writersTip() throws -> (tip: Tip, hole: String?) {
    let numbers = try segmentNumbers()
    guard let hole = hole(in: numbers) else { return (try tip(), nil) }
    var tip = Tip(place: manifest.tip, last: nil, date: manifest.layers.map(\.date).max() ?? 0)
    if let last = numbers.last, last >= manifest.tip.sequence,
      let (segment, seal) = try segment(last)
    {
      tip.place = Manifest.LogPlace(
        sequence: last + 1, seal: seal, commit: max(tip.place.commit, segment.lastWholeCommit))
      tip.last = segment
      tip.date = max(tip.date, segment.commits.map(\.date).max() ?? 0)
    }
    return (tip, ObjectName.segment(hole))
  }

  /// Returns the date of a segment's first commit, or of one before.
  private func date(ofSegment sequence: UInt64) throws -> UInt64 {
    for sequence in (manifest.logStart.sequence...sequence).reversed() {
      guard let (segment, _) = try segment(sequence) else {
        throw ArchiveError.missing(ObjectName.segment(sequence))
      }
      if let date = segment.commits.first?.date { return date }
    }
    return 0
  }

  /// Returns the last commit of a date or before, among those that the log has; nil if there is
  /// none.
  func lastCommit(upTo date: UInt64, before end: UInt64) throws -> UInt64? {
    var (low, high) = (manifest.logStart.sequence, end)
    // The last segment that begins in time.
    while low < high {
      let middle = (low + high) / 2
      if try self.date(ofSegment: middle) <= date { low = middle + 1 } else { high = middle }
    }
    var found: UInt64?
    var sequence = low
    while sequence > manifest.logStart.sequence, found == nil {
      sequence -= 1
      guard let (segment, _) = try segment(sequence) else {
        throw ArchiveError.missing(ObjectName.segment(sequence))
      }
      let count = segment.commits.count { $0.date <= date && $0.pageCount > 0 }
      if count > 0 { found = segment.firstCommit + UInt64(count) - 1 }
    }
    return found
  }
}
