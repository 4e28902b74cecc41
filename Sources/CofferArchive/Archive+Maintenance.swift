import Coffer
import CofferCore
import FoundationEssentials

/// What an archive has.
public struct ArchiveSummary: Sendable {
  /// A range of commits, each of which can be restored; often of one.
  public struct Range: Sendable, Hashable {
    /// The first commit.
    public let first: ArchiveCommit
    /// The last commit.
    public let last: ArchiveCommit
    /// The commits whose dates are known without reading the log, in ascending order: the first and
    /// the last, and those between as of which pages are kept.
    public let dated: [ArchiveCommit]
  }

  /// What can be restored, in ascending order.
  public let ranges: [Range]
  /// The last commit that can be restored; nil while the first pages are being archived.
  public var last: ArchiveCommit? { ranges.last?.last }
  /// The size of the layers, in bytes. Segments of the log come on top.
  public let layerByteCount: Int
  /// The number of segments in the log.
  public let segmentCount: Int
  /// Whether a writer has the archive.
  public let hasWriter: Bool
  /// The number of the last writer, by which it can be taken over
  /// (``ArchiveConfiguration/takesOverWriter``).
  public let writer: UInt64
  /// The size of a page, in bytes.
  public let pageSize: Int
  /// What is missing, and which of the objects that were read can't be used. Of each hole in the
  /// log, the first segment. What these objects have isn't among ``ranges``.
  ///
  /// Only ``Archive/verification(atLeast:key:cipher:progress:)`` reads all objects.
  public let problems: [ArchiveError]
}

/// What was found when a whole archive was read.
public struct ArchiveVerification: Sendable {
  /// What is wrong; nothing for a sound archive that reaches what it has to.
  public let findings: [ArchiveError]
  /// The last commit that can be restored, if no object that it needs is among the findings; nil if
  /// the archive has none, or doesn't show it any more.
  public let last: ArchiveCommit?
}

extension Archive {
  /// Returns what can be restored.
  ///
  /// Reads the newest manifest, the names of all objects, and a few of them; the others aren't
  /// verified.
  /// - Parameters:
  ///   - objects: The names of objects that count as missing, such as one that a restore has found
  ///     to be damaged; none by default.
  ///   - key: The key of the database.
  ///   - cipher: Its settings.
  /// - Throws: ``ArchiveError``, or the error of the destination.
  public func summary(
    without objects: Set<String> = [], key: DatabaseKey, cipher: CipherSettings = .default
  ) throws -> ArchiveSummary {
    var reader = try ArchiveReader(destination, key: key, settings: cipher, path: "")
    for _ in 0..<5 {
      let summary = try summary(reader, objects)
      // A writer may have deleted what the older manifest needs.
      guard !summary.problems.isEmpty, try reader.refresh() else { return summary }
    }
    return try summary(reader, objects)
  }

  /// Returns the ranges of commits that can be restored, in ascending order.
  ///
  /// - Throws: ``ArchiveError``, or the error of the destination.
  public func list(
    key: DatabaseKey, cipher: CipherSettings = .default
  ) throws -> [ArchiveSummary.Range] {
    try summary(key: key, cipher: cipher).ranges
  }

  private func summary(
    _ reader: ArchiveReader, _ objects: Set<String>
  ) throws -> ArchiveSummary {
    var manifest = reader.manifest
    let (runs, missing) = try reader.runs(without: objects)
    var problems = reader.unusable + missing
    let parts = Set(try destination.list(ObjectName.layers)).subtracting(objects)
    manifest.layers.removeAll { layer in
      let names = (0..<layer.partCount).map { ObjectName.part($0, of: layer.number) }
      guard let name = names.first(where: { !parts.contains($0) }) else { return false }
      problems.append(.missing(name))
      return true
    }
    let ranges = try reachable(manifest, runs).map { range in
      let first = try reader.commit(range.commits.lowerBound, in: range.run)
      let last = try reader.commit(range.commits.upperBound, in: range.run)
      let kept = Dictionary(manifest.layers.map { ($0.last, $0.date) }) { $1 }
      let between = kept.filter { first.number < $0.key && $0.key < last.number }
        .map { ArchiveCommit(number: $0.key, milliseconds: $0.value) }
        .sorted { $0.number < $1.number }
      let ends = first.number == last.number ? [last] : [first] + between + [last]
      return ArchiveSummary.Range(first: first, last: last, dated: ends)
    }
    return ArchiveSummary(
      ranges: ranges, layerByteCount: reader.manifest.layers.reduce(0) { $0 + $1.byteCount },
      segmentCount: runs.reduce(0) { $0 + $1.segments.count },
      hasWriter: !manifest.isReleased, writer: manifest.fence, pageSize: manifest.header.pageSize,
      problems: problems)
  }

