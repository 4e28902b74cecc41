import Coffer
import CofferCore
import FoundationEssentials
import Glibc

/// What another process asks a session to do, in the file beside its database.
///
/// It has the archive's seal, so that nobody who lacks the key can have history deleted; and the
/// session's number, so that it counts once, and in no later session. See `Docs/Format.md`.
struct PruneRequest: Equatable {
  /// The archive's number.
  let archive: [UInt8]
  /// The session's number.
  let fence: UInt64
  /// A random number, by which the answer names the request.
  let number: UInt64
  let retention: ArchiveRetention

  private static let magic = Array("prune  1".utf8)
  static let size = 72 + ArchiveSeal.size

  init(_ manifest: Manifest, _ retention: ArchiveRetention) {
    (archive, fence) = (manifest.header.archive, manifest.fence)
    number = UInt64.random(in: 1...UInt64.max)
    self.retention = retention
  }

  /// Returns the bytes, with their seal.
  func bytes(_ seal: ArchiveSeal) throws -> [UInt8] {
    var bytes = Self.magic + archive
    bytes.append(fence)
    bytes.append(number)
    for time in [retention.commits, retention.fiveMinutes, retention.hours, retention.days] {
      bytes.append(UInt64(max(0, time.components.seconds)))
    }
    return try seal.sealed(bytes)
  }

  /// Reads bytes; nil for those that aren't one, or have another seal.
  init?(_ bytes: [UInt8], _ seal: ArchiveSeal) {
    var input = ByteReader(bytes)
    guard bytes.count == Self.size, input.bytes(Self.magic.count) == Self.magic,
      seal.isSealed(bytes), let archive = input.bytes(16), let fence = input.uint64(),
      let number = input.uint64()
    else { return nil }
    let times = (0..<4).compactMap { _ in input.uint64() }
      .map { Duration.seconds(Int64(clamping: min($0, 1 << 40))) }
    guard times.count == 4 else { return nil }
    (self.archive, self.fence, self.number) = (archive, fence, number)
    retention = ArchiveRetention(
      commits: times[0], fiveMinutes: times[1], hours: times[2], days: times[3])
  }
}

extension Archive {
  /// Has the running session of a database delete what the configuration's retention doesn't keep.
  ///
  /// The session may be one of another process. From then on it keeps what its own retention says
  /// again.
  /// - Parameters:
  ///   - path: The path of the database.
  ///   - key: The key of the database.
  ///   - cipher: Its settings.
  ///   - limit: How long to wait for it.
  /// - Returns: The number of deleted objects; nil if no session archives the database.
  /// - Throws: ``ArchiveError/notAnswered(process:)`` if the session doesn't do so in time, such as
  ///   one with another archive, or whose clock has jumped; ``ArchiveError``, or the error of the
  ///   destination.
  public func prune(
    bySessionOfDatabaseAt path: String, key: DatabaseKey, cipher: CipherSettings = .default,
    within limit: Duration = .seconds(60)
  ) throws -> Int? {
    guard ArchiveSession.report(ofDatabaseAt: path) != nil else { return nil }
    let reader = try ArchiveReader(destination, key: key, settings: cipher, path: "")
    let request = PruneRequest(reader.manifest, configuration.retention)
    try ArchiveStateFile.ask(try request.bytes(reader.seal), ofDatabaseAt: path)
    let end = ContinuousClock.now + limit
    while true {
      guard let report = ArchiveSession.report(ofDatabaseAt: path) else { return nil }
      if report.prunedRequest == request.number { return report.prunedObjectCount }
      guard .now < end else { throw ArchiveError.notAnswered(process: report.process) }
      usleep(50_000)
    }
  }
}
