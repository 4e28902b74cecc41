import CofferCore

extension ValueObservation {
  /// Starts the observation, whose values are delivered by the scheduler.
  ///
  /// ```swift
  /// let cancellable = observation.start(in: pool, scheduling: .async(onQueue: queue)) { error in
  ///   …
  /// } onChange: { value in
  ///   …
  /// }
  /// ```
  ///
  /// On a snapshot, and on a read-only database, only the first value is delivered.
  /// - Parameters:
  ///   - reader: The database, which the observation retains until it ends.
  ///   - onError: Called at most once, when the observation has ended with an error.
  ///   - onChange: Called with each value; never after `cancel()` has returned, if that is called
  ///     on the scheduler's thread or actor.
  /// - Returns: A cancellable that ends the observation when it is cancelled or deallocated.
  @preconcurrency
  public func start(
    in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler,
    onError: @escaping @Sendable (any Error) -> Void,
    onChange: @escaping @Sendable (Reducer.Value) -> Void
  ) -> AnyDatabaseCancellable {
    start(
      in: reader, scheduler,
      ValueReceiver(schedule: { scheduler.schedule($0) }, onError: onError, onChange: onChange))
  }

  /// Starts the observation, whose values are delivered on the main actor.
  ///
  /// On a snapshot, and on a read-only database, only the first value is delivered.
  /// - Parameters:
  ///   - reader: The database, which the observation retains until it ends.
  ///   - scheduler: `.mainActor`, or `.immediate` to deliver the first value before `start`
  ///     returns.
  ///   - onError: Called at most once, when the observation has ended with an error.
  ///   - onChange: Called with each value; never after `cancel()` has returned.
  /// - Returns: A cancellable that ends the observation when it is cancelled or deallocated.
  @preconcurrency @MainActor
  public func start(
    in reader: any DatabaseReader,
    scheduling scheduler: some ValueObservationMainActorScheduler = .mainActor,
    onError: @escaping @MainActor (any Error) -> Void,
    onChange: @escaping @MainActor (Reducer.Value) -> Void
  ) -> AnyDatabaseCancellable {
    start(
      in: reader, scheduler,
      ValueReceiver(
        schedule: { action in scheduler.scheduleOnMainActor { action() } },
        onError: { error in MainActor.assumeIsolated { onError(error) } },
        onChange: { value in MainActor.assumeIsolated { onChange(value) } }))
  }

  private func start(
    in reader: any DatabaseReader, _ scheduler: some ValueObservationScheduler,
    _ receiver: ValueReceiver<Reducer.Value>
  ) -> AnyDatabaseCancellable {
    let isImmediate = scheduler.immediateInitialValue()
    events.willStart?()
    let observer = ValueObserver(self, reader: reader, scheduler, receiver: receiver)
    let cancellable = AnyDatabaseCancellable { observer.cancel() }
    observer.start(in: reader, isImmediate: isImmediate)
    return cancellable
  }

  /// Returns an asynchronous sequence of values.
  ///
  /// Each iteration starts a separate observation.
  ///
  /// ```swift
  /// for try await players in observation.values(in: pool) {
  ///   …
  /// }
  /// ```
  ///
  /// The observation begins with the iteration, and ends with it, with the task, or with an error,
  /// which the loop throws.
  /// - Parameters:
  ///   - scheduler: `.task` by default.
  ///   - bufferingPolicy: The policy for values that the loop hasn't consumed yet; by default all
  ///     are kept.
  public func values(
    in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .task,
    bufferingPolicy: AsyncValueObservation<Reducer.Value>.BufferingPolicy = .unbounded
  ) -> AsyncValueObservation<Reducer.Value> {
    AsyncValueObservation(bufferingPolicy: bufferingPolicy) { onError, onChange in
      start(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
    }
  }
}
