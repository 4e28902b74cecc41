import Dispatch
import Synchronization

/// Work on a thread of its own, for whose end others wait no longer than they want to: a
/// destination may accept a request and never answer.
package final class BackgroundWork<Value: Sendable>: Sendable {
  private let state = Mutex<Result<Value, any Error>?>(nil)
  private let end = DispatchGroup()

  /// Begins the work.
  package init(_ body: @escaping @Sendable () throws -> Value) {
    end.enter()
    DispatchQueue(label: "Coffer.background", qos: .utility).async { [self] in
      let result = Result { try body() }
      state.withLock { $0 = result }
      end.leave()
    }
  }

  /// What the work has returned; nil before its end.
  package var result: Result<Value, any Error>? { state.withLock { $0 } }

  /// Waits for the end of the work, and returns what it has returned.
  package func value() throws -> Value {
    end.wait()
    guard let result else { preconditionFailure("work that has ended has a result") }
    return try result.get()
  }

  /// Waits for the end of the work.
  ///
  /// - Parameter limit: The most time that this takes.
  /// - Returns: What the work has returned; nil if it goes on.
  package func wait(for limit: Duration) -> Result<Value, any Error>? {
    _ = end.wait(timeout: .now() + limit.dispatchInterval)
    return result
  }
}
