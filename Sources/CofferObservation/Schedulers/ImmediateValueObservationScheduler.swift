import Dispatch

/// Delivers the first value before `start` returns, and later values on the main actor.
///
/// - Precondition: Observations are started on the main thread.
public struct ImmediateValueObservationScheduler: ValueObservationMainActorScheduler {
  /// Creates a scheduler that delivers the first value synchronously.
  public init() {}

  /// Returns true.
  public func immediateInitialValue() -> Bool {
    MainActor.preconditionIsolated(
      "An observation with the immediate scheduler has to be started on the main thread.")
    return true
  }

  /// Executes `action` asynchronously on the main actor.
  public func scheduleOnMainActor(_ action: @escaping @MainActor () -> Void) {
    DispatchQueue.main.async { MainActor.assumeIsolated { action() } }
  }
}

extension ValueObservationScheduler where Self == ImmediateValueObservationScheduler {
  /// Delivers the first value before `start` returns, and later values on the main actor.
  ///
  /// - Precondition: Observations are started on the main thread.
  public static var immediate: ImmediateValueObservationScheduler {
    ImmediateValueObservationScheduler()
  }
}

extension ImmediateValueObservationScheduler: QueueingScheduler {}
