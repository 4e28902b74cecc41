import Coffer
import Foundation
import Synchronization

/// Tells event streams that the database has changed.
///
/// Concurrency: any thread.
final class LiveFeed: Sendable {
  private struct State {
    var commits = 0
    /// SQLite's number of the last commit, and when it was asked for.
    var version: Int?
    var looked = Date.distantPast
    var streams = 0
    var isClosed = false
  }

  private static let streamLimit = 16
  /// The seconds between two events of a stream, between two looks at the file, and the longest
  /// silence.
  private static let times = (least: 0.25, look: 1.0, most: 10.0)

  private let state: Monitor<State>
  private let queue: DatabaseQueue
  private let observation: AnyDatabaseCancellable

  /// Observes commits by all programs, over a connection of its own.
  ///
  /// - Parameter isWatching: Whether the system tells of them at once. It may have no watches left.
  init(_ configuration: Configuration, path: String, isWatching: Bool = true) throws {
    var configuration = configuration
    configuration.observesExternalChanges = isWatching
    let watching = try? DatabaseQueue(path: path, configuration: configuration)
    configuration.observesExternalChanges = false
    queue = try watching ?? DatabaseQueue(path: path, configuration: configuration)
    let state = Monitor(State())
    self.state = state
    observation = DatabaseRegionObservation(tracking: .fullDatabase).start(
      in: queue, onError: { _ in }, onChange: { Self.look($0, state) })
    try queue.read { Self.look($0, state) }
  }

  /// Counts what was committed since the last look.
  private static func look(_ db: Database, _ state: Monitor<State>) {
    guard let version = try? Int.fetchOne(db, sql: "PRAGMA data_version") else { return }
    state.change { state in
      if let known = state.version, known != version { state.commits += 1 }
      state.version = version
    }
  }

  /// Looks for commits that no watch has told of: without one, or in a file system of a network.
  private func lookOnce() {
    let isDue = state.change { state in
      guard state.looked.timeIntervalSinceNow < -Self.times.look else { return false }
      state.looked = Date()
      return true
    }
    if isDue { try? queue.read { Self.look($0, state) } }
  }

  /// How many events there were.
  var commits: Int { state.change(\.commits) }

  /// The response with the events after a number of them; an error page if there are too many.
  func response(since first: Int) -> HTTPResponse {
    let isOpened = state.change { state in
      guard state.streams < Self.streamLimit, !state.isClosed else { return false }
      state.streams += 1
      return true
    }
    guard isOpened else {
      return .text("Too many pages are open. Close some of them.", status: 503)
    }
    // What the stream knows, and since when; nil for the date before its beginning.
    let known = Mutex((commits: first, date: Date?.none))
    let stream = BodyStream { [self] _ in
      known.withLock { known in
        guard let last = known.date else {
          known.date = .distantPast
          return Array("retry: 2000\n\n".utf8)
        }
        let before = known.commits
        let end = Date(timeIntervalSinceNow: Self.times.most)
        while state.wait(
          until: Date(timeIntervalSinceNow: Self.times.look),
          { $0.isClosed || $0.commits != before ? true : nil }) == nil
        {
          // The comment shows whether the browser is still there.
          if end.timeIntervalSinceNow < 0 { return Array(": \n\n".utf8) }
          lookOnce()
        }
        // Several commits are one event.
        Thread.sleep(until: last.addingTimeInterval(Self.times.least))
        let now = state.change { $0 }
        if now.isClosed { return [] }
        known = (now.commits, Date())
        return Array("event: commit\ndata: \(now.commits)\n\n".utf8)
      }
    } close: { [self] in
      state.change { $0.streams -= 1 }
    }
    return HTTPResponse(headers: [("Content-Type", "text/event-stream")], body: .stream(stream))
  }

  /// Ends all streams.
  func close() {
    state.change { $0.isClosed = true }
    observation.cancel()
    try? queue.close()
  }
}
