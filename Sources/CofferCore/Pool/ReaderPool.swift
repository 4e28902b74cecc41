import CofferVault
import Dispatch
import Synchronization

/// A pool of reading connections, each lent to one access at a time.
///
/// A synchronous access waits on its own thread. An asynchronous one waits in a queue, and needs a
/// thread only once it has a connection. The connection used last is lent first.
final class ReaderPool: Sendable {
  /// What a waiter receives.
  enum Lease {
    case reader(SerializedDatabase)
    /// Permission to open another connection.
    case open
    /// An error, since no connection is or will become available.
    case refused(DatabaseError)
  }

  private typealias Waiter = @Sendable (Lease) -> Void

  private struct State {
    /// All open connections, lent or idle.
    var readers: [SerializedDatabase] = []
    var idle: [SerializedDatabase] = []
    var openingCount = 0
    var waiters = WaitingLine<Waiter>()
    var barriers = WaitingLine<@Sendable () -> Void>()
    var hasBarrier = false
    var isClosed = false

    var lentCount: Int { readers.count - idle.count + openingCount }
  }

  private let state = Mutex(State())
  private let path: String
  private let maximumCount: Int
  private let open: (@Sendable () throws -> SerializedDatabase)?
  /// The queue on which connections are opened for asynchronous accesses.
  private let queue: DispatchQueue

  /// - Parameters:
  ///   - readers: Connections that are already open.
  ///   - open: Opens further connections; nil if there can't be any.
  init(
    path: String, maximumCount: Int, queue: DispatchQueue, readers: [SerializedDatabase] = [],
    open: (@Sendable () throws -> SerializedDatabase)?
  ) {
    self.path = path
    self.maximumCount = max(1, maximumCount)
    self.queue = queue
    self.open = open
    state.withLock {
      $0.readers = readers
      $0.idle = readers
    }
  }

  // MARK: Lending

  /// The connection lent to the current thread.
  var current: SerializedDatabase? {
    state.withLock { $0.readers.first(where: \.isHeldByCurrentThread) }
  }

  /// Returns a lease that is available at once; nil if the caller has to wait.
  private func nextLease(_ state: inout State, isUrgent: Bool) -> Lease? {
    if state.isClosed { return .refused(.connectionIsClosed) }
    if !isUrgent, state.hasBarrier || !state.barriers.isEmpty { return nil }
    if let reader = state.idle.popLast() { return .reader(reader) }
    // A snapshot's connections can't be replaced.
    if open == nil, state.readers.isEmpty { return .refused(.snapshotIsLost) }
    guard open != nil, state.readers.count + state.openingCount < maximumCount else { return nil }
    state.openingCount += 1
    return .open
  }

  /// Reserves a connection for this thread.
  ///
  /// - Parameter isUrgent: Whether the thread holds the writer, and so must not wait for accesses
  ///   that wait for the writer.
  private func take(isUrgent: Bool) throws -> SerializedDatabase {
    var waiter: ThreadWaiter?
    let lease: Lease? = try state.withLock { state throws(DatabaseError) in
      guard !state.readers.contains(where: \.isHeldByCurrentThread) else {
        throw DatabaseError.reentrancy(path)
      }
      if let lease = nextLease(&state, isUrgent: isUrgent) { return lease }
      let newWaiter = ThreadWaiter()
      waiter = newWaiter
      state.waiters.append({ newWaiter.wake(with: $0) }, first: isUrgent)
      return nil
    }
    return try reader(of: lease ?? waiter?.wait() ?? .refused(.connectionIsClosed))
  }

  private func reader(of lease: Lease) throws -> SerializedDatabase {
    switch lease {
    case .reader(let reader): return reader
    case .open: return try openReader()
    case .refused(let error): throw error
    }
  }

  private func openReader() throws -> SerializedDatabase {
    do {
      guard let open else { throw DatabaseError.connectionIsClosed }
      let reader = try open()
      state.withLock { state in
        state.openingCount -= 1
        state.readers.append(reader)
      }
      return reader
    } catch {
      serve { $0.openingCount -= 1 }
      throw error
    }
  }

  /// Lends further connections that are free or can be opened now, up to `count`.
  ///
  /// It doesn't wait, so that accesses that use several connections can't wait for each other.
  /// Connections are returned with ``giveBack(_:)``.
  func takeSpare(_ count: Int) -> [SerializedDatabase] {
    var result: [SerializedDatabase] = []
    while result.count < count {
      let lease = state.withLock { state in
        state.waiters.isEmpty ? nextLease(&state, isUrgent: false) : nil
      }
      guard let lease, let reader = try? reader(of: lease) else { break }
      result.append(reader)
    }
    return result
  }

  /// Whether accesses are waiting for a connection.
  var hasWaiters: Bool { state.withLock { !$0.waiters.isEmpty } }

  /// Returns a connection to the pool.
  func giveBack(_ reader: SerializedDatabase) {
    let isSpoiled = reader.isInvalid
    if isSpoiled { reader.closeAfterUse() }
    serve { state in
      if isSpoiled {
        state.readers.removeAll { $0 === reader }
      } else {
        state.idle.append(reader)
      }
    }
  }

