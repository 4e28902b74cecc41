import CofferCore
import CofferObservation

extension Filterable where Row: Sendable {
  /// Calls `onChange` with the documents of the query, now and after each change.
  ///
  /// A change is a commit that changes what the query reads.
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
  /// For other forms, start an ``observation()``: `.map { … }.start(in: store.writer, …)`.
  /// - Parameters:
  ///   - onError: Called at most once. It ends the observation.
  ///   - onChange: Called on the scheduler's thread or actor.
  /// - Returns: A cancellable that ends the observation when it is cancelled or released.
  public func observe(
    scheduling scheduler: some ValueObservationScheduler,
    onError: @escaping @Sendable (any Error) -> Void,
    onChange: @escaping @Sendable ([Row]) -> Void
  ) -> AnyDatabaseCancellable {
    observation().start(
      in: writer, scheduling: scheduler, onError: onError, onChange: onChange)
  }

  /// Calls `onChange` on the main actor with the documents of the query, now and after each change.
  ///
  /// A change is a commit that changes what the query reads.
  /// - Parameter scheduler: `.mainActor`, or `.immediate` to get the first value before `observe`
  ///   returns.
  /// - Returns: A cancellable that ends the observation when it is cancelled or released.
  @preconcurrency @MainActor
  public func observe(
    scheduling scheduler: some ValueObservationMainActorScheduler = .mainActor,
    onError: @escaping @MainActor (any Error) -> Void,
    onChange: @escaping @MainActor ([Row]) -> Void
  ) -> AnyDatabaseCancellable {
    observation().start(
      in: writer, scheduling: scheduler, onError: onError, onChange: onChange)
  }

  /// Calls `onChange` with the first document of the query, now and after each change.
  ///
  /// The document is nil if there is none. A change is a commit that changes what the query reads.
  /// - Returns: A cancellable that ends the observation when it is cancelled or released.
  public func observeFirst(
    scheduling scheduler: some ValueObservationScheduler,
    onError: @escaping @Sendable (any Error) -> Void,
    onChange: @escaping @Sendable (Row?) -> Void
  ) -> AnyDatabaseCancellable {
    observationOfFirst().start(
      in: writer, scheduling: scheduler, onError: onError, onChange: onChange)
  }

  /// Calls `onChange` on the main actor with the first document, now and after each change.
  ///
  /// The document is nil if there is none. A change is a commit that changes what the query reads.
  /// - Returns: A cancellable that ends the observation when it is cancelled or released.
  @preconcurrency @MainActor
  public func observeFirst(
    scheduling scheduler: some ValueObservationMainActorScheduler = .mainActor,
    onError: @escaping @MainActor (any Error) -> Void,
    onChange: @escaping @MainActor (Row?) -> Void
  ) -> AnyDatabaseCancellable {
    observationOfFirst().start(
      in: writer, scheduling: scheduler, onError: onError, onChange: onChange)
  }
}

extension Filterable where Row: _SendableMetatype {
  /// Calls `onChange` with the number of documents, now and whenever a commit changes it.
  ///
  /// - Returns: A cancellable that ends the observation when it is cancelled or released.
  public func observeCount(
    scheduling scheduler: some ValueObservationScheduler,
    onError: @escaping @Sendable (any Error) -> Void,
    onChange: @escaping @Sendable (Int) -> Void
  ) -> AnyDatabaseCancellable {
    observationOfCount().start(
      in: writer, scheduling: scheduler, onError: onError, onChange: onChange)
  }

  /// Calls `onChange` on the main actor with the number of documents, now and after each change.
  ///
  /// A change is a commit that changes the number.
  /// - Returns: A cancellable that ends the observation when it is cancelled or released.
  @preconcurrency @MainActor
  public func observeCount(
    scheduling scheduler: some ValueObservationMainActorScheduler = .mainActor,
    onError: @escaping @MainActor (any Error) -> Void,
    onChange: @escaping @MainActor (Int) -> Void
  ) -> AnyDatabaseCancellable {
    observationOfCount().start(
      in: writer, scheduling: scheduler, onError: onError, onChange: onChange)
  }
}
