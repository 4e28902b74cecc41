import CofferCore
import Synchronization

/// The state of a shared observation: the underlying observation, its last value, and its clients.
final class SharedObservation<Element: Sendable>: Sendable {
  typealias Start = SharedValueObservation<Element>.Start

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
  private let startObservation: Start

  init(
    scheduler: any ValueObservationScheduler, extent: SharedValueObservationExtent,
    start: @escaping Start
  ) {
    self.scheduler = scheduler
    self.extent = extent
    startObservation = start
  }

  // MARK: Clients

  /// Adds a client; the first one starts the observation.
  ///
  /// - Returns: The number of the client.
  func add(
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

  /// Ends the observation for all clients.
  func cancel() {
    let observation = state.withLock { state -> AnyDatabaseCancellable? in
      state.clients = [:]
      return end(&state)
    }
    observation?.cancel()
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

  func remove(_ client: Int) {
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
