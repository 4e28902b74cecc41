import Dispatch
import Synchronization

/// A place where threads wait until all of them are there.
package final class Rendezvous: Sendable {
  private let missing: Mutex<Int>
  private let semaphore = DispatchSemaphore(value: 0)
  private let count: Int

  package init(_ count: Int) {
    self.count = count
    missing = Mutex(count)
  }

  package func meet() {
    let isLast = missing.withLock { missing in
      missing -= 1
      return missing == 0
    }
    if isLast { for _ in 1..<count { semaphore.signal() } } else { semaphore.wait() }
  }
}
