import Coffer
import CofferArchive
import Glibc
import Synchronization

/// A session of a run with several databases, and the pool that is open for its anchor.
final class RunningArchive: Sendable {
  let session: ArchiveSession
  private let pool: DatabasePool?

  /// Opens the database of a task, and begins to archive it.
  ///
  /// - Parameter isOnce: Whether to wait until all commits are archived.
  init(
    _ task: ArchiveTask, _ gate: ArchiveGate, _ connections: S3Connections, isOnce: Bool
  ) throws {
    let invocation = task.invocation
    let archive = Archive(
      try Tool.archiveDestination(task.target, connections),
      configuration: try invocation.archiveConfiguration())
    let opening = try Opening(invocation, path: task.path)
    guard try opening.requireDatabase() else {
      throw ToolError(.dataError, "\(task.path) is not encrypted. Use coffer encrypt")
    }
    let pool = try opening.openPool()
    do {
      if opening.anchor == nil {
        session = try archive.start(ArchivedDatabase(closing: pool), through: gate)
        self.pool = nil
      } else {
        session = try archive.start(ArchivedDatabase(pool), through: gate)
        self.pool = pool
      }
    } catch {
      try? pool.close()
      throw error
    }
    guard isOnce else { return }
    do { try session.archiveNow() } catch {
      try? stop(within: .seconds(30))
      throw error
    }
  }

  func stop(within limit: Duration) throws {
    try session.stop(within: limit)
    try pool?.close()
  }
}

/// The beginning of a session, on the threads of all.
final class ArchiveStart: Sendable {
  private let state = Mutex<Result<RunningArchive, any Error>?>(nil)
  private let isCancelled = Atomic(false)

  init(
    _ task: ArchiveTask, _ gate: ArchiveGate, _ connections: S3Connections, isOnce: Bool
  ) {
    gate.run { [self] in
      let result = Result {
        guard !isCancelled.load(ordering: .relaxed) else {
          throw ToolError(.interrupted, "interrupted before it began")
        }
        return try RunningArchive(task, gate, connections, isOnce: isOnce)
      }
      state.withLock { $0 = result }
    }
  }

  var result: Result<RunningArchive, any Error>? { state.withLock { $0 } }

  /// Has it not begin, if it waits for others.
  func cancel() { isCancelled.store(true, ordering: .relaxed) }
}

/// One database of a run with several.
struct ArchiveMember {
  enum Phase {
    /// It is tried after so many failures.
    case waiting(until: ContinuousClock.Instant, failures: Int)
    case starting(ArchiveStart, failures: Int)
    case running(RunningArchive)
    case ending(BackgroundWork<Void>)
    /// All is done, or no attempt can succeed.
    case ended
  }

  let task: ArchiveTask
  let log: ArchiveLog
  let file: FileIdentity?
  var phase = Phase.waiting(until: .now, failures: 0)
  /// Why it isn't archived, or not whole; nil if it is.
  private(set) var failure: ToolError?
  var missingCount = 0
  private var changes = ArchiveChanges()

  init(_ task: ArchiveTask, _ log: ArchiveLog) {
    (self.task, self.log) = (task, log)
    file = FileIdentity(task.path)
  }

  var hasEnded: Bool { if case .ended = phase { true } else { false } }

  /// Whether it was tried once.
  var hasBegun: Bool {
    switch phase {
    case .waiting, .starting: failure != nil
    default: true
    }
  }

  var isArchived: Bool {
    if case .running = phase { failure == nil && changes.lastError == nil } else { false }
  }

  /// Does what is due.
  ///
  /// - Parameter start: Makes a new session; nil where none is to begin now.
  mutating func step(isOnce: Bool, _ start: (() -> ArchiveStart)?) {
    switch phase {
    case .waiting(let date, let failures):
      if date <= .now, let start { phase = .starting(start(), failures: failures) }
    case .starting(let start, let failures):
      switch start.result {
      case nil: break
      case .success(let archive):
        failure = nil
        log.tell("start", "the archive is \(task.target)")
        changes = ArchiveChanges()
        phase = isOnce ? Self.ending(archive, within: .seconds(30)) : .running(archive)
      case .failure(let error): fail(error, failures: failures + 1, isOnce: isOnce)
      }
    case .running(let archive):
      let status = archive.session.status
      changes.tell(status, to: log)
      // It throws the reason.
      if !status.isRunning { phase = Self.ending(archive, within: .seconds(30)) }
    case .ending(let work):
      switch work.result {
      case nil: break
      case .success:
        log.tell("end", "all commits are archived")
        phase = .ended
      case .failure(let error): fail(error, failures: 1, isOnce: isOnce)
      }
    case .ended: break
    }
  }

  private static func ending(_ archive: RunningArchive, within limit: Duration) -> Phase {
    .ending(BackgroundWork { try archive.stop(within: limit) })
  }

  /// Ends its session, or has it not begin.
  mutating func end(within limit: Duration) {
    switch phase {
    case .waiting: phase = .ended
    case .starting(let start, _): start.cancel()
    case .running(let archive): phase = Self.ending(archive, within: limit)
    case .ending, .ended: break
    }
  }

  /// Does what is due at the end; what has begun only now is ended, too.
  mutating func stepToEnd(within limit: Duration) {
    if case .starting(let start, _) = phase, case .success(let archive)? = start.result {
      phase = Self.ending(archive, within: limit)
    }
    step(isOnce: true, nil)
  }

  /// Notes that its end wasn't waited for.
  mutating func giveUp() {
    guard !hasEnded else { return }
    let text = "it didn't end in time. What isn't archived is left in the database's own log"
    fail(ToolError(.inputOutput, text), failures: 0, isOnce: true)
  }

  /// Has it tried at once, whatever has failed before.
  mutating func retry() {
    switch phase {
    case .waiting: phase = .waiting(until: .now, failures: 0)
    case .ended where failure != nil: phase = .waiting(until: .now, failures: 0)
    default: break
    }
  }

  private mutating func fail(_ error: any Error, failures: Int, isOnce: Bool) {
    let new = ToolError(error, path: error is DatabaseError ? task.path : task.target)
    if new.code == .interrupted {
      phase = .ended
      return
    }
    let isFinal = Self.needsPerson(error)
    if new.description != failure?.description {
      log.tell("error", new.description + (isFinal ? ". It is tried again after a reload" : ""))
    }
    failure = new
    if isOnce || isFinal {
      phase = .ended
    } else {
      // Where the target is away, it may soon be back.
      let most = new.code == .inputOutput ? 30.0 : 300.0
      let pause = min(Double(1 << min(failures, 10)), most) * Double.random(in: 0.5...1)
      phase = .waiting(until: .now + .seconds(pause), failures: failures)
    }
  }

  /// Whether no attempt can succeed before a person has looked.
  private static func needsPerson(_ error: any Error) -> Bool {
    switch error {
    case ArchiveError.superseded, ArchiveError.writerExists, ArchiveError.changedKey,
      ArchiveError.otherKey:
      true
    default: false
    }
  }
}

/// What distinguishes a file from another one of its name.
struct FileIdentity: Hashable {
  private let device: dev_t
  private let inode: ino_t

  /// Nil if there is no such file.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, inode) = (status.st_dev, status.st_ino)
  }
}
