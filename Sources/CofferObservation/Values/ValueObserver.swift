import CofferCore
import Synchronization

/// A running observation.
///
/// It observes transactions on the writer, fetches there or on a reader, and passes the results to
/// its pipeline. Each part of its state has a separate lock; none of them is held while the
/// application's code is called, except for the reducer's lock, which is never contended.
final class ValueObserver<Reducer: ValueReducer>: Sendable {
  /// The parts that are released when the observation ends.
  struct Life: Sendable {
    let reader: any DatabaseReader
    let fetch: @Sendable (Database) throws -> Reducer.Fetched
    /// What fetches, and brings the last fetched result up to date.
    let kept: _KeptValue<Reducer.Fetched>?
  }

  /// The state of the fetch on a reader.
  private enum Fetching {
    case idle
    /// The fetch will see everything that is committed before it begins.
    case scheduled
    case fetching
    /// Something has changed since the fetch began.
    case fetchingOnceMore
  }

  let tracking: ValueTracking
  let requiresWriteAccess: Bool
  let events: ValueObservationEvents
  let tracked: TrackedRegion
  private let pace: ObservationPace?
  private let life: Mutex<Life?>
  private let receiver: Mutex<ValueReceiver<Reducer.Value>?>
  private let reducer: Mutex<Reducer>
  private let pipeline = ValuePipeline<Result<Reducer.Fetched, any Error>>()
  /// Whether fetched results are delivered as they are, and each by a scheduler of the library, on
  /// another thread than this: so that no code of the application runs before.
  private let isPlain: Bool
  private let fetching = Mutex(Fetching.idle)
  init(
    _ observation: ValueObservation<Reducer>, reader: any DatabaseReader,
    _ scheduler: some ValueObservationScheduler, receiver: ValueReceiver<Reducer.Value>
  ) {
    isPlain =
      scheduler is any QueueingScheduler && Reducer.self == ValueReducers.Fetch<Reducer.Value>.self
    tracking = observation.tracking
    requiresWriteAccess = observation.requiresWriteAccess
    events = observation.events
    pace = observation.interval.flatMap { $0 > .zero ? ObservationPace(interval: $0) : nil }
    reducer = Mutex(observation.reducer)
    // A fetch that writes may depend on more than the request.
    let kept = requiresWriteAccess ? nil : observation.reducer._makeKeptValue()
    tracked = TrackedRegion(rows: kept?.changes)
    let fetch: @Sendable (Database) throws -> Reducer.Fetched =
      if let kept { { try kept.fetch($0) } } else { observation.reducer.makeFetcher() }
    life = Mutex(Life(reader: reader, fetch: fetch, kept: kept))
    self.receiver = Mutex(receiver)
  }

  // MARK: Beginning and end

  func start(in reader: any DatabaseReader, isImmediate: Bool) {
    let start = TrackingStart(requiresWriteAccess: requiresWriteAccess) { result in
      self.fetchFirst(result)
    } track: { db, hasChanged in
      self.track(db, hasChanged)
    }
    guard isImmediate else { return reader.scheduleTracking(start) }
    // Values of later commits wait until the first one has been delivered.
    pipeline.hold()
    reader.beginTracking(start)
    if let first = pipeline.pop() { deliver(first) { $0() } }
    pipeline.release { self.process($0) }
  }

  func cancel() {
    let receiver = takeReceiver()
    pipeline.close()
    stop()
    if receiver != nil { events.didCancel?() }
  }

  /// Stops fetching; already fetched values are still delivered.
  private func stop() {
    let life = life.withLock { $0.take() }
    life?.reader.transactionsWriter?.asyncWriteWithoutTransaction { [self] db in
      db.remove(transactionObserver: self)
    }
  }

  var current: Life? { life.withLock(\.self) }

  // MARK: Delivery

  /// - Parameter isFirst: Whether it is the first value: changes aren't observed yet.
  func push(_ result: Result<Reducer.Fetched, any Error>, isFirst: Bool = false) {
    let isSuccess = if case .success = result { true } else { false }
    if !isSuccess { stop() }
    pipeline.push(result, staysHere: isPlain && isSuccess && !isFirst) { self.process($0) }
  }

  private func process(_ result: Result<Reducer.Fetched, any Error>) {
    guard let schedule = receiver.withLock({ $0?.schedule }) else { return }
    deliver(result, schedule)
  }

