import Coffer
import CofferArchive
import Dispatch

extension Tool {
  /// `coffer archive run`
  static func runArchive(_ invocation: Invocation, _ console: Console) throws -> CInt {
    if let config = invocation.value("config") {
      return try runArchives(invocation, config: config, console)
    }
    guard let path = invocation.argument(0), let target = invocation.value("to") else {
      let missing = invocation.argument(0) == nil ? "FILE" : "--to"
      throw ToolError(
        .usage,
        "archive run: \(missing) is missing: coffer archive run FILE --to TARGET, or --config FILE")
    }
    let configuration = try invocation.archiveConfiguration()
    tellArchiveLog(console)
    let archive = Archive(try archiveDestination(target), configuration: configuration)
    let opening = try Opening(invocation, path: path)
    guard try opening.requireDatabase() else {
      throw ToolError(.dataError, "\(path) is not encrypted. Use coffer encrypt")
    }
    let pool = try opening.openPool()
    var run = ArchiveRun(
      archive, isOnce: invocation.has("once"), within: try invocation.within(),
      ArchiveStatusLine(console), try ArchiveEvents(invocation, target: target, console))
    do {
      try run.archive(pool)
      try pool.close()
      run.events.end(nil)
    } catch {
      run.events.end(error)
      throw ToolError(error, path: error is DatabaseError ? nil : target)
    }
    return 0
  }
}

/// A session that goes on until it is interrupted, or until it has archived all commits once.
private struct ArchiveRun {
  private let archive: Archive
  private let isOnce: Bool
  private var end: ArchiveEnd
  private var line: ArchiveStatusLine
  var events: ArchiveEvents
  /// Signalled when there is something to do.
  private let wake = DispatchSemaphore(value: 0)

  init(
    _ archive: Archive, isOnce: Bool, within limit: Duration, _ line: ArchiveStatusLine,
    _ events: ArchiveEvents
  ) {
    self.archive = archive
    self.isOnce = isOnce
    end = ArchiveEnd(within: limit)
    self.line = line
    self.events = events
  }

  mutating func archive(_ pool: DatabasePool) throws {
    let wake = wake
    defer { line.clear() }
    try Interrupts.handled(by: { wake.signal() }, includesTermination: true) {
      let session = try start(pool)
      events.start()
      defer { events.stop() }
      try isOnce ? archiveOnce(session) : follow(session, pool.path)
    }
  }

  /// Starts a session, as soon as the destination is there.
  private mutating func start(_ pool: DatabasePool) throws -> ArchiveSession {
    var pause = archive.configuration.interval
    while true {
      do {
        return try end.result(of: BackgroundWork { [archive] in try archive.start(pool) })
      } catch {
        guard !isOnce, !Interrupts.isRequested, !(error is ArchiveError),
          [.inputOutput, .cantCreate, .temporary].contains(ToolError(error).code)
        else { throw error }
        line.show(error)
        let end = ContinuousClock.now + pause
        while !Interrupts.isRequested, .now < end { wait() }
        if Interrupts.isRequested { throw error }
        pause = min(pause * 2, .seconds(30))
      }
    }
  }

  private mutating func follow(_ session: ArchiveSession, _ path: String) throws {
    while !Interrupts.isRequested, session.status.isRunning {
      let status = session.status
      line.show(status)
      events.show(status, databaseAt: path)
      wait()
    }
    // Throws the reason if the session has ended by itself.
    try session.stop(within: end.remaining)
  }

  private mutating func archiveOnce(_ session: ArchiveSession) throws {
    let work = BackgroundWork { try session.archiveNow() }
    while !Interrupts.isRequested, work.wait(for: .milliseconds(100)) == nil {
      line.show(session.status)
    }
    let result = work.result
    do { _ = try result?.get() } catch {
      try? session.stop(within: end.remaining)
      throw error
    }
    try session.stop(within: end.remaining)
    if result == nil { throw ToolError(.interrupted, "interrupted; the next run goes on") }
  }

  /// Waits until something is to be shown or done.
  private func wait() {
    _ = wake.wait(timeout: .now() + (line.isOverwritten ? .milliseconds(200) : .seconds(1)))
  }
}
