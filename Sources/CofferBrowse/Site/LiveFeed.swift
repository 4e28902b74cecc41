import Coffer
import Foundation

/// Tells event streams that the database has changed.
///
/// Concurrency: any thread.
final class LiveFeed: Sendable {
  private static let streamLimit = 16
  /// The time between two events of a stream, and the longest silence.
  private static let times = (least: 0.25, most: 10.0)

  private let condition = NSCondition()
  // SAFETY: only used while `condition` is locked.
  nonisolated(unsafe) private var commits = 0
  nonisolated(unsafe) private var streams = 0
  nonisolated(unsafe) private var isClosed = false
  private let queue: DatabaseQueue
  // SAFETY: as above.
  nonisolated(unsafe) private var observation: AnyDatabaseCancellable?

  /// Observes commits by all programs, over a connection of its own.
  init(_ configuration: Configuration, path: String) throws {
    var configuration = configuration
    configuration.observesExternalChanges = true
    queue = try DatabaseQueue(path: path, configuration: configuration)
    let observation = DatabaseRegionObservation(tracking: .fullDatabase).start(
      in: queue, onError: { _ in },
      onChange: { [weak self] _ in self?.tell() })
    locked { unsafe self.observation = observation }
  }

  private func locked<T>(_ body: () -> T) -> T {
    condition.lock()
    defer { condition.unlock() }
    return body()
  }

  private func tell() {
    locked {
      unsafe commits += 1
      condition.broadcast()
    }
  }

  /// The response with the events; an error page if there are too many.
  func response() -> HTTPResponse {
    let start: Int? = locked {
      guard unsafe streams < Self.streamLimit, unsafe !isClosed else { return nil }
      unsafe streams += 1
      return unsafe commits
    }
    guard let start else {
      return .text("Too many pages are open. Close some of them.", status: 503)
    }
    return HTTPResponse(
      headers: [("Content-Type", "text/event-stream")], body: .stream(Events(self, start)))
  }

  /// Ends all streams.
  func close() {
    let running: AnyDatabaseCancellable? = locked {
      unsafe isClosed = true
      condition.broadcast()
      return unsafe observation
    }
    running?.cancel()
    try? queue.close()
  }

  /// Waits for a commit after a number of them; returns nil at the end, and the same number after a
  /// silence.
  fileprivate func wait(after known: Int, since last: Date) -> Int? {
    // Several commits are one event.
    let first = last.addingTimeInterval(Self.times.least)
    let end = Date(timeIntervalSinceNow: Self.times.most)
    return locked {
      while unsafe !isClosed {
        if unsafe commits != known {
          if first.timeIntervalSinceNow <= 0 { return unsafe commits }
          _ = condition.wait(until: first)
        } else if !condition.wait(until: end) {
          return known
        }
      }
      return nil
    }
  }

  fileprivate func endStream() { locked { unsafe streams -= 1 } }

  /// An event stream of one page.
  private final class Events: BodyStream {
    private let feed: LiveFeed
    // SAFETY: `next` is called by the connection's thread only.
    nonisolated(unsafe) private var known: Int
    nonisolated(unsafe) private var last = Date.distantPast
    nonisolated(unsafe) private var hasBegun = false

    init(_ feed: LiveFeed, _ known: Int) {
      self.feed = feed
      unsafe self.known = known
    }

    func next(_ count: Int) -> [UInt8]? {
      guard unsafe hasBegun else {
        unsafe hasBegun = true
        return Array("retry: 2000\n\n".utf8)
      }
      guard let commits = unsafe feed.wait(after: known, since: last) else { return nil }
      // The comment shows whether the browser is still there.
      guard unsafe commits != known else { return Array(": \n\n".utf8) }
      unsafe known = commits
      unsafe last = Date()
      return Array("event: commit\ndata: \(commits)\n\n".utf8)
    }

    func close() { feed.endStream() }
  }
}