  /// Reduces a fetched result, and delivers the value.
  private func deliver(
    _ result: Result<Reducer.Fetched, any Error>,
    _ schedule: (@escaping @Sendable () -> Void) -> Void
  ) {
    guard receiver.withLock({ $0 != nil }) else { return }
    do {
      let fetched = try result.get()
      let value = try reducer.withLock { reducer in try reducer.reduce(fetched) }
      guard let value else {
        if pace?.goOn() == true { fetchLater() }
        return
      }
      schedule {
        guard let receiver = self.receiver.withLock(\.self) else { return }
        receiver.onChange(value)
        self.didDeliver()
      }
    } catch {
      stop()
      pipeline.close()
      events.didFail?(error)
      schedule { self.takeReceiver()?.onError(error) }
    }
  }

  /// Begins the interval in which nothing is fetched, if there is one.
  private func didDeliver() {
    guard let pace, pace.noteDelivery() else { return }
    pipeline.wait(pace.interval) { [weak self] in
      if pace.goOn() { self?.fetchLater() }
    }
  }

  /// - Returns: Nil if the observation was cancelled, or has already failed.
  private func takeReceiver() -> ValueReceiver<Reducer.Value>? {
    receiver.withLock { $0.take() }
  }
}

// MARK: - Fetching

extension ValueObserver {
  /// - Returns: The region to track.
  private func fetchFirst(_ result: Result<Database, any Error>) -> DatabaseRegion? {
    guard let life = current else { return nil }
    do {
      let db = try result.get()
      let (fetched, recorded) = try db.recordingRegion { try life.fetch(db) }
      let region = try region(recorded, db)
      tracked.set(region)
      if life.reader.transactionsWriter != nil, !beginsOnReader(life) {
        events.willTrackRegion?(region)
      }
      push(.success(fetched), isFirst: true)
      return region
    } catch {
      push(.failure(error))
      return nil
    }
  }

  /// Returns whether the first fetch runs on a reader, so that tracking begins after it.
  private func beginsOnReader(_ life: Life) -> Bool {
    !requiresWriteAccess && life.reader.transactionsWriter is DatabasePool
  }

  private func region(_ recorded: DatabaseRegion, _ db: Database) throws -> DatabaseRegion {
    guard case .regions(let regions) = tracking else { return recorded }
    return try regions.union(db)
  }

  private func track(_ db: Database, _ hasChanged: Bool) {
    guard let life = current else { return }
    tracked.confirm(in: db)
    db.add(transactionObserver: self)
    if hasChanged {
      life.kept?.forget()
      databaseDidChange()
      // Or the next commit would be taken for one of unknown rows.
      tracked.rows?.didCommit()
      didChange(db, mayRegionDiffer: true, isBeginning: beginsOnReader(life))
    } else {
      life.kept?.confirm(in: db)
      if beginsOnReader(life) { events.willTrackRegion?(tracked.region) }
      // The observation began inside a transaction.
      db.whenUndone { [weak self] in
        self?.current?.kept?.forget()
        self?.didChange($0, mayRegionDiffer: true)
      }
    }
  }

  /// Fetches after a change, now or when the interval ends.
  private func didChange(
    _ db: Database, mayRegionDiffer: Bool = false, isBeginning: Bool = false
  ) {
    guard let pace, !pace.noteChange() else {
      return fetchAgain(db, mayRegionDiffer: mayRegionDiffer, isBeginning: isBeginning)
    }
    if isBeginning { events.willTrackRegion?(tracked.region) }
    events.databaseDidChange?()
  }

  /// Fetches changes that were announced before.
  private func fetchLater() {
    current?.reader.transactionsWriter?.asyncWriteWithoutTransaction { [weak self] db in
      // Closing the database meanwhile is no error.
      guard db.isOpen else { return }
      self?.fetchAgain(db, mayRegionDiffer: true, isAnnounced: true)
    }
  }

