import CofferCore
import CofferRecords
import Dispatch
import Synchronization

/// Turns fetched lists into batches of changes, one after the other, on the controller's diff
/// queue.
///
/// Fetches on readers complete in any order; their lists are compared in the order of their
/// commits. If lists arrive faster than they can be compared, intermediate ones are skipped.
// SAFETY: `state` is only accessed in blocks of `queue`, which is serial; all else is constant,
// atomic, or guarded by the mutex.
final class ListDiffer<Record: FetchableRecord & _SendableMetatype>: @unchecked Sendable {
  /// The maximum number of pending lists that are all compared; of more, only the last one is.
  private static var longestBacklog: Int { 4 }

  private struct Inbox {
    /// The number of the next list.
    var next = 0
    var waiting: [Int: Result<FetchedList, any Error>] = [:]

    /// Removes and returns the pending lists that are next in order.
    mutating func take() -> [Result<FetchedList, any Error>] {
      var taken: [Result<FetchedList, any Error>] = []
      while let list = waiting.removeValue(forKey: next) {
        taken.append(list)
        next += 1
      }
      return taken
    }
  }

  private var state: ListState<Record>
  private let queue: DispatchQueue
  private let inbox = Mutex(Inbox())
  private let isCancelled = Atomic(false)
  private let deliver: @Sendable (ListDiffer, Result<ListBatch<Record>, any Error>) -> Void

  /// - Parameters:
  ///   - state: The current list of the receiver.
  ///   - deliver: Called on the queue with non-empty batches and with errors.
  init(
    _ state: ListState<Record>, queue: DispatchQueue,
    deliver: @escaping @Sendable (ListDiffer, Result<ListBatch<Record>, any Error>) -> Void
  ) {
    self.state = state
    self.queue = queue
    self.deliver = deliver
  }

  /// Drops pending and future lists.
  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// Compares the list with the number 0, synchronously.
  ///
  /// - Returns: The changes, which are not delivered.
  /// - Throws: An error of decoding a record.
  func start(with list: FetchedList) throws -> ListBatch<Record> {
    try queue.sync {
      let batch = try state.advance(to: list)
      inbox.withLock { $0.next = 1 }
      queue.async { [self] in drain() }
      return batch
    }
  }

  /// Schedules the comparison of a list.
  ///
  /// - Parameter number: The position in the order of the lists, from 0; each is used once.
  func submit(_ list: Result<FetchedList, any Error>, number: Int) {
    inbox.withLock { $0.waiting[number] = list }
    queue.async { [self] in drain() }
  }

  private func drain() {
    let lists = inbox.withLock { $0.take() }
    let last = lists.lastIndex { (try? $0.get()) != nil }
    for (index, list) in lists.enumerated() {
      guard !isCancelled.load(ordering: .relaxed) else { return }
      if case .success = list, lists.count > Self.longestBacklog, index != last { continue }
      do {
        let batch = try state.advance(to: list.get())
        if !batch.changes.isEmpty { deliver(self, .success(batch)) }
      } catch { deliver(self, .failure(error)) }
    }
  }
}
