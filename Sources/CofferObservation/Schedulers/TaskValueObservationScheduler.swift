/// Delivers all values in a dedicated task, one by one.
public final class TaskValueObservationScheduler: ValueObservationScheduler {
  private let actions: AsyncStream<@Sendable () -> Void>.Continuation

  fileprivate init(priority: TaskPriority?) {
    let (stream, continuation) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
    actions = continuation
    Task.detached(priority: priority) {
      for await action in stream { action() }
    }
  }

  // The task ends once it has executed all pending actions.
  deinit { actions.finish() }

  /// Returns false.
  public func immediateInitialValue() -> Bool { false }

  /// Executes `action` asynchronously in the task.
  public func schedule(_ action: @escaping @Sendable () -> Void) { actions.yield(action) }
}

extension ValueObservationScheduler where Self == TaskValueObservationScheduler {
  /// Delivers all values in a task.
  public static var task: TaskValueObservationScheduler {
    TaskValueObservationScheduler(priority: nil)
  }

  /// Delivers all values in a task with the given priority.
  public static func task(priority: TaskPriority) -> TaskValueObservationScheduler {
    TaskValueObservationScheduler(priority: priority)
  }
}

extension TaskValueObservationScheduler: QueueingScheduler {}
