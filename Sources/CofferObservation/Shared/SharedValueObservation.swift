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
  private struct Client {
    let onError: @Sendable (any Error) -> Void
    let onChange: @Sendable (Element) -> Void
    /// The version of the last delivered value, so that no older value follows it.
    var version = 0
  }

  private struct State {
    var clients: [Int: Client] = [:]
    var lastClient = 0
    var isRunning = false
    /// Counts the observations, so that an ended one doesn't affect the next one.
    var run = 0
    var observation: AnyDatabaseCancellable?
    var last: Element?
    var version = 0
  }

  private let state = Mutex(State())
  private let scheduler: any ValueObservationScheduler
  private let extent: SharedValueObservationExtent
  private let startObservation: AsyncValueObservation<Element>.Start

  init(
    scheduler: any ValueObservationScheduler, extent: SharedValueObservationExtent,
    start: @escaping AsyncValueObservation<Element>.Start
  ) {
    self.scheduler = scheduler
    self.extent = extent
    startObservation = start
  }

  // The clients' cancellables retain this object, so no client is left.
  deinit { state.withLock { end(&$0) }?.cancel() }

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
    let client = add(onError: onError, onChange: onChange)
    return AnyDatabaseCancellable { self.remove(client) }
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

  // MARK: Clients

  /// Adds a client; the first one starts the observation.
  ///
  /// - Returns: The number of the client.
  private func add(
    onError: @escaping @Sendable (any Error) -> Void,
    onChange: @escaping @Sendable (Element) -> Void
  ) -> Int {
    let isImmediate = scheduler.immediateInitialValue()
    let (client, newRun, hasValue) = state.withLock { state -> (Int, Int?, Bool) in
      state.lastClient += 1
      state.clients[state.lastClient] = Client(onError: onError, onChange: onChange)
      guard !state.isRunning else { return (state.lastClient, nil, state.last != nil) }
      state.isRunning = true
      state.run += 1
      return (state.lastClient, state.run, false)
    }
    if let newRun {
      begin(newRun)
    } else if hasValue {
      if isImmediate {
        deliverLast(to: client)
      } else {
        scheduler.schedule { [weak self] in self?.deliverLast(to: client) }
      }
    }
    return client
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

  /// Delivers the last value, unless the client has already received it, or was cancelled.
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
