import Dispatch

/// Delivers all values on a dispatch queue.
public struct AsyncValueObservationScheduler: ValueObservationScheduler {
  private let queue: DispatchQueue

  /// Creates a scheduler that delivers on `queue`.
  ///
  /// - Parameter queue: A serial queue: a concurrent one doesn't keep the order of values.
  public init(queue: DispatchQueue) { self.queue = queue }

  /// Returns false.
  public func immediateInitialValue() -> Bool { false }

  /// Executes `action` asynchronously on the queue.
  public func schedule(_ action: @escaping @Sendable () -> Void) { queue.async(execute: action) }
}

extension ValueObservationScheduler where Self == AsyncValueObservationScheduler {
  /// Delivers all values on a dispatch queue.
  ///
  /// - Parameter queue: A serial queue: a concurrent one doesn't keep the order of values.
  public static func async(onQueue queue: DispatchQueue) -> AsyncValueObservationScheduler {
    AsyncValueObservationScheduler(queue: queue)
  }
}

extension AsyncValueObservationScheduler: QueueingScheduler {}
