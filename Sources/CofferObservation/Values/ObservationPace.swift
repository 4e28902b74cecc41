import Synchronization

/// Limits how often an observation fetches: not again until an interval after its last value.
///
/// Changes meanwhile are fetched together at the end of the interval.
final class ObservationPace: Sendable {
  private enum Stage {
    /// The next change is fetched at once.
    case idle
    /// A value is being fetched or delivered.
    case busy(hasChanged: Bool)
    /// The interval after a value.
    case resting(hasChanged: Bool)
  }

  let interval: Duration
  /// An observation begins with a fetch.
  private let stage = Mutex(Stage.busy(hasChanged: false))

  init(interval: Duration) { self.interval = interval }

  /// Records a change.
  ///
  /// - Returns: Whether to fetch now; otherwise it is fetched later.
  func noteChange() -> Bool {
    stage.withLock { stage in
      switch stage {
      case .idle:
        stage = .busy(hasChanged: false)
        return true
      case .busy: stage = .busy(hasChanged: true)
      case .resting: stage = .resting(hasChanged: true)
      }
      return false
    }
  }

  /// Records that a value was delivered.
  ///
  /// - Returns: Whether the interval begins.
  func noteDelivery() -> Bool {
    stage.withLock { stage in
      guard case .busy(let hasChanged) = stage else { return false }
      stage = .resting(hasChanged: hasChanged)
      return true
    }
  }

  /// Records that a fetch has led to no value, or that the interval has ended.
  ///
  /// - Returns: Whether to fetch now.
  func goOn() -> Bool {
    stage.withLock { stage in
      switch stage {
      case .busy(hasChanged: true), .resting(hasChanged: true):
        stage = .busy(hasChanged: false)
        return true
      case .idle, .busy, .resting:
        stage = .idle
        return false
      }
    }
  }
}
