import Synchronization

/// An asynchronous access, from its request to its end, and its cancellation.
///
/// A request that waits is given up at once. An access that runs is
/// interrupted: the interruption reaches that access alone, since the access
/// can't end, and another begin, while it is under way.
final class CancellableAccess<T: Sendable>: Sendable {
  typealias Continuation = UnsafeContinuation<T, any Error>

  private enum State {
    case created
    case waiting(Continuation)
    case running
    case over
  }

  private let state = Mutex(State.created)
  private let interruption: Interruption

  init(_ interruption: Interruption) { self.interruption = interruption }

  /// The request waits for its turn.
  ///
  /// - Returns: False where it has been cancelled, and the task resumed.
  func wait(with continuation: Continuation) -> Bool {
    let isCancelled = state.withLock { state in
      if case .over = state { return true }
      state = .waiting(continuation)
      return false
    }
    if isCancelled { continuation.resume(throwing: CancellationError()) }
    return !isCancelled
  }

  /// The access begins.
  ///
  /// - Returns: Nil where the request has been cancelled.
  func begin() -> Continuation? {
    state.withLock { state in
      guard case .waiting(let continuation) = state else { return nil }
      state = .running
      return continuation
    }
  }

  /// The access is over; a cancellation from here on has no effect.
  ///
  /// - Returns: What the task gets: a failed access that was cancelled has
  ///   failed for that reason.
  func end(_ result: Result<T, any Error>) -> Result<T, any Error> {
    let wasCancelled = state.withLock { state in
      state = .over
      return interruption.isCancelled.exchange(false, ordering: .relaxed)
    }
    if wasCancelled, case .failure = result { return .failure(CancellationError()) }
    return result
  }

  func cancel() {
    let waiting: Continuation? = state.withLock { state in
      switch state {
      case .created:
        state = .over
        return nil
      case .waiting(let continuation):
        state = .over
        return continuation
      case .running:
        interruption.cancel()
        return nil
      case .over: return nil
      }
    }
    waiting?.resume(throwing: CancellationError())
  }
}
