import Dispatch
import Synchronization

@testable import Coffer

/// What an observation has delivered.
final class DocumentLog<Value: Sendable>: Sendable {
  private struct State {
    var values: [Value] = []
    var errors: [any Error] = []
  }

  private let state = Mutex(State())
  private let arrived = DispatchSemaphore(value: 0)

  func append(_ value: Value) {
    state.withLock { $0.values.append(value) }
    arrived.signal()
  }

  func fail(_ error: any Error) {
    state.withLock { $0.errors.append(error) }
    arrived.signal()
  }

  var values: [Value] { state.withLock(\.values) }
  var errors: [any Error] { state.withLock(\.errors) }

  /// Waits for so many more values or errors.
  func wait(for count: Int = 1) -> Bool {
    (0..<count).allSatisfy { _ in arrived.wait(timeout: .now() + 60) == .success }
  }
}
