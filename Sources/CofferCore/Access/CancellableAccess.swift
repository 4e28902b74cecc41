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
    case running(Interruption)
    case over
  }

  private let state = Mutex(State.created)

  private init() {}

  /// Requests an access, and waits for its end or the task's cancellation.
  ///
  /// - Parameter schedule: Has the token begun once there is a connection, or failed.
  static func run(
    _ schedule: @escaping @Sendable (CancellableAccess<T>) -> Void
  ) async throws -> T {
    try Task.checkCancellation()
    let token = CancellableAccess<T>()
    return try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        if token.wait(with: continuation) { schedule(token) }
      }
    } onCancel: {
      token.cancel()
    }
  }

  /// The request waits for its turn.
  ///
  /// - Returns: False where it has been cancelled, and the task resumed.
  private func wait(with continuation: Continuation) -> Bool {
    let isCancelled = state.withLock { state in
      if case .over = state { return true }
      state = .waiting(continuation)
      return false
    }
    if isCancelled { continuation.resume(throwing: CancellationError()) }
    return !isCancelled
  }

  /// The access begins, on a connection that can be interrupted.
  ///
  /// - Returns: Nil where the request has been cancelled.
  func begin(_ interruption: Interruption) -> Continuation? {
    state.withLock { state in
      guard case .waiting(let continuation) = state else { return nil }
      state = .running(interruption)
      return continuation
    }
  }

  /// There is no connection for the access.
  func fail(_ error: any Error) {
    let waiting: Continuation? = state.withLock { state in
      guard case .waiting(let continuation) = state else { return nil }
      state = .over
      return continuation
    }
    waiting?.resume(throwing: error)
  }

  /// The access is over; a cancellation from here on has no effect.
  ///
  /// - Returns: What the task gets: a failed access that was cancelled has
  ///   failed for that reason.
  func end(_ result: Result<T, any Error>) -> Result<T, any Error> {
    let wasCancelled = state.withLock { state in
      defer { state = .over }
      guard case .running(let interruption) = state else { return false }
      return interruption.isCancelled.exchange(false, ordering: .relaxed)
    }
    if wasCancelled, case .failure = result { return .failure(CancellationError()) }
    return result
  }

  private func cancel() {
    let waiting: Continuation? = state.withLock { state in
      switch state {
      case .created:
        state = .over
        return nil
      case .waiting(let continuation):
        state = .over
        return continuation
      case .running(let interruption):
        interruption.cancel()
        return nil
      case .over: return nil
      }
    }
    waiting?.resume(throwing: CancellationError())
  }
}
