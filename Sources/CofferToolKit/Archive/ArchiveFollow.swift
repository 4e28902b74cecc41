import Coffer
import CofferArchive
import Dispatch
import Glibc

extension Tool {
  /// `coffer archive follow`
  static func followArchive(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let path = invocation.arguments[0]
    var configuration = ArchiveConfiguration()
    configuration.interval = try invocation.interval() ?? configuration.interval
    let target = invocation.value("from") ?? ""
    tellArchiveLog(console)
    let archive = Archive(try archiveDestination(target), configuration: configuration)
    let minimums = try invocation.archiveMinimums()
    let opening = try Opening(invocation, path: target)
    var end = ArchiveEnd(within: try invocation.within())
    var line = ArchiveStatusLine(console)
    defer { line.clear() }
    let wake = DispatchSemaphore(value: 0)
    try opening.withArchiveKey { key in
      try Interrupts.handled(by: { wake.signal() }, includesTermination: true) {
        var pool = Configuration()
        pool.cipher = opening.cipher ?? .default
        let configured = pool
        var pause = configuration.interval
        var started: ArchiveFollower?
        while started == nil {
          do {
            started = try end.result(
              of: BackgroundWork {
                try ArchiveFollower(
                  archive, path: path, atLeast: minimums, key: key, configuration: configured
                ) { _ in try Interrupts.check() }
              })
          } catch {
            guard !invocation.has("once"), !Interrupts.isRequested, mayPass(error, path) else {
              throw error
            }
            line.show(error)
            let next = ContinuousClock.now + pause
            while !Interrupts.isRequested, .now < next {
              _ = wake.wait(timeout: .now() + .milliseconds(200))
            }
            if Interrupts.isRequested { throw error }
            pause = min(pause * 2, .seconds(30))
          }
        }
        guard let follower = started else { return }
        defer { try? follower.close(within: end.remaining) }
        if invocation.has("once") {
          _ = try end.result(of: BackgroundWork { try follower.follow() })
        } else {
          while !Interrupts.isRequested {
            line.show(follower)
            if let error = follower.lastError as? ArchiveError, error.endsFollowing { break }
            _ = wake.wait(timeout: .now() + .seconds(1))
          }
        }
        line.clear()
        console.line(follower.commit.line)
        if let error = follower.lastError { throw error }
      }
    }
    return 0
  }

  /// `coffer archive promote`
  static func promoteFollower(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let path = invocation.arguments[0]
    guard ArchiveFollower.hasFollower(fileAt: path) else {
      throw ToolError(
        .cannotFollow, "\(path) doesn't follow an archive: coffer archive follow makes such a file")
    }
    let target = invocation.value("from") ?? ""
    tellArchiveLog(console)
    let archive = Archive(try archiveDestination(target))
    let minimums = try invocation.archiveMinimums()
    let opening = try Opening(invocation, path: target)
    let commit = try opening.withArchiveKey { key in
      var configuration = Configuration()
      configuration.cipher = opening.cipher ?? .default
      let follower = try ArchiveFollower(
        archive, path: path, atLeast: minimums, key: key, configuration: configuration)
      return try follower.promote()
    }
    console.line(commit.line)
    return 0
  }

  /// Whether an error of a start can be another one the next time.
  private static func mayPass(_ error: any Error, _ path: String) -> Bool {
    // A disk that isn't mounted looks like a folder without an archive, which there was once.
    if error as? ArchiveError == .noArchive { return access(path, F_OK) == 0 }
    return !(error is ArchiveError) && ToolError(error).code == .inputOutput
  }
}
