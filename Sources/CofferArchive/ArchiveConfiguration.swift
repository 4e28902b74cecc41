import CofferCore
import FoundationEssentials

/// How an archive is written.
public struct ArchiveConfiguration: Sendable {
  /// The time between two reads of the commits: one second by default, and at least 10 ms.
  ///
  /// An idle database causes no requests. One that changes causes one object in this time.
  public var interval: Duration = .seconds(1)

  /// How long what can be restored is kept.
  public var retention = ArchiveRetention()

  /// How often all pages are archived anew: each 7 days by default.
  ///
  /// A restore takes the last of these copies, and what has changed since.
  public var snapshotInterval: Duration = .seconds(7 * 86_400)

  /// The times between two layers of levels 0 to 2, which have the pages that were changed since
  /// the last one: 5 minutes, an hour and a day by default.
  ///
  /// Shorter ones make restores shorter, and store pages more often. Pruning is due at the first of
  /// them, and these are what the retention calls 5 minutes, hours and days.
  /// - Precondition: Three, in ascending order.
  public var layerIntervals: [Duration] {
    get { levelIntervals }
    set {
      precondition(newValue.count == 3 && newValue == newValue.sorted())
      levelIntervals = newValue
    }
  }

  /// The size from which the write-ahead log isn't kept any longer for a destination that is away:
  /// 1 GiB by default.
  ///
  /// What was committed until then stays in the database, but its commits can't be restored one by
  /// one: as soon as the destination is back, all pages are archived.
  public var maximumLogSize = 1 << 30

  /// Whether to take the archive over from any other writer, which has to be gone for good.
  ///
  /// What stays in a program's configuration wins again and again: prefer
  /// ``takesOverWriter``.
  public var takesOver = false

  /// The number of the writer from which to take the archive over, which has to be gone for good;
  /// nil for none. ``ArchiveSummary/writer`` has it.
  ///
  /// Each session has another number, so that this takes over once.
  public var takesOverWriter: UInt64?

  /// Creates the default configuration.
  public init() {}

  /// Returns the time until the next attempt, after so many failures in a row.
  ///
  /// Not all wait alike, where a destination comes back to many.
  func pause(after failures: Int) -> Duration {
    let interval = max(interval, .milliseconds(10))
    guard failures > 0 else { return interval }
    let most = min(interval * (1 << min(failures - 1, 8)), max(interval, .seconds(30)))
    return max(interval, most * Double.random(in: 0.5...1))
  }

  /// Returns the time until a follower's next look, after so many in a row that have found nothing:
  /// one that is idle asks an object store less and less.
  func pause(afterIdleLooks count: Int) -> Duration {
    let interval = pause(after: 0)
    return max(interval, min(interval * Double(count) / 6, .seconds(10)))
  }

  /// Whether a writer may use an archive with this newest manifest.
  ///
  /// - Parameter writer: Its random number; nil for one that nobody knows.
  func admits(_ writer: [UInt8]?, _ manifest: Manifest) -> Bool {
    manifest.isReleased && !manifest.isBound || manifest.writer == writer || takesOver
      || takesOverWriter == manifest.fence
  }

  // MARK: Tests

  /// The clock of dates.
  var now: @Sendable () -> Date = { Date() }
  /// The clock of intervals.
  var elapsed: @Sendable () -> Duration = {
    let start = ContinuousClock().systemEpoch
    return start.duration(to: .now)
  }
  /// The intervals of levels 0 to 2.
  var levelIntervals: [Duration] = [.seconds(300), .seconds(3_600), .seconds(86_400)]
  var limits = CommitCapture.Limits()
  /// How often a writer looks for one that has taken over.
  var leaseInterval: Duration = .seconds(20)
  /// The same of one that is idle, where a look is a request.
  var idleLeaseInterval: Duration = .seconds(600)
}

/// How long an archive keeps what can be restored.
///
/// The last commit can be restored at any time, whatever its age.
public struct ArchiveRetention: Sendable, Hashable {
  /// For how long each commit: a day by default.
  public var commits: Duration = .seconds(86_400)
  /// For how long a state each 5 minutes: 3 days by default.
  public var fiveMinutes: Duration = .seconds(3 * 86_400)
  /// For how long a state each hour: 14 days by default.
  public var hours: Duration = .seconds(14 * 86_400)
  /// For how long a state each day: 90 days by default.
  public var days: Duration = .seconds(90 * 86_400)

  /// Creates the default retention.
  public init() {}

  /// Creates a retention.
  public init(commits: Duration, fiveMinutes: Duration, hours: Duration, days: Duration) {
    (self.commits, self.fiveMinutes, self.hours, self.days) = (commits, fiveMinutes, hours, days)
  }

  /// The retention of the ends of a level's layers; copies of all pages are kept as days are.
  func time(ofLevel level: Int) -> Duration { [fiveMinutes, hours, days, days][level] }
}
