import CofferCore
import CofferRecords
import Dispatch
import Synchronization

/// Turns fetched lists into batches of changes, one after the other, on its controller's queue.
///
/// Fetches on readers end in any order; they are compared in the order of the commits that they
/// come from. Where they come faster than they can be compared, those in between are left out.
// SAFETY: `state` is touched in blocks of `queue` alone, which is serial; all else is constant,
// atomic, or guarded by the mutex.
final class ListDiffer<Record: FetchableRecord & _SendableMetatype>: @unchecked Sendable {
  /// Of more lists that wait, only the last one is looked at.
  private static var longestBacklog: Int { 4 }

  private struct Inbox {
    /// The number of the list that is next.
    var next = 0
    var waiting: [Int: Result<FetchedList, any Error>] = [:]

    /// Takes the lists that are next.
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
  ///   - state: The list that the receiver has.
  ///   - deliver: Called on the queue with batches that aren't empty, and with errors.
  init(
    _ state: ListState<Record>, queue: DispatchQueue,
    deliver: @escaping @Sendable (ListDiffer, Result<ListBatch<Record>, any Error>) -> Void
  ) {
    self.state = state
    self.queue = queue
    self.deliver = deliver
  }

  /// Drops what waits, and what still comes.
  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// Compares the list with the number 0, before it returns.
  ///
  /// - Returns: The changes, which are not delivered.
  /// - Throws: What a record throws that can't be made of its row.
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
  /// - Parameter number: Its place in the order of the lists, from 0 on; each is given once.
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