  /// Reads all objects, and returns what is wrong with them; nothing for a sound archive. Ends
  /// early with 1,000 findings.
  ///
  /// ``verification(atLeast:key:cipher:progress:)`` returns how far the archive reaches, too.
  /// - Parameters:
  ///   - minimums: What the archive has to reach at least; nothing by default.
  ///   - key: The key of the database.
  ///   - cipher: Its settings.
  ///   - progress: Called with the number of objects that were read, and of all.
  /// - Throws: ``ArchiveError`` if the archive can't be opened, or the error of the destination.
  public func verify(
    atLeast minimums: [ArchiveMinimum] = [], key: DatabaseKey, cipher: CipherSettings = .default,
    progress: ((Int, Int) throws -> Void)? = nil
  ) throws -> [ArchiveError] {
    try verification(atLeast: minimums, key: key, cipher: cipher, progress: progress).findings
  }

  /// Reads all objects, and returns what is wrong with them, and how far the archive reaches.
  ///
  /// Each object's seal is verified, the chain of the log, and that each state that the archive has
  /// can be reached. Downloads the whole archive. Ends early with 1,000 findings.
  ///
  /// Where the end was removed, only `minimums` show it: ``ArchiveError/notReached(_:last:)`` is a
  /// finding, too, and so is ``ArchiveError/notInAnchor``.
  /// - Parameters:
  ///   - minimums: What the archive has to reach at least; nothing by default.
  ///   - key: The key of the database.
  ///   - cipher: Its settings.
  ///   - progress: Called with the number of objects that were read, and of all.
  /// - Throws: ``ArchiveError`` if the archive can't be opened, the error of an anchor among the
  ///   minimums, or that of the destination.
  public func verification(
    atLeast minimums: [ArchiveMinimum] = [], key: DatabaseKey, cipher: CipherSettings = .default,
    progress: ((Int, Int) throws -> Void)? = nil
  ) throws -> ArchiveVerification {
    var reader: ArchiveReader
    do {
      reader = try ArchiveReader(destination, key: key, settings: cipher, path: "")
    } catch let error as ArchiveError where error.isFinding {
      return ArchiveVerification(findings: [error], last: nil)
    }
    var findings = try findings(&reader, progress)
    var last: ArchiveCommit?
    do { last = try reader.retrying(self.last) } catch let error as ArchiveError {
      // The objects' own errors are among the findings.
      if findings.isEmpty { findings.append(error) }
    }
    do { try minimums.check(last, reader) } catch let error as ArchiveError {
      findings.append(error)
    }
    return ArchiveVerification(findings: findings, last: last)
  }

  /// - Parameter reader: Reads a newer manifest afterwards, if there is one.
  private func findings(
    _ reader: inout ArchiveReader, _ progress: ((Int, Int) throws -> Void)?
  ) throws -> [ArchiveError] {
    for attempt in 1... {
      let found = try findings(reader, progress)
      guard found.contains(where: { $0.missingName != nil }), try reader.refresh() else {
        return found
      }
      // A writer may have deleted objects meanwhile. Beginning anew for each of them could last for
      // ever.
      let real = found.filter { $0.missingName.map(reader.manifest.needs) ?? true }
      if found.count < Self.mostFindings || real.count == found.count { return real }
      // What comes behind so many wasn't read.
      if attempt == 5 { return found }
    }
    return []
  }

  private static let mostFindings = 1_000

