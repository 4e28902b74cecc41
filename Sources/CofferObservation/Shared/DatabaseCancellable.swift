/// An activity that can be cancelled.
public protocol DatabaseCancellable: Sendable {
  /// Cancels the activity; has no effect if called again.
  func cancel()
}
