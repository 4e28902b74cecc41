import CofferCore
import Synchronization

/// One observation for several who want its values.
///
/// ```swift
/// let shared = ValueObservation.tracking { try Player.fetchAll($0) }.shared(in: pool)
/// let first = shared.start { error in … } onChange: { players in … }
/// let second = shared.start { error in … } onChange: { players in … }
/// ```
///
/// The database is fetched from, and tracked, once for all of them. Who comes later gets the last
/// value first. An error ends the observation for all; the next start begins it anew.
public final class SharedValueObservation<Element: Sendable>: Sendable {
  typealias Start =
    @Sendable (
      _ onError: @escaping @Sendable (any Error) -> Void,
      _ onChange: @escaping @Sendable (Element) -> Void
    ) -> AnyDatabaseCancellable

  private let core: SharedObservation<Element>

  init(
    scheduler: any ValueObservationScheduler, extent: SharedValueObservationExtent,
    start: @escaping Start
  ) {
    core = SharedObservation(scheduler: scheduler, extent: extent, start: start)
  }

  // Deliveries retain what they need, but not this: nothing comes once it has died.
  deinit { core.cancel() }

  /// Starts to deliver values, on the observation's scheduler.
  ///
  /// - Parameters:
  ///   - onError: Called at most once: nothing comes afterwards.
  ///   - onChange: Called with each value.
  /// - Returns: What ends the delivery when it is cancelled, or dies; it retains the observation.
  @preconcurrency
  public func start(
    onError: @escaping @Sendable (any Error) -> Void,
    onChange: @escaping @Sendable (Element) -> Void
  ) -> AnyDatabaseCancellable {
    let client = core.add(onError: onError, onChange: onChange)
    return AnyDatabaseCancellable { self.core.remove(client) }
  }

  /// The values, as an asynchronous sequence; each iteration is a start.
  ///
  /// - Parameter bufferingPolicy: What becomes of values that the loop hasn't asked for yet; all
  ///   are kept by default.
  public func values(
    bufferingPolicy: AsyncValueObservation<Element>.BufferingPolicy = .unbounded
  ) -> AsyncValueObservation<Element> {
    AsyncValueObservation(bufferingPolicy: bufferingPolicy) { onError, onChange in
      self.start(onError: onError, onChange: onChange)
    }
  }
}

extension ValueObservation {
  /// One observation for several who want its values.
  ///
  /// - Parameters:
  ///   - reader: The database, which is retained.
  ///   - scheduler: Where values come; on the main actor by default.
  ///   - extent: How long the observation lasts; as long as somebody observes, by default.
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
