import Dispatch
import Foundation
import Synchronization

/// Serializes accesses to a connection, in the order of their requests.
///
/// A synchronous access runs on its caller's thread, an asynchronous one on a thread of `queue`,
/// and all of them on that queue if it has a target. All share one line of waiters. Entering and
/// leaving without contention costs an atomic exchange each.
///
/// The gate knows which thread holds it, so that a re-entrant access can be refused, and an object
/// released on another thread doesn't touch the connection.
final class AccessGate: Sendable {
  /// The thread that holds the gate, or ``handedOver``, with ``hasWaiters`` while others wait; 0 if
  /// the gate is free.
  private let holder = Atomic<UInt>(0)
  /// Set and cleared while `waiters` is locked, so that it is set exactly while others wait.
  private static let hasWaiters: UInt = 1
  /// In place of the thread, while the gate belongs to an access that has yet to begin.
  private static let handedOver: UInt = 2
  /// The functions that begin the waiting accesses, once the gate has been handed over to them.
  private let waiters = Mutex(WaitingLine<@Sendable () -> Void>())
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
    holder.load(ordering: .relaxed) & ~AccessGate.hasWaiters == AccessGate.currentThread
  }

  /// The number of the current thread: unique among running threads, and a multiple of 4, since it
  /// is the address of what the C library knows about the thread.
  private static var currentThread: UInt {
    let thread = UInt(pthread_self())
    assert(thread > 0 && thread % 4 == 0)
    return thread
  }

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
    let caller = AccessGate.currentThread
    queue.sync {
      let thread = AccessGate.currentThread
      pass(from: caller, to: thread)
      defer { pass(from: thread, to: caller) }
      do throws(E) { result = .success(try body()) } catch { result = .failure(error) }
    }
    return try result!.get()
  }

  /// Whether this thread already runs on `target`, where waiting for it would deadlock.
  private func isRunning(on target: DispatchQueue) -> Bool {
    DispatchQueue.getSpecific(key: AccessGate.targetKey) == ObjectIdentifier(target)
  }

  private func enter() {
    let thread = AccessGate.currentThread
    let isFree = holder.compareExchange(expected: 0, desired: thread, ordering: .acquiring)
      .exchanged
    if !isFree { waitForTurn(of: thread) }
  }

  @inline(never)
  private func waitForTurn(of thread: UInt) {
    let semaphore = DispatchSemaphore(value: 0)
    if joinLine({ semaphore.signal() }) { semaphore.wait() }
    pass(from: AccessGate.handedOver, to: thread)
  }

  private func leave() {
    let thread = AccessGate.currentThread
    let isLast = holder.compareExchange(expected: thread, desired: 0, ordering: .releasing)
      .exchanged
    if !isLast { handOver() }
  }

  @inline(never)
  private func handOver() {
    let next = waiters.withLock { line in
      let next = line.popFirst()
      let mark = line.isEmpty ? 0 : AccessGate.hasWaiters
      holder.store(next == nil ? 0 : AccessGate.handedOver | mark, ordering: .releasing)
      return next
    }
    next?()
  }

  /// Changes the thread that holds the gate.
  private func pass(from thread: UInt, to other: UInt) {
    // An addition, since another thread can set the mark meanwhile.
    holder.wrappingAdd(other &- thread, ordering: .acquiringAndReleasing)
  }

  /// Takes the gate, which is then handed over, or appends `waiter` to the line if it isn't free.
  ///
  /// - Returns: Whether `waiter` is in the line, to be called when the gate is handed over to it.
  private func joinLine(_ waiter: @escaping @Sendable () -> Void) -> Bool {
    waiters.withLock { line in
      var seen = holder.load(ordering: .relaxed)
      while seen & AccessGate.hasWaiters == 0 {
        let next = seen == 0 ? AccessGate.handedOver : seen | AccessGate.hasWaiters
        let (isChanged, other) = holder.compareExchange(
          expected: seen, desired: next, ordering: .acquiring)
        if isChanged, seen == 0 { return false }
        if isChanged { break }
        seen = other
      }
      line.append(waiter)
      return true
    }
  }

  /// Runs `job` alone, on a thread of the queue, after all earlier accesses.
  func schedule(_ job: @escaping @Sendable () -> Void) {
    if !joinLine({ [self] in start(job) }) { start(job) }
  }

  private func start(_ job: @escaping @Sendable () -> Void) {
    queue.async { [self] in
      pass(from: AccessGate.handedOver, to: AccessGate.currentThread)
      job()
      leave()
    }
  }
}

extension DispatchQueue {
  /// Whether this is one of Dispatch's global queues.
  fileprivate var isGlobal: Bool { label.hasPrefix("com.apple.root.") }
}
