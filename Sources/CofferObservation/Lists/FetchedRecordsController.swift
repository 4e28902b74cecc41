import CofferCore
import CofferQuery
import CofferRecords
import Dispatch
import FoundationEssentials

/// Keeps the records of a request, and reports their changes to a list view.
///
/// ```swift
/// let controller = try FetchedRecordsController(pool, request: Player.order { $0.name })
/// controller.trackChanges(
///   willChange: { _ in tableView.beginUpdates() },
///   onChange: { _, player, change in tableView.apply(change) },
///   didChange: { _ in tableView.endUpdates() })
/// try controller.performFetch()
/// print(controller.fetchedRecords.count)
/// ```
///
/// Records are fetched and compared on other threads, so that neither the queue nor the database
/// waits for it. Each transaction that changes the list produces one batch of changes; other
/// transactions produce none. If transactions arrive faster than lists can be compared, a batch can
/// combine several.
///
/// Records are identified by their primary keys, if their type is a `TableRecord` and the request
/// selects the key, or by a function. Otherwise a changed record counts as another one: it is
/// deleted and inserted. Several records can have the same identity.
///
/// Concurrency: the controller is confined to its queue, which must be serial: it is used there,
/// and calls its callbacks there. After the last reference is released, no callback is called.
public final class FetchedRecordsController<Record: FetchableRecord & _SendableMetatype> {
  /// The records, in the order of the request.
  ///
  /// Empty before ``performFetch()``.
  public private(set) var fetchedRecords: [Record] = []

  let reader: any DatabaseReader
  let queue: DispatchQueue
  let identity: ListIdentity<Record>
  let sectionName: (@Sendable (Record) -> String)?
  var request: AnyFetchRequest<Record>
  var callbacks: Callbacks?
  var errorHandler: ((FetchedRecordsController<Record>, any Error) -> Void)?
  private(set) var isFetched = false
  private(set) var list = FetchedList()
  private(set) var layout: ListSections
  private var differ: ListDiffer<Record>?
  private var session: ListSession<Record>?
  private let diffQueue = DispatchQueue(label: "Coffer.FetchedRecordsController")
  private let reference = Reference()

  init(
    _ reader: any DatabaseReader, _ request: AnyFetchRequest<Record>, queue: DispatchQueue,
    identity: ListIdentity<Record>, sectionName: (@Sendable (Record) -> String)?
  ) {
    self.reader = reader
    self.queue = queue
    self.identity = identity
    self.sectionName = sectionName
    self.request = request
    layout = sectionName == nil ? ListSections(count: 0) : ListSections(names: [])
    reference.controller = self
  }

  deinit { session?.cancel() }

  /// A reference to the controller, which is only followed on its queue.
  // SAFETY: it is set once, before it is shared; weak references can be read on all threads, and
  // the controller that it returns is only used on its queue.
  private final class Reference: @unchecked Sendable {
    weak var controller: FetchedRecordsController?
  }

  // MARK: Fetching

  /// Fetches the records synchronously.
  ///
  /// The changes from earlier records are not reported.
  ///
  /// From then on the records follow the database, if
  /// ``trackChanges(willChange:onSectionChange:onChange:didChange:)`` was called, before or
  /// afterwards. Call it outside of accesses to the database.
  /// - Throws: An error of the fetch, or of decoding a record. The records are unchanged then, and
  ///   no longer tracked.
  public func performFetch() throws {
    let empty = ListState(
      FetchedList(), sections: emptyLayout, identity: identity, sectionName: sectionName)
    let session = makeSession(from: empty)
    do {
      let batch = try session.begin()
      // The changes are relative to the empty list.
      fetchedRecords = []
      _ = apply(batch)
    } catch {
      stop()
      throw error
    }
    isFetched = true
  }

  /// Fetches on another thread and observes; the changes from the current list are reported.
  func restart() {
    let state = ListState(list, sections: layout, identity: identity, sectionName: sectionName)
    makeSession(from: state).schedule()
  }

  /// Ends the observation.
  func stop() {
    session?.cancel()
    session = nil
    differ = nil
  }

  private var emptyLayout: ListSections {
    sectionName == nil ? ListSections(count: 0) : ListSections(names: [])
  }

  private func makeSession(from state: ListState<Record>) -> ListSession<Record> {
    stop()
    let differ = ListDiffer(state, queue: diffQueue) { [queue, reference] differ, result in
      queue.async { reference.controller?.receive(result, from: differ) }
    }
    let fetch = ListFetch(
      request: request, identity: identity, alongside: callbacks?.fetchAlongside)
    let session = ListSession(
      fetch, reader: reader, differ: differ, isTracking: callbacks != nil)
    self.differ = differ
    self.session = session
    return session
  }

  // MARK: Changes

  private func receive(
    _ result: Result<ListBatch<Record>, any Error>, from differ: ListDiffer<Record>
  ) {
    guard self.differ === differ else { return }
    switch result {
    case .failure(let error): errorHandler?(self, error)
    case .success(let batch):
      guard let callbacks else { return }
      callbacks.willChange?(self, batch.list.alongside)
      // The callback can have changed the request.
      if self.differ === differ { tell(batch, replaced: apply(batch), callbacks) }
      callbacks.didChange?(self, batch.list.alongside)
    }
  }

  /// Replaces the list with a batch's list.
  ///
  /// - Returns: The old records.
  private func apply(_ batch: ListBatch<Record>) -> [Record] {
    let old = fetchedRecords
    if batch.keepsPlaces {
      for (place, record) in batch.fresh { fetchedRecords[place] = record }
    } else {
      fetchedRecords = batch.origins.enumerated().map { place, origin in
        batch.fresh[place] ?? old[origin]
      }
    }
    layout = batch.sections
    list = batch.list
    list.alongside = nil
    return old
  }

  private func tell(_ batch: ListBatch<Record>, replaced old: [Record], _ callbacks: Callbacks) {
    let changes = batch.changes
    if let onSectionChange = callbacks.onSectionChange {
      for index in changes.sectionDeletions { onSectionChange(self, .deletion(index: index)) }
      for index in changes.sectionInsertions { onSectionChange(self, .insertion(index: index)) }
    }
    guard let onChange = callbacks.onChange else { return }
    let new = batch.origins.isEmpty ? [] : fetchedRecords
    let (oldLayout, newLayout) = (batch.oldSections, batch.sections)
    for place in changes.deletions {
      onChange(self, old[place], .deletion(indexPath: oldLayout.indexPath(place)))
    }
    for place in changes.insertions {
      onChange(self, new[place], .insertion(indexPath: newLayout.indexPath(place)))
    }
    for pair in changes.moves {
      let change = FetchedRecordChange.move(
        indexPath: oldLayout.indexPath(pair.old), newIndexPath: newLayout.indexPath(pair.new),
        changes: batch.changedValues[pair.new] ?? [:])
      onChange(self, new[pair.new], change)
    }
    for pair in changes.updates {
      let change = FetchedRecordChange.update(
        indexPath: oldLayout.indexPath(pair.old), changes: batch.changedValues[pair.new] ?? [:])
      onChange(self, new[pair.new], change)
    }
  }
}

@available(*, unavailable)
extension FetchedRecordsController: Sendable {}
