import Synchronization

/// A connection's configuration, which changes with the key, read from any thread.
final class SharedConfiguration: Sendable {
  private let configuration: Mutex<Configuration>

  init(_ configuration: Configuration) { self.configuration = Mutex(configuration) }

  var value: Configuration { configuration.withLock(\.self) }

  func set(_ newValue: Configuration) { configuration.withLock { $0 = newValue } }
}
