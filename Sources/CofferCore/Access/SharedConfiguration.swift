import Synchronization

/// The settings that further connections to the same file need, readable from any thread.
final class SharedConfiguration: Sendable {
  struct Value: Sendable {
    var configuration: Configuration
    /// The derived key of the file.
    var knownKey: KnownKey?
  }

  private let state: Mutex<Value>

  init(_ configuration: Configuration) {
    state = Mutex(Value(configuration: configuration))
  }

  var value: Value { state.withLock(\.self) }

  func set(_ newValue: Value) { state.withLock { $0 = newValue } }
}

extension Database {
  /// Publishes the settings that further connections need.
  func shareConfiguration() {
    var value = SharedConfiguration.Value(configuration: configuration)
    value.knownKey = keying.own
    sharedConfiguration.set(value)
  }
}
