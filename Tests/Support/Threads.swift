import Dispatch
import Foundation

/// Runs `body` on a thread of its own, which may block: threads of the global
/// queues are as few as the machine's cores, and Swift's tasks run on them too.
func detachThread(group: DispatchGroup? = nil, _ body: @escaping @Sendable () -> Void) {
  group?.enter()
  Thread.detachNewThread {
    body()
    group?.leave()
  }
}
