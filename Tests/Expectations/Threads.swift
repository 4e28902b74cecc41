import Dispatch
import Foundation
import Testing

/// Runs `body` on a new thread, which it may block. The threads of the global queues, which run
/// Swift's tasks too, are only as many as the machine's cores. An error is recorded as an issue.
package func detachThread(
  group: DispatchGroup? = nil, _ body: @escaping @Sendable () throws -> Void
) {
  group?.enter()
  Thread.detachNewThread {
    do { try body() } catch { Issue.record(error) }
    group?.leave()
  }
}

extension DispatchSemaphore {
  /// Waits on a new thread, so that no thread of Swift's tasks is blocked.
  package func waited() async {
    await withCheckedContinuation { continuation in
      detachThread {
        self.wait()
        continuation.resume()
      }
    }
  }
}
