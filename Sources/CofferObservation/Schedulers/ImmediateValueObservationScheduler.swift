import Dispatch

/// Delivers the first value before `start` returns, and the others on the main actor.
///
/// - Precondition: Observations are started on the main thread.
public struct ImmediateValueObservationScheduler: ValueObservationMainActorScheduler {
  /// A scheduler whose first value comes at once.
  public init() {}

  /// True.
  public func immediateInitialValue() -> Bool {
    MainActor.preconditionIsolated(
      "An observation with the immediate scheduler has to be started on the main thread.")
    return true
  }

  /// Executes `action` soon, on the main actor.
  public func scheduleOnMainActor(_ action: @escaping @MainActor () -> Void) {
    DispatchQueue.main.async { MainActor.assumeIsolated { action() } }
  }
}

extension ValueObservationScheduler where Self == ImmediateValueObservationScheduler {
  /// Delivers the first value before `start` returns, and the others on the main actor.
  ///
  /// - Precondition: Observations are started on the main thread.
  public static var immediate: ImmediateValueObservationScheduler {
    ImmediateValueObservationScheduler()
  }
}
