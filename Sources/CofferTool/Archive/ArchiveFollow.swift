import Coffer
import CofferArchive
import Dispatch

extension Tool {
  /// `coffer archive follow`
  static func followArchive(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let path = invocation.arguments[0]
    var configuration = ArchiveConfiguration()
    configuration.interval = try invocation.interval() ?? configuration.interval
    let target = invocation.value("from") ?? ""
    let archive = Archive(try archiveDestination(target), configuration: configuration)
    let opening = try Opening(invocation, path: target)
    var line = ArchiveStatusLine(console)
    defer { line.clear() }
    let wake = DispatchSemaphore(value: 0)
    try opening.withArchiveKey { key in
      try Interrupts.handled(by: { wake.signal() }, includesTermination: true) {
        var pool = Configuration()
        pool.cipher = opening.cipher ?? .default
        let follower = try ArchiveFollower(archive, path: path, key: key, configuration: pool) {
          _ in try Interrupts.check()
        }
        defer { try? follower.close() }
        if invocation.has("once") {
          try follower.follow()
        } else {
          while !Interrupts.isRequested {
            line.show(follower)
            _ = wake.wait(timeout: .now() + .seconds(1))
          }
        }
        line.clear()
        let commit = follower.commit
        console.line("commit \(commit.number) of \(commit.dateText)")
      }
    }
    return 0
  }
}
