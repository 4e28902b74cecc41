import Coffer
import CofferArchive

/// How long the end of a command may take, from its signal on.
struct ArchiveEnd {
  private let limit: Duration
  private var begin: ContinuousClock.Instant?

  init(within limit: Duration) { self.limit = limit }

  /// The time that is left. The first call begins it.
  var remaining: Duration {
    mutating get {
      let begin = begin ?? .now
      self.begin = begin
      return max(.zero, limit - (ContinuousClock.now - begin))
    }
  }

  /// Returns what work that may wait for a destination returns.
  ///
  /// - Throws: The work's error; or ``ArchiveError/notEnded(waitingByteCount:)`` if it hasn't ended
  ///   in time after Ctrl-C.
  mutating func result<Value>(of work: BackgroundWork<Value>) throws -> Value {
    while !Interrupts.isRequested {
      if let result = work.wait(for: .milliseconds(100)) { return try result.get() }
    }
    guard let result = work.wait(for: remaining) else {
      throw ArchiveError.notEnded(waitingByteCount: 0)
    }
    return try result.get()
  }
}
