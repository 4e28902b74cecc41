import Coffer
import CofferCore
import FoundationEssentials

/// A continuous, encrypted archive of a database: a copy elsewhere that is about a second old, with
/// a way back to each commit.
///
/// ```swift
/// let archive = Archive(FolderDestination(path: "/mnt/backup/vault"))
/// let session = try archive.start(pool)
/// // …
/// try session.stop()
///
/// try archive.restore(to: "restored.db", key: key)
/// ```
///
/// The destination gets the database's pages as they are in its file: encrypted, and authenticated
/// with a key that only those have who have the database's. It needs no trust, but that it keeps
/// what it gets. What is missing, exchanged or changed there is noticed, but for the end: a
/// destination that forgets the last objects shows an older archive. ``ArchiveMinimum`` says what
/// has to be there.
///
/// See `Docs/Archive.md` for costs and limits.
public struct Archive: Sendable {
  /// Where the archive is.
  public let destination: any ArchiveDestination

  /// How it is written.
  public let configuration: ArchiveConfiguration

  /// Describes an archive. Nothing is read or written yet.
  public init(
    _ destination: any ArchiveDestination,
    configuration: ArchiveConfiguration = ArchiveConfiguration()
  ) {
    self.destination = destination
    self.configuration = configuration
  }

  /// Begins to archive the commits of a pool, also those of other processes to its file.
  ///
  /// The first time, and when commits were missed, all pages are archived first, in the background.
  /// Commits don't wait for the destination. Keep the session, and stop it before the pool is
  /// closed.
  ///
  /// Call this outside of the pool's accesses. Waits for a write that is under way, and for the
  /// destination.
  /// - Throws: ``ArchiveError``, such as ``ArchiveError/writerExists``; ``DatabaseError`` for a
  ///   pool without a key; or the error of the destination.
  public func start(_ pool: DatabasePool) throws -> ArchiveSession {
    try ArchiveSession(ArchivedDatabase(pool), destination, configuration)
  }

  /// Begins to archive the commits of a database, on the threads of all sessions with a gate.
  package func start(
    _ database: ArchivedDatabase, through gate: ArchiveGate
  ) throws -> ArchiveSession {
    try ArchiveSession(database, destination, configuration, gate)
  }

  // MARK: Restoring

  /// Writes the database as of a commit to a new file, which can be opened with the same key.
  ///
  /// Each object and each page is verified, and then the file gets its name. Key slots come along.
  /// Objects are read four at a time, so that an own destination's `get` is called on several
  /// threads.
  /// - Parameters:
  ///   - path: The path of the new file.
  ///   - point: The commit; the last one by default. Where the dates around one don't tell commits
  ///     apart, since a clock was ahead, ``Database/logError`` is told so.
  ///   - minimums: What the archive has to reach at least, whatever is restored; nothing by
  ///     default. An archive that has lost its end isn't taken for a whole one.
  ///   - key: The key of the database.
  ///   - cipher: Its settings, as in its configuration.
  ///   - progress: Called with the part that is done, from 0 to 1. An error that it throws ends the
  ///     restore.
  /// - Returns: The commit that was restored.
  /// - Throws: ``ArchiveError`` with nothing left at the path, such as
  ///   ``ArchiveError/notReached(_:last:)``; or ``DatabaseError``, for example if there is a file.
  @discardableResult
  public func restore(
    to path: String, at point: ArchivePoint = .latest, atLeast minimums: [ArchiveMinimum] = [],
    key: DatabaseKey, cipher: CipherSettings = .default,
    progress: ((Double) throws -> Void)? = nil
  ) throws -> ArchiveCommit {
    try restore(
      to: path, at: point, atLeast: minimums, key: key, cipher: cipher, progress: progress
    ) { _ in }
  }

  /// - Parameter finish: Called with the path of the complete file, before it gets its name.
  func restore(
    to path: String, at point: ArchivePoint, atLeast minimums: [ArchiveMinimum], key: DatabaseKey,
    cipher: CipherSettings, progress: ((Double) throws -> Void)?, finish: (String) throws -> Void
  ) throws -> ArchiveCommit {
    var reader = try ArchiveReader(destination, key: key, settings: cipher, path: path)
    return try reader.retrying { reader in
      try minimums.check(self, reader)
      return try restore(to: path, at: point, reader, cipher, progress, finish)
    }
  }

