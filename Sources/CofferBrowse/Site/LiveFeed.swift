import Coffer
import Foundation
import Synchronization

/// Tells event streams that the database has changed.
///
/// Concurrency: any thread.
final class LiveFeed: Sendable {
  private struct State {
    var commits = 0
    var streams = 0
    var isClosed = false
  }

  private static let streamLimit = 16
  /// The seconds between two events of a stream, and the longest silence.
  private static let times = (least: 0.25, most: 10.0)

  private let state: Monitor<State>
  private let queue: DatabaseQueue
  private let observation: AnyDatabaseCancellable

  /// Observes commits by all programs, over a connection of its own.
  init(_ configuration: Configuration, path: String) throws {
    var configuration = configuration
    configuration.observesExternalChanges = true
    let state = Monitor(State())
    self.state = state
    queue = try DatabaseQueue(path: path, configuration: configuration)
    observation = DatabaseRegionObservation(tracking: .fullDatabase).start(
      in: queue, onError: { _ in }, onChange: { _ in state.change { $0.commits += 1 } })
  }

  /// The response with the events; an error page if there are too many.
  func response() -> HTTPResponse {
    let first: Int? = state.change { state in
      guard state.streams < Self.streamLimit, !state.isClosed else { return nil }
      state.streams += 1
      return state.commits
    }
    guard let first else {
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
        let change = state.wait(until: Date(timeIntervalSinceNow: Self.times.most)) {
          $0.isClosed || $0.commits != before ? true : nil
        }
        // The comment shows whether the browser is still there.
        guard change != nil else { return Array(": \n\n".utf8) }
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
