/// Where an observation delivers its values.
///
/// | scheduler | values arrive | the first one |
/// | --- | --- | --- |
/// | `.mainActor` | on the main actor | later |
/// | `.immediate` | on the main actor | before `start` returns |
/// | `.async(onQueue:)` | on a dispatch queue | later |
/// | `.task`, `.task(priority:)` | in a task | later |
public protocol ValueObservationScheduler: Sendable {
  /// Whether the first value is to be delivered before `start` returns, on the
  /// thread that starts the observation.
  ///
  /// Called once for each start, on that thread.
  func immediateInitialValue() -> Bool

  /// Executes `action` soon; actions have to be executed one by one, in the
  /// order in which they are scheduled.
  func schedule(_ action: @escaping @Sendable () -> Void)
}

/// A scheduler that delivers values on the main actor.
public protocol ValueObservationMainActorScheduler: ValueObservationScheduler {
  /// Executes `action` soon, on the main actor, in the order of calls.
  func scheduleOnMainActor(_ action: @escaping @MainActor () -> Void)
}

extension ValueObservationMainActorScheduler {
  /// Executes `action` soon, on the main actor.
  public func schedule(_ action: @escaping @Sendable () -> Void) {
    scheduleOnMainActor { action() }
  }
}
