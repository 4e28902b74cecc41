import CofferCore
import CofferRecords
import Synchronization

/// Fetches a list after each commit that can change it, from its creation until it is cancelled.
///
/// A list that is kept is brought up to date on the writer, by the rows that have changed.
/// Otherwise, the list is fetched on a reader that starts from the commit, so that the writer isn't
/// blocked.
/// The region that the list depends on can grow (for example when records are first prefetched for
/// new rows): then the larger region is observed from the next access of the writer on, and the
/// list is fetched again from there.
final class ListSession<Record: FetchableRecord & _SendableMetatype>: Sendable {
  private struct State {
    var region = DatabaseRegion()
    var observer: RegionObserver?
    /// The number of the next list.
    var count = 0
    /// The number of fetches on readers that haven't ended.
    var fetching = 0
  }

  private let fetch: ListFetch<Record>
  /// What keeps the rows; nil if each list is fetched.
  private let kept: KeptList<ListRow>?
  private let differ: ListDiffer<Record>
  private let reader: any DatabaseReader
  private let isTracking: Bool
  private let state = Mutex(State())
  private let isCancelled = Atomic(false)

  /// - Parameter isTracking: Whether the session observes changes; otherwise it fetches once.
  init(
    _ fetch: ListFetch<Record>, reader: any DatabaseReader, differ: ListDiffer<Record>,
    isTracking: Bool
  ) {
    self.fetch = fetch
    kept = isTracking ? fetch.makeKeptList() : nil
    self.reader = reader
    self.differ = differ
    self.isTracking = isTracking
  }

  /// Fetches synchronously, and starts observing.
  ///
  /// - Returns: The changes from the differ's list to the fetched one.
  func begin() throws -> ListBatch<Record> {
    let first = Reference(Mutex<Result<FetchedList, any Error>?>(nil))
    _ = nextNumber()
    reader.beginTracking(start { list in first.value.withLock { $0 = list } })
    let list = first.value.withLock(\.self) ?? .failure(CancellationError())
    return try differ.start(with: list.get())
  }

  /// Starts observing, and submits a first list asynchronously.
  func schedule() {
    let first = nextNumber()
    let hasFetched = Reference(Atomic(false))
    reader.scheduleTracking(
      start { [self] list in
        // The end of the access can fail after the list was received.
        let isFirst = !hasFetched.value.exchange(true, ordering: .relaxed)
        differ.submit(list, number: isFirst ? first : nextNumber())
      })
  }

  /// Ends the observation; lists that are being fetched are dropped.
  func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    differ.cancel()
    // The database holds the observer weakly: releasing it ends the observation.
    state.withLock { $0.observer = nil }
  }

  private func nextNumber() -> Int {
    state.withLock { state in
      state.count += 1
      return state.count - 1
    }
  }

  // MARK: Observing

  private func start(
    _ receive: @escaping @Sendable (Result<FetchedList, any Error>) -> Void
  ) -> TrackingStart {
    TrackingStart(requiresWriteAccess: false) { [self] result in
      guard !isCancelled.load(ordering: .relaxed) else { return nil }
      do {
        let (list, region) = try fetch.fetch(result.get(), kept)
        state.withLock { $0.region = region }
        receive(list)
        return isTracking ? region : nil
      } catch {
        receive(.failure(error))
        return nil
      }
    } track: { [self] db, hasChanged in
      observe(db)
      guard hasChanged else {
        kept?.confirm(in: db)
        // The observation began inside a transaction.
        return db.whenUndone { [weak self] _ in self?.kept?.forget() }
      }
      kept?.forget()
      refetch(db)
    }
  }

  /// Observes the current region, replacing any earlier observer; called on the writer.
  private func observe(_ db: Database) {
    guard let writer = reader.transactionsWriter else { return }
    let observer: RegionObserver? = state.withLock { state in
      guard !isCancelled.load(ordering: .relaxed) else { return nil }
      state.observer = RegionObserver(state.region, writer: writer, rows: kept?.changes) {
        [weak self] in self?.refetch($0)
      }
      return state.observer
    }
    observer?.observe(db)
  }

  /// Fetches the list of the last commit, or brings it up to date; called on the writer, outside
  /// of a transaction.
  private func refetch(_ db: Database) {
    guard !isCancelled.load(ordering: .relaxed), let writer = reader.transactionsWriter else {
      return
    }
    let listNumber = nextNumber()
    let isAlone = state.withLock { $0.fetching == 0 }
    if isAlone, !db.isInsideTransaction, let rows = kept?.update(db),
      let list = try? fetch.list(of: rows, db)
    {
      return differ.submit(.success(list), number: listNumber)
    }
    // While a fetch is under way whose rows are kept, others aren't.
    let kept = isAlone ? kept : nil
    kept?.noteCommits(seenBy: db)
    kept?.changes.clear()
    state.withLock { $0.fetching += 1 }
    writer.spawnConcurrentRead { [self] result in
      defer { state.withLock { $0.fetching -= 1 } }
      do {
        let (list, region) = try fetch.fetch(result.get(), kept)
        differ.submit(list, number: listNumber)
        if include(region) { observeAgain(writer) }
      } catch { differ.submit(.failure(error), number: listNumber) }
    }
  }

  /// Adds to the region; returns whether it has grown.
  private func include(_ region: DatabaseRegion) -> Bool {
    state.withLock { state in
      let union = state.region.union(region)
      defer { state.region = union }
      return union != state.region
    }
  }

  private func observeAgain(_ writer: any DatabaseWriter) {
    writer.asyncWriteWithoutTransaction { [weak self] db in
      self?.observe(db)
      self?.kept?.forget()
      self?.refetch(db)
    }
  }
}

/// A shared reference to a non-copyable value.
private final class Reference<Value: ~Copyable & Sendable>: Sendable {
  let value: Value

  init(_ value: consuming Value) { self.value = value }
}
