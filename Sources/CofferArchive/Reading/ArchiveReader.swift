import CofferCore
import FoundationEssentials

/// Reads an archive's objects, and verifies each.
struct ArchiveReader: Sendable {
  let destination: any ArchiveDestination
  let key: DerivedKey
  let seal: ArchiveSeal
  /// The newest manifest that can be used.
  private(set) var manifest: Manifest
  /// The number of the newest manifest, also of one that can't be used.
  private(set) var newestNumber: UInt64
  /// What is wrong with newer manifests.
  private(set) var unusable: [ArchiveError]

  /// Opens an archive.
  ///
  /// - Parameters:
  ///   - path: Where the database is or will be, for a key's provider.
  /// - Throws: ``ArchiveError``, or the error of the key or the destination.
  init(
    _ destination: any ArchiveDestination, key: DatabaseKey, settings: CipherSettings, path: String
  ) throws {
    var failure: (any Error)?
    var tried: Set<[UInt8]> = []
    // The salt or the slots in the newest manifest may be what is damaged.
    for name in try Self.manifestNames(destination).suffix(Self.mostManifests).reversed() {
      do {
        guard let bytes = try destination.bytes(name) else { continue }
        let manifest = try Manifest(bytes, name: name)
        // The same ones would only take the same time to say the same.
        guard tried.insert(manifest.salt + manifest.slots).inserted else { continue }
        let derived: DerivedKey
        do {
          derived = try key.derived(
            salt: manifest.salt, slots: manifest.slots, settings: settings, path: path)
        } catch KeySlotsError.damaged {
          // Slots have a checksum, so that no key is needed to see that they were changed.
          throw ArchiveError.damaged(name)
        }
        guard let reader = try Self.newest(destination, derived),
          // With other slots in a newer one that is intact, a slot was only removed since.
          name >= ObjectName.manifest(reader.manifest.number)
            || reader.manifest.slots == manifest.slots
        else { continue }
        self = reader
        tellUnusable()
        return
      } catch let error where error is ArchiveError || error is KeySlotsError {
        if case ArchiveError.unknownVersion = error { throw error }
        failure = failure ?? error
      }
    }
    throw failure ?? ArchiveError.noArchive
  }

  /// Opens an archive with the key of its database; nil if there is none.
  init?(_ destination: any ArchiveDestination, key: DerivedKey) throws {
    guard let reader = try Self.newest(destination, key) else { return nil }
    self = reader
    tellUnusable()
  }

  private init(
    _ destination: any ArchiveDestination, _ key: DerivedKey, _ seal: ArchiveSeal,
    _ manifest: Manifest, newest: UInt64, unusable: [ArchiveError]
  ) {
    (self.destination, self.key, self.seal, self.manifest) = (destination, key, seal, manifest)
    (newestNumber, self.unusable) = (newest, unusable)
  }

  /// The archive without a layer, whose parts can't be used.
  func without(layer number: UInt64) -> ArchiveReader {
    var reader = self
    reader.manifest.layers.removeAll { $0.number == number }
    return reader
  }

  private func tellUnusable() {
    guard let error = unusable.first else { return }
    Database.logError?(
      .SQLITE_WARNING,
      "\(error) The archive is read by \(ObjectName.manifest(manifest.number)) instead, which is older"
    )
  }

  /// How many manifests are tried, from the newest on.
  private static let mostManifests = 4

  /// Returns the names of the manifests, in ascending order.
  ///
  /// - Throws: ``ArchiveError/missing(_:)`` if there are none, but segments.
  private static func manifestNames(_ destination: any ArchiveDestination) throws -> [String] {
    let numbers = try destination.manifestNumbers()
    if numbers.isEmpty, try !destination.list(ObjectName.segments).isEmpty {
      throw ArchiveError.missing(ObjectName.manifests)
    }
    return numbers.map(ObjectName.manifest)
  }