  /// Fetches after a change, inside an access to the writer.
  ///
  /// - Parameters:
  ///   - isBeginning: Whether `willTrackRegion` hasn't been called yet.
  ///   - isAnnounced: Whether `databaseDidChange` was called.
  private func fetchAgain(
    _ db: Database, mayRegionDiffer: Bool = false, isBeginning: Bool = false,
    isAnnounced: Bool = false
  ) {
    guard let life = current else { return }
    _ = tracked.takeChange()
    guard !db.isInsideTransaction else {
      if isBeginning { events.willTrackRegion?(tracked.region) }
      // Another observer has begun a transaction at the end of the one with the change.
      return db.afterNextTransaction { [weak self] db in
        self?.fetchAgain(db, mayRegionDiffer: true)
      } onRollback: { [weak self] db in
        self?.fetchAgain(db, mayRegionDiffer: true)
      }
    }
    if !isAnnounced { events.databaseDidChange?() }
    // A fetch that is under way replaces what was kept.
    if let kept = life.kept, !tracked.isOutdated(in: db), fetching.withLock({ $0 == .idle }),
      let fetched = kept.update(db)
    {
      return push(.success(fetched))
    }
    do {
      let isOutdated = mayRegionDiffer || tracked.isOutdated(in: db)
      if tracking.isConstant, beginsOnReader(life) {
        guard isOutdated else { return fetchConcurrently(life, after: db) }
        // The value fetched together with the region could arrive out of order with one that is
        // being fetched on a reader.
        let isInLine = fetching.withLock { $0 == .idle }
        let fetched = try fetchHere(db, life, isOutdated: true, isBeginning: isBeginning)
        if isInLine { push(.success(fetched)) } else { fetchConcurrently(life, after: db) }
      } else {
        push(
          .success(
            try fetchHere(db, life, isOutdated: isOutdated, isBeginning: isBeginning)))
      }
    } catch {
      guard db.isAccessCancelled else { return push(.failure(error)) }
      // The task that has committed was cancelled, but not the observation.
      life.reader.transactionsWriter?.asyncWriteWithoutTransaction { [weak self] in
        self?.fetchAgain($0, mayRegionDiffer: true)
      }
    }
  }

  private func fetchHere(
    _ db: Database, _ life: Life, isOutdated: Bool, isBeginning: Bool
  ) throws -> Reducer.Fetched {
    life.kept?.changes.clear()
    let ((fetched, region), recorded) = try tracked.ignoringChanges {
      try db.observedFetch(requiresWriteAccess: requiresWriteAccess) { db in
        let fetched = try life.fetch(db)
        guard isOutdated, case .regions(let regions) = tracking else {
          return (fetched, nil as DatabaseRegion?)
        }
        return (fetched, try regions.union(db))
      }
    }
    switch tracking {
    case .eachFetch: setRegion(recorded, db, isBeginning)
    case .firstFetch: if isOutdated { setRegion(recorded, db, isBeginning) }
    case .regions: if let region { setRegion(region, db, isBeginning) }
    }
    return fetched
  }

  private func setRegion(_ region: DatabaseRegion, _ db: Database, _ isBeginning: Bool) {
    let isOther = tracked.update(region, in: db)
    if isOther { db.observation.interestsDidChange(of: self) }
    guard isOther || isBeginning else { return }
    events.willTrackRegion?(region)
  }

  // MARK: Concurrent fetches

  /// Fetches the last commit on a reader; fetches again if a fetch is already running.
  ///
  /// It doesn't wait for the read to begin, which can see later commits, but never an earlier one.
  private func fetchConcurrently(_ life: Life, after db: Database) {
    life.kept?.noteCommits(seenBy: db)
    let begins = fetching.withLock { fetching in
      switch fetching {
      case .idle:
        fetching = .scheduled
        return true
      case .fetching: fetching = .fetchingOnceMore
      case .scheduled, .fetchingOnceMore: break
      }
      return false
    }
    if begins { life.reader.asyncRead { [weak self] in self?.fetch($0) } }
  }

  private func fetch(_ result: Result<Database, any Error>) {
    guard let life = current else { return }
    // The read's transaction begins with its first statement.
    fetching.withLock { $0 = .fetching }
    life.kept?.changes.clear()
    do {
      push(.success(try life.fetch(try result.get())))
    } catch {
      return push(.failure(error))
    }
    let isDone = fetching.withLock { fetching in
      let isDone = fetching == .fetching
      fetching = isDone || life.kept != nil ? .idle : .scheduled
      return isDone
    }
    guard !isDone else { return }
    guard let kept = life.kept else {
      return life.reader.asyncRead { [weak self] in self?.fetch($0) }
    }
    life.reader.transactionsWriter?.asyncWriteWithoutTransaction { [weak self] db in
      guard db.isOpen, !kept.changes.isEmpty else { return }
      self?.fetchAgain(db, isAnnounced: true)
    }
  }
}

// MARK: - Transactions

extension ValueObserver: TrackedRegionObserver {
  func databaseDidCommit(_ db: Database) {
    tracked.rows?.didCommit()
    if tracked.takeChange() { didChange(db) }
  }
}
