import Dispatch
import Foundation
import Synchronization

/// Serializes accesses to a connection, in the order of their requests.
///
/// A synchronous access runs on its caller's thread, an asynchronous one on a thread of `queue`,
/// and all of them on that queue if it has a target. All share one line of waiters. Entering and
/// leaving without contention costs two uncontended locks and no system call.
///
/// The gate knows which thread holds it, so that a re-entrant access can be refused, and an object
/// released on another thread doesn't touch the connection.
final class AccessGate: Sendable {
  private struct State {
    var isHeld = false
    /// The functions that hand the gate, which stays held, to each waiter.
    var waiters = WaitingLine<@Sendable () -> Void>()
  }

  private let state = Mutex(State())
  private let owner = Atomic<UInt>(0)
  private let queue: DispatchQueue
  private let target: DispatchQueue?

  /// - Parameters:
  ///   - queue: The queue of asynchronous accesses; a waiting access never blocks it.
  ///   - target: The queue's target, if the application has chosen one: synchronous accesses run
  ///     there, too.
  init(queue: DispatchQueue, target: DispatchQueue? = nil) {
    self.queue = queue
    self.target = target
    // Dispatch's global queues can't store specifics, and needn't be recognized: none is serial.
    if let target, !target.isGlobal {
      target.setSpecific(key: AccessGate.targetKey, value: ObjectIdentifier(target))
    }
  }

  private static let targetKey = DispatchSpecificKey<ObjectIdentifier>()

  /// Whether the current thread is inside an access.
  var isHeldByCurrentThread: Bool {
    owner.load(ordering: .relaxed) == AccessGate.currentThread
  }

  /// The number of the current thread: unique among running threads, and never 0.
  private static var currentThread: UInt { UInt(pthread_self()) }

  /// Runs `body` on this thread, with no other access under way.
  ///
  /// - Precondition: The current thread doesn't hold the gate.
  func withAccess<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
    enter()
    defer { leave() }
    guard let target, !isRunning(on: target) else { return try body() }
    return try withAccessOnQueue(body)
  }

  /// Runs `body` on the queue, where the application has chosen a target for it.
  ///
  /// It is apart from ``withAccess(_:)``, since unspecialized code looks up the metadata of its
  /// result's types in each call.
  @inline(never)
  private func withAccessOnQueue<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
    var result: Result<T, E>?
    queue.sync {
      owner.store(AccessGate.currentThread, ordering: .relaxed)
      do throws(E) { result = .success(try body()) } catch { result = .failure(error) }
    }
    return try result!.get()
  }

  /// Whether this thread already runs on `target`, where waiting for it would deadlock.
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
      state.waiters.append { semaphore.signal() }
      return semaphore
    }
    semaphore?.wait()
    owner.store(AccessGate.currentThread, ordering: .relaxed)
  }

  private func leave() {
    owner.store(0, ordering: .relaxed)
    let next = state.withLock { state in
      let next = state.waiters.popFirst()
      if next == nil { state.isHeld = false }
      return next
    }
    next?()
  }

  /// Runs `job` alone, on a thread of the queue, after all earlier accesses.
  func schedule(_ job: @escaping @Sendable () -> Void) {
    let isFree = state.withLock { state in
      guard state.isHeld else {
        state.isHeld = true
        return true
      }
      state.waiters.append { [self] in start(job) }
      return false
    }
    if isFree { start(job) }
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
  /// Whether this is one of Dispatch's global queues.
  fileprivate var isGlobal: Bool { label.hasPrefix("com.apple.root.") }
}
