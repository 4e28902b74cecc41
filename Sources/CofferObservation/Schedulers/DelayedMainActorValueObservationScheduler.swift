import Dispatch

/// Delivers all values on the main actor, after `start` has returned.
public final class DelayedMainActorValueObservationScheduler: ValueObservationMainActorScheduler {
  fileprivate init() {}

  /// Returns false.
  public func immediateInitialValue() -> Bool { false }

  /// Executes `action` asynchronously on the main actor.
  public func scheduleOnMainActor(_ action: @escaping @MainActor () -> Void) {
    DispatchQueue.main.async { MainActor.assumeIsolated { action() } }
  }
}

extension ValueObservationScheduler where Self == DelayedMainActorValueObservationScheduler {
  /// Delivers all values on the main actor, after `start` has returned.
  public static var mainActor: DelayedMainActorValueObservationScheduler {
    DelayedMainActorValueObservationScheduler()
  }
}

extension DelayedMainActorValueObservationScheduler: QueueingScheduler {}