  private func findings(
    _ reader: ArchiveReader, _ progress: ((Int, Int) throws -> Void)?
  ) throws -> [ArchiveError] {
    var found: [ArchiveError] = []
    func note(_ error: ArchiveError) { if !found.contains(error) { found.append(error) } }
    func check(_ body: () throws -> Void) throws {
      do { try body() } catch let error as ArchiveError where error.isFinding { note(error) }
    }
    let manifest = reader.manifest
    reader.unusable.forEach(note)
    // Also behind a damaged end.
    let numbers = try destination.segmentNumbers()
    let end = max(manifest.tip.sequence, numbers.max().map { $0 + 1 } ?? 0)
    try check {
      let tip = try reader.tip()
      if reachable(manifest, [reader.run(to: tip)]).isEmpty, !manifest.layers.isEmpty {
        note(.noCommit(tip.place.commit))
      }
    }
    if let folder = destination as? FolderDestination {
      for prefix in [ObjectName.manifests, ObjectName.segments, ObjectName.layers] {
        for name in try folder.others(prefix) { note(.notAFile(name)) }
      }
    }
    let parts = manifest.layers.reduce(0) { $0 + $1.partCount }
    let segments = Int(end - min(end, manifest.logStart.sequence))
    var done = 0
    func advance() throws {
      done += 1
      try progress?(min(done, parts + segments), parts + segments)
    }
    for layer in manifest.layers {
      for index in 0..<layer.partCount {
        guard found.count < Self.mostFindings else { return found }
        try check { _ = try reader.part(index, of: layer) }
        try advance()
      }
    }
    var place = manifest.logStart
    var changes: CommitChanges?
    while place.sequence < end, found.count < Self.mostFindings {
      var seal: [UInt8]?
      try check {
        guard let (segment, own) = try reader.segment(place.sequence) else {
          throw ArchiveError.missing(ObjectName.segment(place.sequence))
        }
        seal = own
        if !place.seal.isEmpty, segment.previousSeal != place.seal {
          throw ArchiveError.brokenChain(ObjectName.segment(place.sequence))
        }
        if manifest.gaps.contains(where: { $0 + 1 == segment.firstCommit }) {
          changes = CommitChanges(after: segment.firstCommit - 1, upTo: .max)
        }
        var sequence = changes ?? CommitChanges(after: segment.firstCommit - 1, upTo: .max)
        _ = try sequence.frames(of: segment, pageSize: manifest.header.pageSize)
        changes = sequence
      }
      // After a lost one, the next can't be compared.
      if seal == nil { changes = nil }
      place = Manifest.LogPlace(sequence: place.sequence + 1, seal: seal ?? [], commit: 0)
      if place.sequence == manifest.tip.sequence, let seal, seal != manifest.tip.seal {
        note(.brokenChain(ObjectName.segment(place.sequence - 1)))
      }
      try advance()
    }
    return found
  }

  /// Deletes what the configuration's retention doesn't keep, and what writers left behind.
  ///
  /// A running session does so by itself. The last commit is kept in any case.
  /// - Returns: The number of deleted objects.
  /// - Throws: ``ArchiveError/writerExists`` while a session runs.
  @discardableResult
  public func prune(key: DatabaseKey, cipher: CipherSettings = .default) throws -> Int {
    let count = try pruneObjects(key, cipher)
    return try count + ((destination as? any LeftoverDestination)?.deleteLeftovers() ?? 0)
  }

  private func pruneObjects(_ key: DatabaseKey, _ cipher: CipherSettings) throws -> Int {
    let reader = try ArchiveReader(destination, key: key, settings: cipher, path: "")
    guard reader.manifest.isReleased || configuration.admits(nil, reader.manifest) else {
      throw ArchiveError.writerExists
    }
    let writer = ArchiveStore.newWriter()
    guard !reader.manifest.isReleased else {
      // If a writer begins meanwhile, one of both finds a manifest's name taken, or nothing of the
      // new writer's is old.
      var store = try ArchiveStore(pruning: reader, writer: writer)
      return try store.prune(configuration.retention, at: configuration.milliseconds)
    }
    var store = try ArchiveStore(reader, writer: writer)
    defer { try? store.release() }
    return try store.prune(configuration.retention, at: configuration.milliseconds)
  }
}

extension ArchiveConfiguration {
  /// The date, in milliseconds since 1970.
  var milliseconds: UInt64 { now().archivedMilliseconds }
}

extension ArchiveError {
  /// Whether it is about an object.
  var isFinding: Bool { objectName != nil }

  fileprivate var missingName: String? { if case .missing(let name) = self { name } else { nil } }

  /// The name of the object that is missing or can't be used; nil for other errors.
  public var objectName: String? {
    switch self {
    case .damaged(let name), .missing(let name), .misplaced(let name), .notAFile(let name),
      .otherArchive(let name), .brokenChain(let name), .unknownVersion(let name, _):
      name
    default: nil
    }
  }
}
