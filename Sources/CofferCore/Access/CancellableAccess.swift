import Dispatch
import Synchronization

/// An asynchronous access, from its request to its end, and its cancellation.
///
/// It is an actor and its own executor: the requesting task continues inside it, on the
/// connection's thread, once the connection is free. So `body` sees the task's task-local values
/// and its cancellation.
///
/// Cancellation removes a waiting request at once and interrupts a running access. An interruption
/// can't affect a later access, since an access can't end while it is being interrupted.
actor CancellableAccess<T: Sendable> {
  private enum State {
    case created
    /// The task waits, and resumes when the job runs.
    case waiting(UnownedJob)
    case running(Interruption)
    case over
  }

  private struct Stage {
    var state = State.created
    /// The work of the task when it resumes; nil if it was cancelled.
    var work: (() throws -> T)?
    /// Keeps the access while it is requested: its task, which is all that holds it then, could be
    /// cancelled and go on meanwhile.
    var scheduled: CancellableAccess?
  }

  // SAFETY: `begin` and `fail` store `work` and then run, on the same thread, the job that takes
  // it, so that it never changes threads. The mutex guards everything else.
  private struct Guarded: @unchecked Sendable { var stage = Stage() }

  private nonisolated let guarded = Mutex(Guarded())
  private nonisolated let schedule: @Sendable (CancellableAccess<T>) -> Void

  private init(_ schedule: @escaping @Sendable (CancellableAccess<T>) -> Void) {
    self.schedule = schedule
  }

  /// Requests an access, and waits for its end or the task's cancellation.
  ///
  /// - Parameter schedule: Calls `begin` on the token once a connection is free, or `fail`.
  static func run(
    _ schedule: @escaping @Sendable (CancellableAccess<T>) -> Void
  ) async throws -> T {
    try Task.checkCancellation()
    let token = CancellableAccess<T>(schedule)
    return try await withTaskCancellationHandler {
      try await token.proceed()
    } onCancel: {
      token.cancel()
    }
  }

  /// Runs the work on the connection's thread, as the task.
  private func proceed() throws -> T {
    let work = guarded.withLock { guarded in
      defer { guarded.stage.work = nil }
      return guarded.stage.work
    }
    guard let work else { throw CancellationError() }
    return try work()
  }

  /// Begins the access on this thread, with a connection that can be interrupted.
  ///
  /// - Parameter body: Called by the task on this thread. Its result is that of the access, unless
  ///   it fails after a cancellation.
  /// - Parameter whenOver: Called on this thread before the task gets its result, or at once if the
  ///   request was cancelled meanwhile.
  nonisolated func begin(
    _ interruption: Interruption, _ body: @escaping () throws -> T,
    whenOver: @escaping () -> Void
  ) {
    let job: UnownedJob? = guarded.withLock { guarded in
      guard case .waiting(let job) = guarded.stage.state else { return nil }
      guarded.stage.state = .running(interruption)
      guarded.stage.work = { [self] in
        let result = end(Result { try body() })
        whenOver()
        return try result.get()
      }
      return job
    }
    guard let job else { return whenOver() }
    unsafe job.runSynchronously(on: asUnownedSerialExecutor())
  }

  /// Fails the access, for which no connection is available.
  nonisolated func fail(_ error: any Error) {
    let job: UnownedJob? = guarded.withLock { guarded in
      guard case .waiting(let job) = guarded.stage.state else { return nil }
      guarded.stage.state = .over
      guarded.stage.work = { throw error }
      return job
    }
    unsafe job?.runSynchronously(on: asUnownedSerialExecutor())
  }

  /// Ends the access; later cancellations have no effect.
  ///
  /// - Returns: The task's result: `CancellationError` if the access failed after a cancellation.
  private nonisolated func end(_ result: Result<T, any Error>) -> Result<T, any Error> {
    let wasCancelled = guarded.withLock { guarded in
      defer { guarded.stage.state = .over }
      guard case .running(let interruption) = guarded.stage.state else { return false }
      return interruption.isCancelled.exchange(false, ordering: .relaxed)
    }
    if wasCancelled, case .failure = result { return .failure(CancellationError()) }
    return result
  }

  private nonisolated func cancel() {
    let waiting: UnownedJob? = guarded.withLock { guarded in
      switch guarded.stage.state {
      case .created:
        guarded.stage.state = .over
        return nil
      case .waiting(let job):
        guarded.stage.state = .over
        return job
      case .running(let interruption):
        interruption.cancel()
        return nil
      case .over: return nil
      }
    }
    if let waiting { giveUp(waiting) }
  }

  /// Resumes the task without a connection.
  ///
  /// It runs on another thread, since the current one may belong to another task.
  private nonisolated func giveUp(_ job: UnownedJob) {
    DispatchQueue.global().async { [self] in
      unsafe job.runSynchronously(on: asUnownedSerialExecutor())
    }
  }
}

extension CancellableAccess: SerialExecutor {
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe asUnownedSerialExecutor() }

  nonisolated func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    unsafe UnownedSerialExecutor(ordinary: self)
  }

  /// Requests the connection, once the task has entered this actor.
  nonisolated func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isCancelled = guarded.withLock { guarded in
      if case .over = guarded.stage.state { return true }
      guarded.stage.state = .waiting(job)
      guarded.stage.scheduled = self
      return false
    }
    if isCancelled { return giveUp(job) }
    schedule(self)
    // Released after the lock, as the last thing here.
    let last = guarded.withLock { $0.stage.scheduled.take() }
    _ = consume last
  }
}
