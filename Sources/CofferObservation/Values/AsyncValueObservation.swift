/// The values of an observation, as an asynchronous sequence.
///
/// Each iteration is an observation of its own, with its own first value.
public struct AsyncValueObservation<Element: Sendable>: AsyncSequence, Sendable {
  /// What becomes of values that the loop hasn't asked for yet.
  public typealias BufferingPolicy = AsyncThrowingStream<Element, any Error>.Continuation
    .BufferingPolicy

  typealias Start =
    @Sendable (
      _ onError: @escaping @Sendable (any Error) -> Void,
      _ onChange: @escaping @Sendable (Element) -> Void
    ) -> AnyDatabaseCancellable

  let bufferingPolicy: BufferingPolicy
  let start: Start

  /// Starts an observation, which is over when the iterator dies.
  public func makeAsyncIterator() -> Iterator {
    let (stream, continuation) = AsyncThrowingStream.makeStream(
      of: Element.self, bufferingPolicy: bufferingPolicy)
    let cancellable = start(
      { continuation.finish(throwing: $0) }, { continuation.yield($0) })
    // Not retained: the observation retains the continuation.
    continuation.onTermination = { [weak cancellable] _ in cancellable?.cancel() }
    return Iterator(base: stream.makeAsyncIterator(), cancellable: cancellable)
  }

  /// Waits for one value after another.
  public struct Iterator: AsyncIteratorProtocol {
    var base: AsyncThrowingStream<Element, any Error>.Iterator
    let cancellable: AnyDatabaseCancellable

    /// Whether the error was thrown.
    var hasFailed = false

    /// The next value; nil where the task is cancelled.
    ///
    /// - Throws: The error that has ended the observation; once.
    public mutating func next() async throws -> Element? { try await next(isolation: nil) }

    /// The next value; nil where the task is cancelled.
    ///
    /// - Throws: The error that has ended the observation; once.
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
