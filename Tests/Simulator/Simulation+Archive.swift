import Coffer
import CofferArchive
import CofferTestSupport
import Foundation

/// What is done with an archive.
enum ArchiveStep: Sendable, CaseIterable {
  /// The commits until now are archived, by a session that goes on.
  case archive
  /// The session ends. Commits until the next one are found in the log, or missed.
  case stop
  /// The last commit is restored, and has the last state.
  case restore
  /// A follower reaches the last state.
  case follow
}

/// The archive of a simulation, its session and its follower.
struct ArchiveState {
  var session: ArchiveSession?
  var follower: ArchiveFollower?
}

extension Program {
  /// Puts steps of an archive between others. They come from a generator of their own, so that the
  /// other steps of a seed stay what they were.
  static func insertingArchive(_ steps: [Step], seed: UInt64) -> [Step] {
    var random = SeededGenerator(state: seed ^ 0xA2C4_17E5_0000_0001)
    guard random.chance(40) else { return steps }
    var steps = steps
    for _ in 0..<(2 + random.below(8)) {
      let kinds: [ArchiveStep] = [.archive, .archive, .restore, .restore, .follow, .follow, .stop]
      steps.insert(.archive(random.pick(kinds)), at: 2 + random.below(steps.count - 1))
    }
    return steps
  }
}

extension Simulation {
  /// Another key is another archive.
  private var archive: Archive {
    var configuration = ArchiveConfiguration()
    // Only what a step asks for is archived.
    configuration.interval = .seconds(3_600)
    return Archive(
      FolderDestination(path: directory.path("archive-\(keyNumber)")), configuration: configuration)
  }

  func take(_ step: ArchiveStep) throws -> String {
    guard let pool = writer as? DatabasePool else { return "skipped" }
    if step == .stop {
      try stopArchive()
      return "stopped"
    }
    if archived.session == nil { archived.session = try archive.start(pool) }
    try archived.session?.archiveNow()
    switch step {
    case .archive, .stop: break
    case .restore: try restore()
    case .follow: try follow()
    }
    return "\(step)"
  }

  private func restore() throws {
    let target = directory.path("restored.db")
    defer {
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: target + suffix)
      }
    }
    var configuration = try configuration()
    try archive.restore(
      to: target, key: Simulation.key(program, keyNumber), cipher: configuration.cipher)
    configuration.journalMode = .wal
    let queue = try DatabaseQueue(path: target, configuration: configuration)
    let seen = try queue.read { try State.read($0) }
    let damaged = try queue.checkCipherIntegrity()
    try queue.close()
    try acceptArchived(seen, "a restored database")
    try require(damaged.isEmpty, "a restored database has damaged pages \(damaged)")
  }

  private func follow() throws {
    if archived.follower == nil {
      archived.follower = try ArchiveFollower(
        archive, path: directory.path("follower-\(keyNumber).db"),
        key: Simulation.key(program, keyNumber), configuration: configuration())
    }
    guard let follower = archived.follower else { return }
    try follower.follow()
    try acceptArchived(try follower.pool.read { try State.read($0) }, "a follower")
  }

  private func acceptArchived(_ seen: State, _ name: String) throws {
    do { try accept(seen) } catch let error as Violation {
      throw Violation("\(name): \(error.description)")
    }
  }

  /// Ends what uses the connection.
  func stopArchive() throws {
    let old = archived
    archived = ArchiveState()
    let results = [
      Result { try old.follower?.close() }, Result { try old.session?.stop() },
    ]
    // What a session couldn't archive, the next one does.
    if fault == nil { for result in results { try result.get() } }
  }
}
