import CofferCore
import Synchronization

extension ValueObservation {
  private func with<Other>(_ reducer: Other) -> ValueObservation<Other> {
    ValueObservation<Other>(
      reducer: reducer, tracking: tracking, events: events, interval: interval,
      requiresWriteAccess: requiresWriteAccess)
  }

  /// Returns an observation of the transformed values.
  ///
  /// An error of `transform` ends the observation.
  ///
  /// `transform` runs outside of the database, and blocks no access.
  public func map<T: Sendable>(
    _ transform: @escaping @Sendable (Reducer.Value) throws -> T
  ) -> ValueObservation<ValueReducers.Map<Reducer, T>> {
    with(ValueReducers.Map(base: reducer, transform: transform))
  }

  /// Returns an observation that skips values equal to the previous one according to `predicate`.
  public func removeDuplicates(
    by predicate: @escaping @Sendable (Reducer.Value, Reducer.Value) -> Bool
  ) -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>> {
    with(ValueReducers.RemoveDuplicates(base: reducer, predicate: predicate))
  }

  /// Returns an observation that skips values equal to the previous one.
  public func removeDuplicates() -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>>
  where Reducer.Value: Equatable {
    removeDuplicates { $0 == $1 }
  }

  /// Returns an observation that delivers at most one value per interval.
  ///
  /// ```swift
  /// let observation = ValueObservation.tracking { try Player.fetchCount($0) }
  ///   .throttle(for: .milliseconds(500))
  /// ```
  ///
  /// The first value is delivered at once, and so is that of a change after a quiet interval.
  /// Changes in the interval after a value are fetched together at its end: the last value is never
  /// skipped, and the commits in between don't wait for a fetch.
  /// - Parameter interval: The time between the delivery of a value and the next fetch. Of several
  ///   intervals, the longest applies.
  public func throttle(for interval: Duration) -> ValueObservation {
    var observation = self
    observation.interval = max(interval, self.interval ?? .zero)
    return observation
  }

  // MARK: Events

  /// Returns an observation that calls functions on events, on any thread unless stated otherwise.
  ///
  /// - Parameters:
  ///   - willStart: Called by `start`.
  ///   - willFetch: Called before each fetch, inside the access.
  ///   - willTrackRegion: Called when the tracked region is known, and whenever it changes.
  ///   - databaseDidChange: Called after a commit that has changed something in the region.
  ///   - didReceiveValue: Called with each value, before it is delivered.
  ///   - didFail: Called with the error that ends the observation.
  ///   - didCancel: Called when the observation is cancelled, on the cancelling thread.
  public func handleEvents(
    willStart: (@Sendable () -> Void)? = nil,
    willFetch: (@Sendable () -> Void)? = nil,
    willTrackRegion: (@Sendable (DatabaseRegion) -> Void)? = nil,
    databaseDidChange: (@Sendable () -> Void)? = nil,
    didReceiveValue: (@Sendable (Reducer.Value) -> Void)? = nil,
    didFail: (@Sendable (any Error) -> Void)? = nil,
    didCancel: (@Sendable () -> Void)? = nil
  ) -> ValueObservation<ValueReducers.Trace<Reducer>> {
    var observation = with(
      ValueReducers.Trace(
        base: reducer, willFetch: willFetch ?? {}, didReceiveValue: didReceiveValue ?? { _ in }))
    observation.events = ValueObservationEvents(
      willStart: both(events.willStart, willStart),
      willTrackRegion: both(events.willTrackRegion, willTrackRegion),
      databaseDidChange: both(events.databaseDidChange, databaseDidChange),
      didFail: both(events.didFail, didFail),
      didCancel: both(events.didCancel, didCancel))
    return observation
  }

  private func both(
    _ first: (@Sendable () -> Void)?, _ second: (@Sendable () -> Void)?
  ) -> (@Sendable () -> Void)? {
    guard let first, let second else { return first ?? second }
    return {
      first()
      second()
    }
  }

  private func both<Argument>(
    _ first: (@Sendable (Argument) -> Void)?, _ second: (@Sendable (Argument) -> Void)?
  ) -> (@Sendable (Argument) -> Void)? {
    guard let first, let second else { return first ?? second }
    return { argument in
      first(argument)
      second(argument)
    }
  }

  /// Returns an observation that prints its events, including values, for debugging.
  ///
  /// - Parameters:
  ///   - prefix: The prefix of all messages.
  ///   - stream: The destination of messages, one per `write`, without a line break; nil for lines
  ///     on standard output.
  public func print(
    _ prefix: String = "", to stream: sending (any TextOutputStream)? = nil
  ) -> ValueObservation<ValueReducers.Trace<Reducer>> {
    let output = MessageOutput(prefix: prefix.isEmpty ? "" : "\(prefix): ", stream: stream)
    return handleEvents(
      willStart: { output.write("start") },
      willFetch: { output.write("fetch") },
      willTrackRegion: { output.write("tracked region: \($0)") },
      databaseDidChange: { output.write("database did change") },
      didReceiveValue: { output.write("value: \($0)") },
      didFail: { output.write("failure: \($0)") },
      didCancel: { output.write("cancel") })
  }
}

/// Writes messages from any thread.
private final class MessageOutput: Sendable {
  private let prefix: String
  private let stream: Mutex<(any TextOutputStream)?>

  init(prefix: String, stream: sending (any TextOutputStream)?) {
    self.prefix = prefix
    self.stream = Mutex(stream)
  }

  func write(_ message: String) {
    stream.withLock { stream in
      if stream == nil {
        Swift.print(prefix + message)
      } else {
        stream?.write(prefix + message)
      }
    }
  }
}
