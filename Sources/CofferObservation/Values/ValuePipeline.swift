import CofferCore
import Dispatch
import Synchronization

/// The destination of an observation's values.
struct ValueReceiver<Value: Sendable>: Sendable {
  let schedule: @Sendable (@escaping @Sendable () -> Void) -> Void
  let onError: @Sendable (any Error) -> Void
  let onChange: @Sendable (Value) -> Void
}

/// A queue of fetched results in the order of commits, processed by one worker at a time.
final class ValuePipeline<Element: Sendable>: Sendable {
  private struct State {
    var waiting: [Element] = []
    var isWorking = false
    var isClosed = false
  }

  private let state = Mutex(State())

  private let queue = ReductionQueues.next()

  /// Adds an element, for which `work` is called after all earlier elements, on another thread.
  ///
  /// - Parameter staysHere: Whether this thread may be the worker, as `work` takes little time and
  ///   calls no code of the application: a thread needn't wake up for it.
  func push(
    _ element: Element, staysHere: Bool, _ work: @escaping @Sendable (Element) -> Void
  ) {
    let begins = state.withLock { state in
      guard !state.isClosed else { return false }
      state.waiting.append(element)
      defer { state.isWorking = true }
      return !state.isWorking
    }
    guard begins else { return }
    if staysHere { self.work(work) } else { queue.async { self.work(work) } }
  }

  /// Makes this thread the worker until `release`.
  func hold() { state.withLock { $0.isWorking = true } }

  /// Removes and returns the first element, while this thread is the worker.
  func pop() -> Element? {
    state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
  }

  /// Hands the remaining elements over to another thread.
  func release(_ work: @escaping @Sendable (Element) -> Void) {
    let isDone = state.withLock { state in
      if state.waiting.isEmpty { state.isWorking = false }
      return state.waiting.isEmpty
    }
    if !isDone { queue.async { self.work(work) } }
  }

  /// Calls `work` on another thread when some time has passed.
  func wait(_ duration: Duration, _ work: @escaping @Sendable () -> Void) {
    // Longer than any process lives, and far from the end of the clock.
    queue.async(after: min(duration, .seconds(1_000_000_000)), work)
  }

  /// Drops all pending and future elements.
  func close() {
    state.withLock { state in
      state.isClosed = true
      state.waiting = []
    }
  }

  private func work(_ work: (Element) -> Void) {
    while true {
      let batch = state.withLock { state in
        defer { state.waiting = [] }
        if state.waiting.isEmpty { state.isWorking = false }
        return state.waiting
      }
      guard !batch.isEmpty else { return }
      for element in batch { work(element) }
    }
  }
}

/// The queues on which values are reduced, for several observations in parallel.
///
/// Serial queues have their own threads, whereas concurrent queues have only as many as the machine
/// has cores: blocked tasks can occupy all of them.
private enum ReductionQueues {
  private static let queues = (0..<4).map { DispatchQueue(label: "coffer.observation.\($0)") }
  private static let count = Atomic(0)

  static func next() -> DispatchQueue {
    let number = count.add(1, ordering: .relaxed).newValue
    return queues[number & 3]
  }
}
