/// An asynchronous sequence of an observation's values.
///
/// Each iteration starts a separate observation, with its own first value.
public struct AsyncValueObservation<Element: Sendable>: AsyncSequence, Sendable {
  /// The policy for values that the loop hasn't consumed yet.
  public typealias BufferingPolicy = AsyncThrowingStream<Element, any Error>.Continuation
    .BufferingPolicy

  typealias Start =
    @Sendable (
      _ onError: @escaping @Sendable (any Error) -> Void,
      _ onChange: @escaping @Sendable (Element) -> Void
    ) -> AnyDatabaseCancellable

  let bufferingPolicy: BufferingPolicy
  let start: Start

  /// Starts an observation, which ends when the iterator is deallocated.
  public func makeAsyncIterator() -> Iterator {
    let (stream, continuation) = AsyncThrowingStream.makeStream(
      of: Element.self, bufferingPolicy: bufferingPolicy)
    let cancellable = start(
      { continuation.finish(throwing: $0) }, { continuation.yield($0) })
    // Captured weakly, since the observation retains the continuation.
    continuation.onTermination = { [weak cancellable] _ in cancellable?.cancel() }
    return Iterator(base: stream.makeAsyncIterator(), cancellable: cancellable)
  }

  /// An iterator that waits for one value after another.
  public struct Iterator: AsyncIteratorProtocol {
    var base: AsyncThrowingStream<Element, any Error>.Iterator
    let cancellable: AnyDatabaseCancellable

    /// Whether the error was already thrown.
    var hasFailed = false

    /// Returns the next value.
    ///
    /// Nil if the task is cancelled.
    /// - Throws: The error that has ended the observation; only once.
    public mutating func next() async throws -> Element? { try await next(isolation: nil) }

    /// Returns the next value.
    ///
    /// Nil if the task is cancelled.
    /// - Throws: The error that has ended the observation; only once.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws -> Element? {
      guard !hasFailed else { return nil }
      do { return try await base.next(isolation: actor) } catch {
        hasFailed = true
        throw error
      }
    }
  }
}
