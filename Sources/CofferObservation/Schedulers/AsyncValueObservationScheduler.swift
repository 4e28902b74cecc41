import Dispatch

/// Delivers all values on a dispatch queue.
public struct AsyncValueObservationScheduler: ValueObservationScheduler {
  private let queue: DispatchQueue

  /// A scheduler that delivers on `queue`.
  ///
  /// - Parameter queue: A serial one: a concurrent queue loses the order of values.
  public init(queue: DispatchQueue) { self.queue = queue }

  /// False.
  public func immediateInitialValue() -> Bool { false }

  /// Executes `action` soon, on the queue.
  public func schedule(_ action: @escaping @Sendable () -> Void) { queue.async(execute: action) }
}

extension ValueObservationScheduler where Self == AsyncValueObservationScheduler {
  /// Delivers all values on a dispatch queue.
  ///
  /// - Parameter queue: A serial one: a concurrent queue loses the order of values.
  public static func async(onQueue queue: DispatchQueue) -> AsyncValueObservationScheduler {
    AsyncValueObservationScheduler(queue: queue)
  }
}
