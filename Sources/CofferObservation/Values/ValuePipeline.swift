import Dispatch
import Synchronization

/// Where the values of an observation go.
struct ValueReceiver<Value: Sendable>: Sendable {
  let schedule: @Sendable (@escaping @Sendable () -> Void) -> Void
  let onError: @Sendable (any Error) -> Void
  let onChange: @Sendable (Value) -> Void
}

/// What was fetched, in the order of commits, on its way through one worker at a time.
final class ValuePipeline<Element: Sendable>: Sendable {
  private struct State {
    var waiting: [Element] = []
    var isWorking = false
    var isClosed = false
  }

  private let state = Mutex(State())

  private let queue = ReductionQueues.next()

  /// Adds an element, which `work` is called with on another thread, after all before it.
  func push(_ element: Element, _ work: @escaping @Sendable (Element) -> Void) {
    let begins = state.withLock { state in
      guard !state.isClosed else { return false }
      state.waiting.append(element)
      defer { state.isWorking = true }
      return !state.isWorking
    }
    if begins { queue.async { self.work(work) } }
  }

  /// Has this thread be the worker, until `release`.
  func hold() { state.withLock { $0.isWorking = true } }

  /// The first element, for who holds the pipeline.
  func pop() -> Element? {
    state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
  }

  /// Hands the rest over to another thread.
  func release(_ work: @escaping @Sendable (Element) -> Void) {
    let isDone = state.withLock { state in
      if state.waiting.isEmpty { state.isWorking = false }
      return state.waiting.isEmpty
    }
    if !isDone { queue.async { self.work(work) } }
  }

  /// Forgets what has come, and what will come.
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

/// Where values are reduced, those of several observations at the same time.
///
/// Serial queues have threads of their own, where those of concurrent queues are as few as the
/// machine's cores: blocked tasks can take them all.
private enum ReductionQueues {
  private static let queues = (0..<4).map { DispatchQueue(label: "coffer.observation.\($0)") }
  private static let count = Atomic(0)

  static func next() -> DispatchQueue {
    let number = count.add(1, ordering: .relaxed).newValue
    return queues[number & 3]
  }
}
