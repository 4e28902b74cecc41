import Dispatch

extension DispatchQueue {
  /// Runs a closure after a time, or later.
  package func async(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
    let nanoseconds = Int(clamping: Int64(delay / .nanoseconds(1)))
    asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: body)
  }
}