  /// Changes the state, and hands connections that are then free to waiters.
  private func serve(_ change: (inout State) -> Void) {
    var served: [(Waiter, Lease)] = []
    var barrier: (@Sendable () -> Void)?
    state.withLock { state in
      change(&state)
      while let waiter = state.waiters.first {
        guard let lease = nextLease(&state, isUrgent: state.waiters.isFirstUrgent) else { break }
        state.waiters.removeFirst()
        served.append((waiter, lease))
      }
      if !state.hasBarrier, state.lentCount == 0 {
        barrier = state.barriers.popFirst()
        state.hasBarrier = barrier != nil
      }
    }
    for (waiter, lease) in served { waiter(lease) }
    barrier?()
  }

  // MARK: Accesses

  /// Executes `body` on this thread.
  func sync<T>(isUrgent: Bool = false, _ body: (Database) throws -> T) throws -> T {
    let reader = try take(isUrgent: isUrgent)
    defer { giveBack(reader) }
    return try reader.sync(body)
  }

  /// Executes `body` on this thread, with the connection already lent to it, if any.
  func reentrantSync<T>(isUrgent: Bool = false, _ body: (Database) throws -> T) throws -> T {
    if let current { return try current.reentrantSync(body) }
    return try sync(isUrgent: isUrgent, body)
  }

  /// Lends a connection to a job, which must return it with `giveBack`.
  private func lend(
    isUrgent: Bool, _ job: @escaping @Sendable (Result<SerializedDatabase, any Error>) -> Void
  ) {
    let use: Waiter = { [self] lease in
      switch lease {
      case .reader(let reader): job(.success(reader))
      case .open: queue.async { [self] in job(Result { try openReader() }) }
      case .refused(let error): queue.async { job(.failure(error)) }
      }
    }
    let lease: Lease? = state.withLock { state in
      if let lease = nextLease(&state, isUrgent: isUrgent) { return lease }
      state.waiters.append(use, first: isUrgent)
      return nil
    }
    if let lease { use(lease) }
  }

  /// Schedules `body`, which is called once, and returns.
  func schedule(
    isUrgent: Bool = false, _ body: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    lend(isUrgent: isUrgent) { [self] result in
      switch result {
      case .success(let reader):
        reader.schedule { [self] result in
          defer { giveBack(reader) }
          body(result)
        }
      case .failure(let error): body(.failure(error))
      }
    }
  }

  /// Executes `body` on another thread, until the task is cancelled.
  func async<T: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await CancellableAccess<T>.run { token in
      self.lend(isUrgent: false) { [self] result in
        switch result {
        case .success(let reader):
          reader.schedule(token, body) { [self] in giveBack(reader) }
        case .failure(let error): token.fail(error)
        }
      }
    }
  }

  // MARK: Barriers

  /// Calls `body` once all connections are idle; other accesses wait until `endBarrier`.
  func beginBarrier(_ body: @escaping @Sendable () -> Void) {
    serve { $0.barriers.append(body) }
  }

  /// Resumes the accesses that wait for the barrier's end.
  func endBarrier() { serve { $0.hasBarrier = false } }

  /// Waits until no connection is lent. For use inside a barrier, which urgent accesses bypass.
  func waitUntilIdle() {
    while state.withLock({ $0.lentCount > 0 }) {
      let semaphore = DispatchSemaphore(value: 0)
      // A barrier inside the barrier, which begins when the last connection is returned.
      let isWaiting = state.withLock { state in
        guard state.lentCount > 0 else { return false }
        state.hasBarrier = false
        state.barriers.append({ semaphore.signal() }, first: true)
        return true
      }
      if isWaiting { semaphore.wait() }
    }
  }

  // MARK: Connections

  func interrupt() {
    for reader in state.withLock(\.readers) { reader.interrupt() }
  }

  /// Calls `body` with each idle connection, which isn't lent meanwhile.
  func forEachIdle(_ body: (SerializedDatabase) -> Void) {
    let idle = state.withLock { state in
      defer { state.idle = [] }
      return state.idle
    }
    for reader in idle {
      body(reader)
      giveBack(reader)
    }
  }

  /// Closes all connections: idle ones now, lent ones when they are returned.
  func invalidate() {
    for reader in state.withLock(\.readers) { reader.invalidate() }
    forEachIdle { _ in }
  }

  /// Closes all connections once they are idle.
  func closeWhenIdle() {
    let isIdle = DispatchSemaphore(value: 0)
    beginBarrier { isIdle.signal() }
    isIdle.wait()
    close()
    endBarrier()
  }

  /// Closes all connections; pending and later requests fail.
  func close() {
    invalidate()
    serve { $0.isClosed = true }
  }
}

/// A thread waiting for a connection.
private final class ThreadWaiter: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let lease = Mutex<ReaderPool.Lease?>(nil)

  func wake(with lease: ReaderPool.Lease) {
    self.lease.withLock { $0 = lease }
    semaphore.signal()
  }

  func wait() -> ReaderPool.Lease? {
    semaphore.wait()
    return lease.withLock(\.self)
  }
}
