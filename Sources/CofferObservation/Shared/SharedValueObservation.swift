import CofferCore
import Synchronization

/// One observation whose values are shared by several clients.
///
/// ```swift
/// let shared = ValueObservation.tracking { try Player.fetchAll($0) }.shared(in: pool)
/// let first = shared.start { error in … } onChange: { players in … }
/// let second = shared.start { error in … } onChange: { players in … }
/// ```
///
/// The value is fetched and tracked once for all clients. A later client first receives the last
/// value. An error ends the observation for all clients; the next start begins a new one.
public final class SharedValueObservation<Element: Sendable>: Sendable {
  typealias Start = AsyncValueObservation<Element>.Start

  private let core: SharedObservation<Element>

  init(
    scheduler: any ValueObservationScheduler, extent: SharedValueObservationExtent,
    start: @escaping Start
  ) {
    core = SharedObservation(scheduler: scheduler, extent: extent, start: start)
  }

  // Deliveries don't retain this object: nothing is delivered after it is deallocated.
  deinit { core.cancel() }

  /// Starts delivering values, on the observation's scheduler.
  ///
  /// - Parameters:
  ///   - onError: Called at most once; no value follows it.
  ///   - onChange: Called with each value.
  /// - Returns: A cancellable that ends the delivery when it is cancelled or deallocated; it
  ///   retains the observation.
  @preconcurrency
  public func start(
    onError: @escaping @Sendable (any Error) -> Void,
    onChange: @escaping @Sendable (Element) -> Void
  ) -> AnyDatabaseCancellable {
    let client = core.add(onError: onError, onChange: onChange)
    return AnyDatabaseCancellable { self.core.remove(client) }
  }

  /// Returns an asynchronous sequence of values, in which each iteration is a separate start.
  ///
  /// - Parameter bufferingPolicy: The policy for values that the loop hasn't consumed yet; by
  ///   default all are kept.
  public func values(
    bufferingPolicy: AsyncValueObservation<Element>.BufferingPolicy = .unbounded
  ) -> AsyncValueObservation<Element> {
    AsyncValueObservation(bufferingPolicy: bufferingPolicy) { onError, onChange in
      self.start(onError: onError, onChange: onChange)
    }
  }
}

extension ValueObservation {
  /// Returns one observation whose values are shared by several clients.
  ///
  /// - Parameters:
  ///   - reader: The database, which is retained.
  ///   - scheduler: The scheduler of the values; by default they arrive on the main actor.
  ///   - extent: How long the observation lasts; by default as long as it has clients.
  public func shared(
    in reader: any DatabaseReader,
    scheduling scheduler: some ValueObservationScheduler = .mainActor,
    extent: SharedValueObservationExtent = .whileObserved
  ) -> SharedValueObservation<Reducer.Value> {
    SharedValueObservation(scheduler: scheduler, extent: extent) { onError, onChange in
      start(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
    }
  }
}