  private func restore(
    to path: String, at point: ArchivePoint, _ reader: ArchiveReader, _ cipher: CipherSettings,
    _ progress: ((Double) throws -> Void)?, _ finish: (String) throws -> Void
  ) throws -> ArchiveCommit {
    let manifest = reader.manifest
    guard cipher.pageSize == manifest.header.pageSize else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "the archive's pages have \(manifest.header.pageSize) bytes",
        hint: "Give the cipher settings of the database: its page size differs.")
    }
    let plan = try plan(to: point, reader)
    do { return try restore(plan, to: path, reader, cipher, progress, finish) } catch let error
      as ArchiveError
    {
      // Another way may lead to the same commit, without the layer that can't be used.
      guard let layer = error.objectName.flatMap(ObjectName.part)?.layer,
        plan.layers.contains(where: { $0.number == layer }),
        case let rest = reader.without(layer: layer),
        RestorePlan(to: plan.commit, rest.manifest, tip: .max) != nil
      else { throw error }
      return try restore(to: path, at: .commit(plan.commit), rest, cipher, progress, finish)
    }
  }

  private func restore(
    _ plan: RestorePlan, to path: String, _ reader: ArchiveReader, _ cipher: CipherSettings,
    _ progress: ((Double) throws -> Void)?, _ finish: (String) throws -> Void
  ) throws -> ArchiveCommit {
    let manifest = reader.manifest
    let file = try RestoredFile(
      at: path, key: reader.key, settings: cipher,
      slots: manifest.slots.isEmpty ? nil : manifest.slots)
    let (pageCount, date) = try reader.restore(plan, to: file, settings: cipher) { done, count in
      try progress?(Double(done) / Double(max(1, count)))
    }
    try file.finish(pageCount: pageCount, beforeNaming: finish)
    return ArchiveCommit(number: plan.commit, milliseconds: date)
  }

  /// Returns the way to a commit.
  func plan(to point: ArchivePoint, _ reader: ArchiveReader) throws -> RestorePlan {
    let manifest = reader.manifest
    // Without a look at the log's end: what the commit doesn't need may be lost.
    if case .commit(let number) = point {
      guard let plan = RestorePlan(to: number, manifest, tip: .max) else {
        throw ArchiveError.noCommit(number)
      }
      return plan
    }
    let tip = try reader.tip()
    switch point {
    case .latest, .commit:
      // After a gap, that may be a commit that only layers have.
      guard let last = reachable(manifest, [reader.run(to: tip)]).last?.commits.upperBound,
        let plan = RestorePlan(to: last, manifest, tip: tip.place.commit)
      else { throw ArchiveError.noCommit(tip.place.commit) }
      return plan
    case .date(let date):
      let limit = date.archivedMilliseconds
      let ends = LayerWays(manifest).ends
      var candidates = Set(
        manifest.layers.filter { $0.date <= limit && ends.contains($0.last) }.map(\.last))
      let run = reader.run(to: tip)
      if let last = try reader.lastCommit(upTo: limit, in: run) {
        for range in reachable(manifest, [run]) where range.commits.lowerBound <= last {
          candidates.insert(min(last, range.commits.upperBound))
        }
      }
      for number in candidates.sorted(by: >) {
        guard let plan = RestorePlan(to: number, manifest, tip: tip.place.commit) else { continue }
        if try configuration.isAhead(tip.date) || reader.hasStandingDates(around: number, in: run) {
          Database.logError?(
            .SQLITE_WARNING,
            "the archive's dates aren't in order near \(date), since a clock was ahead: commits after "
              + "\(number) can be older than that. The order is that of their numbers")
        }
        return plan
      }
      throw ArchiveError.noCommitBefore("\(date)")
    }
  }

  /// Returns the last commit that can be restored; nil while the first pages are being archived.
  func last(_ reader: ArchiveReader) throws -> ArchiveCommit? {
    let run = reader.run(to: try reader.tip())
    return try reachable(reader.manifest, [run]).last.map {
      try reader.commit($0.commits.upperBound, in: run)
    }
  }

  /// Commits of which each can be restored, and the part of the log that has them; nil where only
  /// layers do.
  typealias Reachable = (commits: ClosedRange<UInt64>, run: ArchiveReader.LogRun?)

  /// Returns the ranges in which each commit can be restored, in ascending order.
  ///
  /// - Parameter runs: The parts of the log that are there.
  func reachable(_ manifest: Manifest, _ runs: [ArchiveReader.LogRun]) -> [Reachable] {
    let ways = LayerWays(manifest)
    var ranges: [Reachable] = []
    for end in ways.ends {
      if let last = ranges.last, last.commits.contains(end) { continue }
      // Of two layers with the same end, one may have begun earlier in the log.
      let place = max(
        ways.way(to: end)?.last?.place.sequence ?? 0, manifest.logStart.sequence)
      guard end >= manifest.logStart.commit,
        let run = runs.first(where: {
          $0.segments.contains(place) || $0.segments.upperBound == place
        })
      else {
        ranges.append((end...end, nil))
        continue
      }
      let gap = manifest.gaps.filter { $0 > end }.min()
      let last = min(run.lastCommit, gap.map { $0 - 1 } ?? .max)
      ranges.append((end...max(end, last), run))
    }
    return ranges
  }
}

extension ArchiveConfiguration {
  /// Whether a date lies in the future, by more than clocks differ.
  fileprivate func isAhead(_ date: UInt64) -> Bool { date > milliseconds + 60_000 }
}

/// A moment to restore.
public enum ArchivePoint: Sendable, Hashable {
  /// The last commit in the archive.
  case latest
  /// The commit with a number, as sessions and lists give it.
  case commit(UInt64)
  /// The last commit of a date or before, by the clock of the writing machine.
  case date(Date)
}

/// A commit in an archive.
public struct ArchiveCommit: Sendable, Hashable {
  /// Counts the archive's commits, from 1.
  public let number: UInt64

  /// When the archive read the commit, by the clock of the writing machine. Never earlier than that
  /// of the commit before, also where the clock was set back.
  public let date: Date

  init(number: UInt64, milliseconds: UInt64) {
    self.number = number
    date = Date(archivedMilliseconds: milliseconds)
  }
}
