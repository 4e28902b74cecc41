import CofferArchive

/// What a run of one database tells of itself: lines for each event, signs of life for a service
/// manager, and figures in a file.
struct ArchiveEvents {
  private let log: ArchiveLog
  private let target: String
  private let metrics: String?
  private var manager = ServiceManager()
  private var lastMetrics: ContinuousClock.Instant?
  private var changes = ArchiveChanges()

  init(_ invocation: Invocation, target: String, _ console: Console) throws {
    self.target = target
    log = ArchiveLog(try invocation.logForm(), console, target: target)
    metrics = invocation.value("metrics")
  }

  /// Tells that the archive has begun.
  mutating func start() {
    manager?.send("READY=1")
    log.tell("start", "the archive is \(target)")
  }

  /// Tells what is new. Called about once a second.
  mutating func show(_ status: ArchiveStatus, databaseAt path: String) {
    changes.tell(status, to: log)
    let commit = status.archived.map { "commit \($0.number)" } ?? "no commit yet"
    manager?.sign(changes.lastError ?? "archived: \(commit)")
    guard let metrics, lastMetrics.map({ .now - $0 >= .seconds(10) }) ?? true else { return }
    lastMetrics = .now
    var figures = ArchiveMetrics(target: target)
    figures.add(ArchiveSession.report(ofDatabaseAt: path))
    do { try figures.write(to: metrics) } catch { log.tell("error", "\(error)") }
  }

  /// Tells that the run ends.
  mutating func stop() { manager?.send("STOPPING=1") }

  /// Tells how the run has ended.
  mutating func end(_ error: (any Error)?) {
    log.tell("end", error.map { ToolError($0).description } ?? "all commits are archived")
  }
}
