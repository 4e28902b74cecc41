import Synchronization

/// What has failed on several threads.
final class FailureLog: Sendable {
  private let failures = Mutex<[String]>([])

  var all: [String] { failures.withLock { $0 } }

  func catching(_ body: () throws -> Void) {
    do { try body() } catch { failures.withLock { $0.append("\(error)") } }
  }
}
