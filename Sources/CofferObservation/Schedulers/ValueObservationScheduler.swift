/// Delivers the values of an observation on a thread or actor.
///
/// | scheduler | values arrive | first value |
/// | --- | --- | --- |
/// | `.mainActor` | on the main actor | later |
/// | `.immediate` | on the main actor | before `start` returns |
/// | `.async(onQueue:)` | on a dispatch queue | later |
/// | `.task`, `.task(priority:)` | in a task | later |
public protocol ValueObservationScheduler: Sendable {
  /// Returns whether the first value is delivered before `start` returns, on the thread that starts
  /// the observation.
  ///
  /// Called once for each start, on that thread.
  func immediateInitialValue() -> Bool

  /// Executes `action` asynchronously; actions must be executed one by one, in the order in which
  /// they are scheduled.
  func schedule(_ action: @escaping @Sendable () -> Void)
}

/// A scheduler that delivers values on the main actor.
public protocol ValueObservationMainActorScheduler: ValueObservationScheduler {
  /// Executes `action` asynchronously on the main actor, in the order of calls.
  func scheduleOnMainActor(_ action: @escaping @MainActor () -> Void)
}

extension ValueObservationMainActorScheduler {
  /// Executes `action` asynchronously on the main actor.
  public func schedule(_ action: @escaping @Sendable () -> Void) {
    scheduleOnMainActor { action() }
  }
}

/// A scheduler that only puts the actions in a queue, and never executes one before it returns.
protocol QueueingScheduler: ValueObservationScheduler {}
