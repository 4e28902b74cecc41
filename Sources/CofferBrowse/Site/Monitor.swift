import Foundation

/// A state that threads change, and wait for.
///
/// Concurrency: any thread.
final class Monitor<State>: Sendable {
  private let condition = NSCondition()
  // SAFETY: only used while `condition` is locked.
  nonisolated(unsafe) private var state: State

  init(_ state: sending State) { unsafe self.state = state }

  /// Changes the state, and wakes those that wait for it.
  func change<T>(_ body: (inout State) throws -> T) rethrows -> T {
    condition.lock()
    defer {
      condition.broadcast()
      condition.unlock()
    }
    return try unsafe body(&state)
  }

  /// Waits until `body` gives a value, which may change the state; nil if it gives none in time.
  ///
  /// - Parameter end: Nil for a wait without an end.
  func wait<T>(
    until end: Date? = nil, _ body: (inout State) throws -> T?
  ) rethrows -> T? {
    condition.lock()
    defer {
      condition.broadcast()
      condition.unlock()
    }
    var isLate = false
    while true {
      if let value = try unsafe body(&state) { return value }
      if isLate { return nil }
      if let end { isLate = !condition.wait(until: end) } else { condition.wait() }
    }
  }
}
