import Dispatch

extension DispatchQueue {
  /// Runs a closure after a time, or later.
  package func async(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
    asyncAfter(deadline: .now() + delay.dispatchInterval, execute: body)
  }
}

extension Duration {
  /// The duration for Dispatch, at most 100 years, and zero for a negative one: more would trap.
  var dispatchInterval: DispatchTimeInterval {
    let time = Swift.min(Swift.max(self, .zero), .seconds(100 * 366 * 86_400)).components
    return .nanoseconds(Int(time.seconds) * 1_000_000_000 + Int(time.attoseconds / 1_000_000_000))
  }
}
