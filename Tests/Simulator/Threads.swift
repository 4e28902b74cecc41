import Coffer
import CofferTestSupport
import Dispatch
import Foundation

/// Waits for a task's result.
func waitForTask<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) throws -> T {
  let result = Locked<Result<T, any Error>?>(nil)
  let isDone = DispatchSemaphore(value: 0)
  Task {
    do { result.set(.success(try await body())) } catch { result.set(.failure(error)) }
    isDone.signal()
  }
  isDone.wait()
  guard let value = result.value else { throw Violation("a task without a result") }
  return try value.get()
}

/// Waits for a result that a callback gives.
func waitForCallback<T: Sendable>(
  _ body: (@escaping @Sendable (Result<T, any Error>) -> Void) -> Void
) throws -> T {
  let results = Locked<[Result<T, any Error>]>([])
  let isDone = DispatchSemaphore(value: 0)
  body { result in
    results.append(result)
    isDone.signal()
  }
  isDone.wait()
  return try results.value[0].get()
}

/// A thread with a result.
final class Worker<T: Sendable>: Sendable {
  private let result = Locked<Result<T, any Error>?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  init(_ body: @escaping @Sendable () throws -> T) {
    Thread.detachNewThread { [self] in
      result.set(Result { try body() })
      isDone.signal()
    }
  }

  /// To be called once.
  func wait() throws -> T {
    isDone.wait()
    guard let value = result.value else { throw Violation("a thread without a result") }
    return try value.get()
  }
}

/// An access that stays open until it is released.
final class Parked: Sendable {
  private let hasBegun = DispatchSemaphore(value: 0)
  private let mayEnd = DispatchSemaphore(value: 0)
  private let worker = Locked<Worker<State>?>(nil)

  /// Begins an access on another thread.
  /// - Parameter access: Calls its argument inside of the access.
  init(
    _ access: @escaping @Sendable (@escaping @Sendable (Database) throws -> State) throws -> State
  ) {
    let (hasBegun, mayEnd) = (hasBegun, mayEnd)
    worker.set(
      Worker {
        do {
          return try access { db in
            let first = try State.read(db)
            hasBegun.signal()
            mayEnd.wait()
            let second = try State.read(db)
            try require(first == second, "an open access: \(second.difference(from: first))")
            return second
          }
        } catch {
          hasBegun.signal()
          throw error
        }
      })
    hasBegun.wait()
  }

  /// Lets the access end.
  func release() { mayEnd.signal() }

  /// Waits for the end, and returns what was seen.
  func end() throws -> State {
    guard let worker = worker.value else { throw Violation("no access") }
    return try worker.wait()
  }
}
