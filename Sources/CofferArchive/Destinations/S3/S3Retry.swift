#if S3
  import Glibc

  /// The attempts that a request has left, and the time.
  struct S3Retry {
    static let firstDelay = 0.1
    static let longestDelay = 20.0

    private let clock = ContinuousClock()
    private let deadline: ContinuousClock.Instant
    private let attempts: Int
    private var attempt = 1

    init(_ options: S3Options) {
      attempts = options.attempts
      deadline = clock.now.advanced(by: .seconds(options.requestTimeLimit))
    }

    /// The seconds that are left.
    var remaining: Double { (deadline - clock.now) / .seconds(1) }

    /// Waits for the next attempt; returns false if none is left.
    ///
    /// - Parameter seconds: What the store has asked for.
    mutating func wait(atLeast seconds: Double) -> Bool {
      let delay = max(seconds, Double.random(in: 0...S3Retry.ceiling(attempt)))
      guard attempt < attempts, delay < remaining else { return false }
      attempt += 1
      let end = clock.now.advanced(by: .seconds(delay))
      while clock.now < end {
        let left = (end - clock.now) / .seconds(1)
        usleep(useconds_t(max(1, min(left, 0.5) * 1_000_000)))
      }
      return true
    }

    /// The longest delay after an attempt, numbered from 1.
    static func ceiling(_ attempt: Int) -> Double {
      min(longestDelay, firstDelay * Double(1 << min(attempt - 1, 20)))
    }
  }
#endif
