import CofferCore
import CofferRecords

extension FetchedRecordsController {
  /// Whom the controller tells.
  struct Callbacks {
    var fetchAlongside: (@Sendable (Database) throws -> any Sendable)?
    var willChange: ((FetchedRecordsController<Record>, (any Sendable)?) -> Void)?
    var onSectionChange: ((FetchedRecordsController<Record>, FetchedRecordsSectionChange) -> Void)?
    var onChange: ((FetchedRecordsController<Record>, Record, FetchedRecordChange) -> Void)?
    var didChange: ((FetchedRecordsController<Record>, (any Sendable)?) -> Void)?
  }

  /// Tells of changes to the list, from now on or from ``performFetch()`` on.
  ///
  /// ```swift
  /// controller.trackChanges(
  ///   willChange: { _ in tableView.beginUpdates() },
  ///   onChange: { _, player, change in tableView.apply(change) },
  ///   didChange: { _ in tableView.endUpdates() })
  /// ```
  ///
  /// Who was told before isn't any more. What has changed since ``performFetch()`` is told, too. Four
  /// times nil ends the tracking.
  /// - Parameters:
  ///   - willChange: Called before a batch of changes, when the controller still has the old records.
  ///   - onSectionChange: Called for each section that has come or gone, before `onChange`.
  ///   - onChange: Called for each change of the batch, with the record (as it was, if it is
  ///     deleted), when the controller has the new records. The order means nothing: see
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

  /// Tells of the ends of batches of changes.
  ///
  /// ```swift
  /// controller.trackChanges { tableView.reload($0.fetchedRecords) }
  /// ```
  public func trackChanges(didChange: @escaping (FetchedRecordsController<Record>) -> Void) {
    track(Callbacks(didChange: { controller, _ in didChange(controller) }))
  }

  /// Tells of changes to the list, with a value that is fetched from the same state of the database.
  ///
  /// ```swift
  /// controller.trackChanges(
  ///   fetchAlongside: { try Player.fetchCount($0) },
  ///   didChange: { controller, count in title = "\(controller.fetchedRecords.count) of \(count)" })
  /// ```
  ///
  /// It is fetched where the list is, on another thread; a change of the value alone isn't told.
  /// - Parameters:
  ///   - fetchAlongside: Fetches the value. An error goes to ``trackErrors(_:)``, and the batch
  ///     isn't told of.
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

  /// Tells of the ends of batches of changes, with a value that is fetched from the same state of the
  /// database.
  public func trackChanges<T: Sendable>(
    fetchAlongside: @escaping @Sendable (Database) throws -> T,
    didChange: @escaping (FetchedRecordsController<Record>, _ fetchedAlongside: T) -> Void
  ) {
    track(Callbacks(fetchAlongside: fetchAlongside, didChange: unwrapping(didChange)))
  }

  /// Tells of errors in fetches after the first one.
  ///
  /// ```swift
  /// controller.trackErrors { _, error in log("\(error)") }
  /// ```
  ///
  /// The records are what they were then, and the next transaction that may change them is another
  /// try.
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
    // Batches that were fetched for other callbacks are never told of: it is a `T`.
    callback.map { callback in
      { controller, value in if let value = value as? T { callback(controller, value) } }
    }
  }
}
