import Dispatch
import Synchronization

/// Lets so many sessions work at once, such as those of one store: the others wait in line, without
/// a thread of their own.
///
/// So it bounds the connections to a store, too: each attempt of a session has one.
package final class ArchiveGate: Sendable {
  private struct State {
    var free: Int
    var waiting: [@Sendable () -> Void] = []
  }

  private let state: Mutex<State>
  /// The threads of all sessions behind gates.
  static let threads = DispatchQueue.global(qos: .utility)

  /// - Parameter count: How many work at once, at least 1.
  package init(_ count: Int) {
    precondition(count > 0)
    state = Mutex(State(free: count))
  }

  /// Calls `body` on a thread of all sessions, as soon as there is room.
  package func run(_ body: @escaping @Sendable () -> Void) { run(on: Self.threads, body) }

  func run(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
    let work: @Sendable () -> Void = { [self] in
      queue.async { [self] in
        body()
        leave()
      }
    }
    let isFree = state.withLock { state in
      guard state.free > 0 else {
        state.waiting.append(work)
        return false
      }
      state.free -= 1
      return true
    }
    if isFree { work() }
  }

  private func leave() {
    let next = state.withLock { state -> (@Sendable () -> Void)? in
      guard !state.waiting.isEmpty else {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?()
  }
}
