import Synchronization

/// Ends what goes on when it is cancelled, or when it dies.
///
/// ```swift
/// let cancellable = observation.start(in: queue) { error in … } onChange: { value in … }
/// // The observation lasts as long as somebody retains `cancellable`.
/// ```
public final class AnyDatabaseCancellable: DatabaseCancellable {
  private let action: Mutex<(@Sendable () -> Void)?>

  /// A cancellable that calls `cancel` once, when it is cancelled or dies.
  public init(cancel: @escaping @Sendable () -> Void) { action = Mutex(cancel) }

  /// A cancellable that cancels another one, when it is cancelled or dies.
  public convenience init(_ base: some DatabaseCancellable) {
    self.init { base.cancel() }
  }

  deinit { cancel() }

  /// Ends what goes on; doing so twice does nothing.
  public func cancel() {
    let action = action.withLock { action in
      defer { action = nil }
      return action
    }
    action?()
  }
}
