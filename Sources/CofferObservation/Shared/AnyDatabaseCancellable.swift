import Synchronization

/// A cancellable that calls a function when it is cancelled or deallocated.
///
/// ```swift
/// let cancellable = observation.start(in: queue) { error in … } onChange: { value in … }
/// // The observation lasts as long as `cancellable` is retained.
/// ```
public final class AnyDatabaseCancellable: DatabaseCancellable {
  private let action: Mutex<(@Sendable () -> Void)?>

  /// Creates a cancellable that calls `cancel` once, when it is cancelled or deallocated.
  public init(cancel: @escaping @Sendable () -> Void) { action = Mutex(cancel) }

  /// Creates a cancellable that cancels another one when it is cancelled or deallocated.
  public convenience init(_ base: some DatabaseCancellable) {
    self.init { base.cancel() }
  }

  deinit { cancel() }

  /// Calls the function.
  ///
  /// Has no effect if called again.
  public func cancel() {
    action.withLock { $0.take() }?()
  }
}
