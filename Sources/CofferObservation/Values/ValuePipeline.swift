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

  /// Where values are reduced, those of many observations at the same time.
  private static var queue: DispatchQueue { reductionQueue }

  /// Adds an element, which `work` is called with on another thread, after all before it.
  func push(_ element: Element, _ work: @escaping @Sendable (Element) -> Void) {
    let begins = state.withLock { state in
      guard !state.isClosed else { return false }
      state.waiting.append(element)
      defer { state.isWorking = true }
      return !state.isWorking
    }
    if begins { Self.queue.async { self.work(work) } }
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
    if !isDone { Self.queue.async { self.work(work) } }
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

private let reductionQueue = DispatchQueue(label: "coffer.observation", attributes: .concurrent)
