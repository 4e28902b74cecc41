import CofferCore

extension ValueObservation {
  /// Starts the observation; values come where the scheduler says.
  ///
  /// ```swift
  /// let cancellable = observation.start(in: pool, scheduling: .async(onQueue: queue)) { error in
  ///   …
  /// } onChange: { value in
  ///   …
  /// }
  /// ```
  ///
  /// On a snapshot, and on a read-only database, there is only the first value.
  /// - Parameters:
  ///   - reader: The database, which the observation retains until it is over.
  ///   - onError: Called at most once: the observation is over.
  ///   - onChange: Called with each value; never after `cancel()` has returned, where that is
  ///     called on the scheduler's thread or actor.
  /// - Returns: What ends the observation when it is cancelled, or dies.
  @preconcurrency
  public func start(
    in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler,
    onError: @escaping @Sendable (any Error) -> Void,
    onChange: @escaping @Sendable (Reducer.Value) -> Void
  ) -> AnyDatabaseCancellable {
    let isImmediate = scheduler.immediateInitialValue()
    events.willStart?()
    let observer = ValueObserver(
      self, reader: reader,
      receiver: ValueReceiver(
        schedule: { scheduler.schedule($0) }, onError: onError, onChange: onChange))
    let cancellable = AnyDatabaseCancellable { observer.cancel() }
    observer.start(in: reader, isImmediate: isImmediate)
    return cancellable
  }

  /// Starts the observation; values come on the main actor.
  ///
  /// On a snapshot, and on a read-only database, there is only the first value.
  /// - Parameters:
  ///   - reader: The database, which the observation retains until it is over.
  ///   - scheduler: `.mainActor`, or `.immediate` for a first value before `start` returns.
  ///   - onError: Called at most once: the observation is over.
  ///   - onChange: Called with each value; never after `cancel()` has returned.
  /// - Returns: What ends the observation when it is cancelled, or dies.
  @preconcurrency @MainActor
  public func start(
    in reader: any DatabaseReader,
    scheduling scheduler: some ValueObservationMainActorScheduler = .mainActor,
    onError: @escaping @MainActor (any Error) -> Void,
    onChange: @escaping @MainActor (Reducer.Value) -> Void
  ) -> AnyDatabaseCancellable {
    let isImmediate = scheduler.immediateInitialValue()
    events.willStart?()
    let observer = ValueObserver(
      self, reader: reader,
      receiver: ValueReceiver(
        schedule: { action in scheduler.scheduleOnMainActor { action() } },
        onError: { error in MainActor.assumeIsolated { onError(error) } },
        onChange: { value in MainActor.assumeIsolated { onChange(value) } }))
    let cancellable = AnyDatabaseCancellable { observer.cancel() }
    observer.start(in: reader, isImmediate: isImmediate)
    return cancellable
  }

  /// The values, as an asynchronous sequence; each iteration is an observation of its own.
  ///
  /// ```swift
  /// for try await players in observation.values(in: pool) {
  ///   …
  /// }
  /// ```
  ///
  /// The observation begins with the iteration, and is over with it, with the task, or with an
  /// error, which the loop throws.
  /// - Parameters:
  ///   - scheduler: `.task` by default.
  ///   - bufferingPolicy: What becomes of values that the loop hasn't asked for yet; all are kept
  ///     by default.
  public func values(
    in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .task,
    bufferingPolicy: AsyncValueObservation<Reducer.Value>.BufferingPolicy = .unbounded
  ) -> AsyncValueObservation<Reducer.Value> {
    AsyncValueObservation(bufferingPolicy: bufferingPolicy) { onError, onChange in
      start(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
    }
  }
}
