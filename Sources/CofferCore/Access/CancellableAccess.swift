import Dispatch
import Synchronization

/// An asynchronous access, from its request to its end, and its cancellation.
///
/// It is an actor of its own, and its own executor: the task that asks for the access goes on inside
/// of it, on the thread of the connection, once that is free. So what belongs to the task is seen
/// there: its task-local values, and whether it is cancelled.
///
/// A request that waits is given up at once. An access that runs is
/// interrupted: the interruption reaches that access alone, since the access
/// can't end, and another begin, while it is under way.
actor CancellableAccess<T: Sendable> {
  private enum State {
    case created
    /// The task waits, and goes on with the job.
    case waiting(UnownedJob)
    case running(Interruption)
    case over
  }

  private struct Stage {
    var state = State.created
    /// What the task does when it goes on; nil where it has been cancelled.
    var work: (() throws -> T)?
  }

  // SAFETY: the work is stored by the thread that then runs the job that takes it.
  private struct Guarded: @unchecked Sendable { var stage = Stage() }

  private nonisolated let guarded = Mutex(Guarded())
  private nonisolated let schedule: @Sendable (CancellableAccess<T>) -> Void

  private init(_ schedule: @escaping @Sendable (CancellableAccess<T>) -> Void) {
    self.schedule = schedule
  }

  /// Requests an access, and waits for its end or the task's cancellation.
  ///
  /// - Parameter schedule: Has the token begun once there is a connection, or failed.
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

  /// What the task does on the thread of the connection.
  private func proceed() throws -> T {
    let work = guarded.withLock { guarded in
      defer { guarded.stage.work = nil }
      return guarded.stage.work
    }
    guard let work else { throw CancellationError() }
    return try work()
  }

  /// The access begins, on a connection that can be interrupted, with this thread in it.
  ///
  /// - Parameter body: Is run by the task, on this thread; its result is the access's, unless
  ///   that has failed since it was cancelled.
  /// - Parameter whenOver: Is called here, before the task gets the result, or where the request
  ///   has been cancelled meanwhile.
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
    job.runSynchronously(on: asUnownedSerialExecutor())
  }

  /// There is no connection for the access.
  nonisolated func fail(_ error: any Error) {
    let job: UnownedJob? = guarded.withLock { guarded in
      guard case .waiting(let job) = guarded.stage.state else { return nil }
      guarded.stage.state = .over
      guarded.stage.work = { throw error }
      return job
    }
    job?.runSynchronously(on: asUnownedSerialExecutor())
  }

  /// The access is over; a cancellation from here on has no effect.
  ///
  /// - Returns: What the task gets: a failed access that was cancelled has
  ///   failed for that reason.
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

  /// Has the task go on without a connection.
  ///
  /// Not on this thread, which may be another task's.
  private nonisolated func giveUp(_ job: UnownedJob) {
    DispatchQueue.global().async { [self] in
      job.runSynchronously(on: asUnownedSerialExecutor())
    }
  }
}

extension CancellableAccess: SerialExecutor {
  nonisolated var unownedExecutor: UnownedSerialExecutor { asUnownedSerialExecutor() }

  nonisolated func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  /// The task has come here: it asks for its turn.
  nonisolated func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isCancelled = guarded.withLock { guarded in
      if case .over = guarded.stage.state { return true }
      guarded.stage.state = .waiting(job)
      return false
    }
    if isCancelled { giveUp(job) } else { schedule(self) }
  }
}
