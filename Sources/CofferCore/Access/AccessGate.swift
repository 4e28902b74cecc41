import Dispatch
import Foundation
import Synchronization

/// Lets one access at a time to a connection, in the order in which they came.
///
/// A synchronous access runs on its caller's thread, an asynchronous one on a
/// thread of `queue`, as all do where that has a target; both wait in one line. Entering and leaving without
/// contention costs two uncontended locks and no system call.
///
/// Who holds the gate is known, so that a re-entrant access can be refused and
/// objects that die on another thread can be told from those that may touch
/// the connection.
package final class AccessGate: Sendable {
  private enum Waiter {
    case thread(DispatchSemaphore)
    case job(@Sendable () -> Void)
  }

  private struct State {
    var isHeld = false
    var waiters: [Waiter] = []
    /// Waiters before this index have been served.
    var head = 0

    mutating func popFirst() -> Waiter? {
      guard head < waiters.count else {
        waiters.removeAll(keepingCapacity: true)
        head = 0
        return nil
      }
      defer { head += 1 }
      if head > 64, head * 2 > waiters.count {
        waiters.removeFirst(head)
        head = 0
      }
      return waiters[head]
    }
  }

  private let state = Mutex(State())
  private let owner = Atomic<UInt>(0)
  private let queue: DispatchQueue
  private let target: DispatchQueue?

  /// - Parameters:
  ///   - queue: Where asynchronous accesses run; it is never blocked by one that waits.
  ///   - target: The queue's target, if an application has chosen one: synchronous accesses run
  ///     there, too.
  package init(queue: DispatchQueue, target: DispatchQueue? = nil) {
    self.queue = queue
    self.target = target
    // Dispatch's own queues take no marks; they needn't be known again, since none is serial.
    if let target, !target.isGlobal {
      target.setSpecific(key: AccessGate.targetKey, value: ObjectIdentifier(target))
    }
  }

  private static let targetKey = DispatchSpecificKey<ObjectIdentifier>()

  /// Whether the current thread is inside an access.
  package var isHeldByCurrentThread: Bool {
    owner.load(ordering: .relaxed) == AccessGate.currentThread
  }

  /// A number that no two living threads share, and that is never 0.
  private static var currentThread: UInt { UInt(pthread_self()) }

  /// Runs `body` alone, on this thread.
  ///
  /// - Precondition: The current thread doesn't hold the gate.
  package func withAccess<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
    enter()
    defer { leave() }
    guard let target, !isRunning(on: target) else { return try body() }
    var result: Result<T, E>?
    queue.sync {
      owner.store(AccessGate.currentThread, ordering: .relaxed)
      do throws(E) { result = .success(try body()) } catch { result = .failure(error) }
    }
    return try result!.get()
  }

  /// Whether this thread is on the queue already, where waiting for it would never end.
  private func isRunning(on target: DispatchQueue) -> Bool {
    DispatchQueue.getSpecific(key: AccessGate.targetKey) == ObjectIdentifier(target)
  }

  private func enter() {
    let semaphore: DispatchSemaphore? = state.withLock { state in
      if !state.isHeld {
        state.isHeld = true
        return nil
      }
      let semaphore = DispatchSemaphore(value: 0)
      state.waiters.append(.thread(semaphore))
      return semaphore
    }
    semaphore?.wait()
    owner.store(AccessGate.currentThread, ordering: .relaxed)
  }

  private func leave() {
    owner.store(0, ordering: .relaxed)
    let next = state.withLock { state in
      let next = state.popFirst()
      if next == nil { state.isHeld = false }
      return next
    }
    if let next { handOver(to: next) }
  }

  /// The gate stays held: it is the next one's now.
  private func handOver(to waiter: Waiter) {
    switch waiter {
    case .thread(let semaphore): semaphore.signal()
    case .job(let job): start(job)
    }
  }

  /// Runs `job` alone, on a thread of the queue, once all earlier accesses are over.
  package func schedule(_ job: @escaping @Sendable () -> Void) {
    let startsNow = state.withLock { state in
      if state.isHeld {
        state.waiters.append(.job(job))
        return false
      }
      state.isHeld = true
      return true
    }
    if startsNow { start(job) }
  }

  private func start(_ job: @escaping @Sendable () -> Void) {
    queue.async { [self] in
      owner.store(AccessGate.currentThread, ordering: .relaxed)
      job()
      leave()
    }
  }
}

extension DispatchQueue {
  /// Whether it is one of those that Dispatch has for everybody.
  fileprivate var isGlobal: Bool { label.hasPrefix("com.apple.root.") }
}
