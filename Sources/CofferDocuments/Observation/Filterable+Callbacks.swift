import CofferCore
import CofferObservation

extension Filterable where Row: Sendable {
  /// Calls `onChange` with the documents of the query, and again after each commit that has changed
  /// what it reads.
  ///
  /// ```swift
  /// let cancellable = books.filter(\.priceCents, lessThan: 1000)
  ///   .observe(scheduling: .async(onQueue: queue)) { error in
  ///     …
  ///   } onChange: { cheap in
  ///     …
  ///   }
  /// ```
  ///
  /// Other forms start an ``observation()`` of their own: `.map { … }.start(in: store.writer, …)`.
  /// - Parameters:
  ///   - onError: Called at most once: the observation is over.
  ///   - onChange: Called where the scheduler says.
  /// - Returns: What ends the observation when it is cancelled, or dies.
  public func observe(
    scheduling scheduler: some ValueObservationScheduler,
    onError: @escaping @Sendable (any Error) -> Void,
    onChange: @escaping @Sendable ([Row]) -> Void
  ) -> AnyDatabaseCancellable {
    observation().start(
      in: all().collection.access.writer, scheduling: scheduler, onError: onError,
      onChange: onChange)
  }

  /// Calls `onChange`, on the main actor, with the documents of the query, and again after each
  /// commit that has changed what it reads.
  ///
  /// - Parameter scheduler: `.mainActor`, or `.immediate` for a first value before `observe` returns.
  /// - Returns: What ends the observation when it is cancelled, or dies.
  @preconcurrency @MainActor
  public func observe(
    scheduling scheduler: some ValueObservationMainActorScheduler = .mainActor,
    onError: @escaping @MainActor (any Error) -> Void,
    onChange: @escaping @MainActor ([Row]) -> Void
  ) -> AnyDatabaseCancellable {
    observation().start(
      in: all().collection.access.writer, scheduling: scheduler, onError: onError,
      onChange: onChange)
  }

  /// Calls `onChange` with the first document of the query, nil where there is none, and again
  /// after each commit that has changed what it reads.
  ///
  /// - Returns: What ends the observation when it is cancelled, or dies.
  public func observeFirst(
    scheduling scheduler: some ValueObservationScheduler,
    onError: @escaping @Sendable (any Error) -> Void,
    onChange: @escaping @Sendable (Row?) -> Void
  ) -> AnyDatabaseCancellable {
    observationOfFirst().start(
      in: all().collection.access.writer, scheduling: scheduler, onError: onError,
      onChange: onChange)
  }

  /// Calls `onChange`, on the main actor, with the first document of the query, nil where there is
  /// none, and again after each commit that has changed what it reads.
  ///
  /// - Returns: What ends the observation when it is cancelled, or dies.
  @preconcurrency @MainActor
  public func observeFirst(
    scheduling scheduler: some ValueObservationMainActorScheduler = .mainActor,
    onError: @escaping @MainActor (any Error) -> Void,
    onChange: @escaping @MainActor (Row?) -> Void
  ) -> AnyDatabaseCancellable {
    observationOfFirst().start(
      in: all().collection.access.writer, scheduling: scheduler, onError: onError,
      onChange: onChange)
  }
}

extension Filterable where Row: _SendableMetatype {
  /// Calls `onChange` with the number of documents of the query, and again whenever a commit has
  /// made it another one.
  ///
  /// - Returns: What ends the observation when it is cancelled, or dies.
  public func observeCount(
    scheduling scheduler: some ValueObservationScheduler,
    onError: @escaping @Sendable (any Error) -> Void,
    onChange: @escaping @Sendable (Int) -> Void
  ) -> AnyDatabaseCancellable {
    observationOfCount().start(
      in: all().collection.access.writer, scheduling: scheduler, onError: onError,
      onChange: onChange)
  }

  /// Calls `onChange`, on the main actor, with the number of documents of the query, and again
  /// whenever a commit has made it another one.
  ///
  /// - Returns: What ends the observation when it is cancelled, or dies.
  @preconcurrency @MainActor
  public func observeCount(
    scheduling scheduler: some ValueObservationMainActorScheduler = .mainActor,
    onError: @escaping @MainActor (any Error) -> Void,
    onChange: @escaping @MainActor (Int) -> Void
  ) -> AnyDatabaseCancellable {
    observationOfCount().start(
      in: all().collection.access.writer, scheduling: scheduler, onError: onError,
      onChange: onChange)
  }
}
