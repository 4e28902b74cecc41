import Dispatch
import Synchronization

/// The values and errors that an observation delivers.
package final class ValueLog<Value: Sendable>: Sendable {
  private struct State {
    var values: [Value] = []
    var errors: [any Error] = []
    var waiters: [(isDone: @Sendable ([Value], Int) -> Bool, CheckedContinuation<Void, Never>)] =
      []
  }

  private let state = Mutex(State())
  private let arrivals = DispatchSemaphore(value: 0)

  package init() {}

  package var values: [Value] { state.withLock(\.values) }

  package var errors: [any Error] { state.withLock(\.errors) }

  package func append(_ value: Value) { change { $0.values.append(value) } }

  package func fail(_ error: any Error) { change { $0.errors.append(error) } }

  private func change(_ change: (inout State) -> Void) {
    let done = state.withLock { state in
      change(&state)
      let done = state.waiters.filter { $0.isDone(state.values, state.errors.count) }
      state.waiters.removeAll { $0.isDone(state.values, state.errors.count) }
      return done
    }
    for (_, continuation) in done { continuation.resume() }
    arrivals.signal()
  }

  private func wait(_ isDone: @escaping @Sendable ([Value], Int) -> Bool) async {
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        if isDone(state.values, state.errors.count) { return true }
        state.waiters.append((isDone, continuation))
        return false
      }
      if isDone { continuation.resume() }
    }
  }

  /// Blocks the thread until there is a value or an error that no earlier call has waited for.
  package func wait() { arrivals.wait() }

  /// Waits for a number of values, and returns all that have come.
  package func values(atLeast count: Int) async -> [Value] {
    await wait { values, _ in values.count >= count }
    return values
  }

  /// Waits for the error.
  package func error() async -> any Error {
    await errors(atLeast: 1)[0]
  }

  /// Waits for a number of errors, and returns all that have come.
  package func errors(atLeast count: Int) async -> [any Error] {
    await wait { _, errors in errors >= count }
    return errors
  }
}

extension ValueLog where Value: Equatable {
  /// Waits for a value, and returns all that have come.
  package func values(until last: Value) async -> [Value] {
    await wait { values, _ in values.last == last }
    return values
  }
}