  /// Reads the newest manifest that can be used.
  ///
  /// - Returns: Nil if there is none at all.
  /// - Throws: The error of the newest one if none can be used.
  private static func newest(
    _ destination: any ArchiveDestination, _ key: DerivedKey
  ) throws -> ArchiveReader? {
    let seal = try ArchiveSeal(key)
    for _ in 0..<5 {
      let names = try manifestNames(destination)
      guard let last = names.last else { return nil }
      var unusable: [ArchiveError] = []
      for name in names.suffix(mostManifests).reversed() {
        do {
          guard let bytes = try destination.bytes(name) else {
            // A writer may have replaced it meanwhile.
            if name == last { break }
            continue
          }
          guard seal.isSealed(bytes) else { throw ArchiveError.damaged(name) }
          let manifest = try Manifest(bytes, name: name)
          guard name == ObjectName.manifest(manifest.number) else {
            throw ArchiveError.misplaced(name)
          }
          guard manifest.salt == key.salt else { throw ArchiveError.otherKey }
          return ArchiveReader(
            destination, key, seal, manifest,
            newest: ObjectName.number(last, in: ObjectName.manifests) ?? 0, unusable: unusable)
        } catch let error as ArchiveError where error.isFinding {
          if case .unknownVersion = error { throw error }
          unusable.append(error)
        }
      }
      guard let error = unusable.first else { continue }
      // With the right key, other objects are intact.
      guard try hasSealedSegment(destination, seal) else { throw ArchiveError.otherKey }
      throw error
    }
    throw ArchiveError.missing(ObjectName.manifests)
  }

  private static func hasSealedSegment(
    _ destination: any ArchiveDestination, _ seal: ArchiveSeal
  ) throws -> Bool {
    let segments = try destination.list(ObjectName.segments)
    for name in segments.prefix(2) + segments.suffix(2) {
      if let bytes = try? destination.bytes(name), seal.isSealed(bytes) { return true }
    }
    return false
  }

  /// Reads the newest manifest again.
  ///
  /// - Returns: Whether there is another one.
  /// - Throws: ``ArchiveError/gone(_:)`` if there is none any more.
  mutating func refresh() throws -> Bool {
    // One request, where nothing is new.
    if try destination.manifestNumbers().last == newestNumber { return false }
    guard let newest = try Self.newest(destination, key) else {
      throw ArchiveError.gone(destination.place)
    }
    let known = manifest
    guard newest.manifest.number >= known.number else {
      throw ArchiveError.missing(ObjectName.manifest(known.number))
    }
    guard newest.manifest.header.archive == known.header.archive else {
      throw ArchiveError.otherArchive(ObjectName.manifest(newest.manifest.number))
    }
    self = newest
    return manifest.number != known.number
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

  /// Returns the end of the log for a writer: where segments are lost, or the last one can't be
  /// used, behind all that are there.
  ///
  /// - Returns: The first segment that is lost, too; nil for none.
  func writersTip() throws -> (tip: Tip, hole: String?) {
    let numbers = try segmentNumbers()
    var hole = hole(in: numbers).map(ObjectName.segment)
    if hole == nil {
      do { return (try tip(), nil) } catch let error as ArchiveError where error.isFinding {
        hole = numbers.last.map(ObjectName.segment) ?? ObjectName.segments
      }
    }
    var tip = Tip(place: manifest.tip, last: nil, date: manifest.layers.map(\.date).max() ?? 0)
    guard let last = numbers.last, last >= manifest.tip.sequence else { return (tip, hole) }
    // Nobody can go on behind the highest numbers, which only somebody else has used.
    guard last < ObjectName.mostUsed else {
      throw ArchiveError.damaged(ObjectName.segment(last))
    }
    tip.place.sequence = last + 1
    tip.place.seal = Manifest.LogPlace.beginning.seal
    var readable = manifest.tip.sequence
    for number in numbers.reversed() where number >= manifest.tip.sequence {
      guard let (segment, seal) = try? segment(number) else { continue }
      tip.place.commit = max(tip.place.commit, segment.lastWholeCommit)
      tip.date = max(tip.date, segment.commits.map(\.date).max() ?? 0)
      if number == last { (tip.place.seal, tip.last) = (seal, segment) }
      readable = number + 1
      break
    }
    // Those that can't be read have commits, too, whose numbers somebody may have seen: none is
    // used again. Whoever has planted a high number can't make commits' numbers overflow.
    tip.place.commit += min(last + 1 - readable, 1 << 20) * mostCommitsInSegment
    return (tip, hole)
  }

  /// No segment has more commits, each of which has a page.
  private var mostCommitsInSegment: UInt64 { UInt64((16 << 20) / manifest.header.pageSize) }
}
