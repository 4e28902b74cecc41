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

  private struct Client {
    let onError: @Sendable (any Error) -> Void
    let onChange: @Sendable (Element) -> Void
    /// Counts the values, so that none comes after a later one.
    var version = 0
  }

  private struct State {
    var clients: [Int: Client] = [:]
    var lastClient = 0
    var isRunning = false
    /// Counts the observations, so that one that is over has no effect on the next.
    var run = 0
    var observation: AnyDatabaseCancellable?
    var last: Element?
    var version = 0
  }

  private let state = Mutex(State())
  private let scheduler: any ValueObservationScheduler
  private let extent: SharedValueObservationExtent
  private let startObservation: Start

  init(
    scheduler: any ValueObservationScheduler, extent: SharedValueObservationExtent,
    start: @escaping Start
  ) {
    self.scheduler = scheduler
    self.extent = extent
    startObservation = start
  }

  /// Starts to deliver values, on the observation's scheduler.
  ///
  /// - Parameters:
  ///   - onError: Called at most once: nothing comes afterwards.
  ///   - onChange: Called with each value.
  /// - Returns: What ends the delivery when it is cancelled, or dies; it retains the observation.
  public func start(
    onError: @escaping @Sendable (any Error) -> Void,
    onChange: @escaping @Sendable (Element) -> Void
  ) -> AnyDatabaseCancellable {
    let isImmediate = scheduler.immediateInitialValue()
    let (client, newRun, hasValue) = state.withLock { state -> (Int, Int?, Bool) in
      state.lastClient += 1
      state.clients[state.lastClient] = Client(onError: onError, onChange: onChange)
      guard !state.isRunning else { return (state.lastClient, nil, state.last != nil) }
      state.isRunning = true
      state.run += 1
      return (state.lastClient, state.run, false)
    }
    let cancellable = AnyDatabaseCancellable { self.remove(client) }
    if let newRun {
      begin(newRun)
    } else if hasValue {
      if isImmediate {
        deliverLast(to: client)
      } else {
        scheduler.schedule { [weak self] in self?.deliverLast(to: client) }
      }
    }
    return cancellable
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

  private func begin(_ run: Int) {
    let observation = startObservation(
      { [weak self] in self?.didFail(run, $0) }, { [weak self] in self?.didChange(run, $0) })
    let isOver = state.withLock { state in
      guard state.isRunning, state.run == run else { return true }
      state.observation = observation
      return false
    }
    if isOver { observation.cancel() }
  }

  private func remove(_ client: Int) {
    let observation = state.withLock { state -> AnyDatabaseCancellable? in
      guard state.clients.removeValue(forKey: client) != nil, state.clients.isEmpty,
        extent == .whileObserved
      else { return nil }
      return end(&state)
    }
    observation?.cancel()
  }

  private func end(_ state: inout State) -> AnyDatabaseCancellable? {
    defer { state.observation = nil }
    state.isRunning = false
    state.last = nil
    return state.observation
  }

  // MARK: On the scheduler

  private func didChange(_ run: Int, _ value: Element) {
    let clients = state.withLock { state -> [Int] in
      guard state.isRunning, state.run == run else { return [] }
      state.last = value
      state.version += 1
      return state.clients.keys.sorted()
    }
    for client in clients { deliverLast(to: client) }
  }

  /// Delivers the last value, unless the client has got it, or has been cancelled.
  private func deliverLast(to client: Int) {
    let delivery = state.withLock { state -> (@Sendable (Element) -> Void, Element)? in
      guard let last = state.last, let version = state.clients[client]?.version,
        version < state.version
      else { return nil }
      state.clients[client]?.version = state.version
      return state.clients[client].map { ($0.onChange, last) }
    }
    if let (onChange, value) = delivery { onChange(value) }
  }

  private func didFail(_ run: Int, _ error: any Error) {
    let (clients, observation) = state.withLock { state -> ([Client], AnyDatabaseCancellable?) in
      guard state.isRunning, state.run == run else { return ([], nil) }
      defer { state.clients = [:] }
      return (state.clients.sorted { $0.key < $1.key }.map(\.value), end(&state))
    }
    observation?.cancel()
    for client in clients { client.onError(error) }
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
