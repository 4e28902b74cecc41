import CofferCore
import CofferRecords

extension FetchedRecordsController {
  /// The callbacks of the controller.
  struct Callbacks {
    var fetchAlongside: (@Sendable (Database) throws -> any Sendable)?
    var willChange: ((FetchedRecordsController<Record>, (any Sendable)?) -> Void)?
    var onSectionChange: ((FetchedRecordsController<Record>, FetchedRecordsSectionChange) -> Void)?
    var onChange: ((FetchedRecordsController<Record>, Record, FetchedRecordChange) -> Void)?
    var didChange: ((FetchedRecordsController<Record>, (any Sendable)?) -> Void)?
  }

  /// Reports changes to the list, from now on or from ``performFetch()`` on.
  ///
  /// ```swift
  /// controller.trackChanges(
  ///   willChange: { _ in tableView.beginUpdates() },
  ///   onChange: { _, player, change in tableView.apply(change) },
  ///   didChange: { _ in tableView.endUpdates() })
  /// ```
  ///
  /// Replaces earlier callbacks. Changes since ``performFetch()`` are also reported. If all
  /// callbacks are nil, tracking ends.
  /// - Parameters:
  ///   - willChange: Called before a batch of changes, when the controller still has the old
  ///     records.
  ///   - onSectionChange: Called for each inserted or deleted section, before `onChange`.
  ///   - onChange: Called for each change of the batch, with the record (its old version if it is
  ///     deleted), when the controller has the new records. The order is not significant: see
  ///     ``FetchedRecordChange``.
  ///   - didChange: Called after the batch.
  public func trackChanges(
    willChange: ((FetchedRecordsController<Record>) -> Void)? = nil,
    onSectionChange: ((FetchedRecordsController<Record>, FetchedRecordsSectionChange) -> Void)? =
      nil,
    onChange: ((FetchedRecordsController<Record>, Record, FetchedRecordChange) -> Void)? = nil,
    didChange: ((FetchedRecordsController<Record>) -> Void)? = nil
  ) {
    if willChange == nil, onSectionChange == nil, onChange == nil, didChange == nil {
      callbacks = nil
      return stop()
    }
    track(
      Callbacks(
        willChange: willChange.map { callback in { controller, _ in callback(controller) } },
        onSectionChange: onSectionChange, onChange: onChange,
        didChange: didChange.map { callback in { controller, _ in callback(controller) } }))
  }

  /// Calls a function after each batch of changes.
  ///
  /// ```swift
  /// controller.trackChanges { tableView.reload($0.fetchedRecords) }
  /// ```
  public func trackChanges(didChange: @escaping (FetchedRecordsController<Record>) -> Void) {
    track(Callbacks(didChange: { controller, _ in didChange(controller) }))
  }

  /// Reports changes to the list, with a value fetched from the same state of the database.
  ///
  /// ```swift
  /// controller.trackChanges(
  ///   fetchAlongside: { try Player.fetchCount($0) },
  ///   didChange: { controller, count in title = "\(controller.fetchedRecords.count) of \(count)" })
  /// ```
  ///
  /// The value is fetched together with the list, on another thread; a change of the value alone is
  /// not reported.
  /// - Parameters:
  ///   - fetchAlongside: Fetches the value. An error is passed to ``trackErrors(_:)``, and the
  ///     batch is skipped.
  public func trackChanges<T: Sendable>(
    fetchAlongside: @escaping @Sendable (Database) throws -> T,
    willChange: ((FetchedRecordsController<Record>, _ fetchedAlongside: T) -> Void)? = nil,
    onSectionChange: ((FetchedRecordsController<Record>, FetchedRecordsSectionChange) -> Void)? =
      nil,
    onChange: ((FetchedRecordsController<Record>, Record, FetchedRecordChange) -> Void)? = nil,
    didChange: ((FetchedRecordsController<Record>, _ fetchedAlongside: T) -> Void)? = nil
  ) {
    track(
      Callbacks(
        fetchAlongside: fetchAlongside, willChange: unwrapping(willChange),
        onSectionChange: onSectionChange, onChange: onChange, didChange: unwrapping(didChange)))
  }

  /// Calls a function after each batch of changes, with a value fetched alongside.
  ///
  /// The value is fetched from the same state of the database.
  public func trackChanges<T: Sendable>(
    fetchAlongside: @escaping @Sendable (Database) throws -> T,
    didChange: @escaping (FetchedRecordsController<Record>, _ fetchedAlongside: T) -> Void
  ) {
    track(Callbacks(fetchAlongside: fetchAlongside, didChange: unwrapping(didChange)))
  }

  /// Reports errors in fetches after the first one.
  ///
  /// ```swift
  /// controller.trackErrors { _, error in log("\(error)") }
  /// ```
  ///
  /// After an error the records are unchanged, and the next transaction that can change them
  /// triggers another fetch.
  public func trackErrors(
    _ errorHandler: @escaping (FetchedRecordsController<Record>, _ error: any Error) -> Void
  ) {
    self.errorHandler = errorHandler
  }

  private func track(_ callbacks: Callbacks) {
    self.callbacks = callbacks
    if isFetched { restart() }
  }

  private func unwrapping<T: Sendable>(
    _ callback: ((FetchedRecordsController<Record>, T) -> Void)?
  ) -> ((FetchedRecordsController<Record>, (any Sendable)?) -> Void)? {
    // Batches fetched for other callbacks are never delivered, so the value is a `T`.
    callback.map { callback in
      { controller, value in if let value = value as? T { callback(controller, value) } }
    }
  }
}
