/// Something that goes on until it is cancelled.
public protocol DatabaseCancellable: Sendable {
  /// Ends it; doing so twice does nothing.
  func cancel()
}
