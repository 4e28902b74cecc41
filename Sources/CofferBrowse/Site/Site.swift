import Coffer
import Foundation
import Synchronization

/// The pages of a file, or of the commits of an archive.
///
/// Concurrency: any thread.
final class Site: Sendable {
  private enum Subject {
    case file(Store)
    case archive(ArchiveStores)
  }

  let services: any BrowseServices
  let gate = Gate()
  let remembered = RememberedValues()
  private let subject: Subject
  /// Nil where pages don't follow commits.
  let feed: LiveFeed?
  /// The last queries by the names of their values, the newest first.
  private let history = Mutex<[String]>([])
  private let lastRequest = Mutex(ContinuousClock.now)

  /// Shows a file.
  ///
  /// - Parameter queue: A read-only connection, which is closed by ``close()``.
  init(_ queue: DatabaseQueue, _ services: any BrowseServices) {
    self.services = services
    subject = .file(Store(queue))
    feed = try? LiveFeed(queue.configuration, path: queue.path)
  }

  /// Shows an archive.
  init(_ archive: any BrowsedArchive, _ services: any BrowseServices) {
    self.services = services
    subject = .archive(ArchiveStores(archive))
    feed = nil
  }

  func close() {
    feed?.close()
    switch subject {
    case .file(let store): store.close()
    case .archive(let stores): stores.close()
    }
  }

  /// How long nobody has asked for a page.
  var idleTime: Duration { lastRequest.withLock { ContinuousClock.now - $0 } }

  func respond(_ request: HTTPRequest, port: UInt16) -> HTTPResponse {
    if let refusal = gate.refusal(request, port: port) { return refusal }
    // What the script asks for by itself isn't somebody's work.
    if request.headers["sec-fetch-dest"] != "empty" { lastRequest.withLock { $0 = .now } }
    let pages: any Pages =
      switch subject {
      case .file(let store):
        DatabasePages(
          site: self, request: request, store: store, base: gate.base,
          name: store.path.lastPathPart,
          events: feed.map { gate.base + "events?since=\($0.commits)" })
      case .archive(let stores): ArchivePages(site: self, request: request, archive: stores)
      }
    let path = String(request.path.dropFirst(gate.base.count))
    let posted = ["table", "query", "stop", "check", "open"]
    guard request.method != "POST" || posted.contains(path.lastPathPart) else {
      return pages.failure("No form", "There is no such form.", 405)
    }
    do {
      let response: HTTPResponse? =
        switch path {
        case "style.css": .bytes(PackageResources.browse_css, "text/css")
        case "script.js": .bytes(PackageResources.browse_js, "text/javascript")
        case "events": feed?.response(since: request.number("since"))
        default: try pages.response(path)
        }
      return response ?? pages.failure("Not found", "There is no such page.", 404)
    } catch { return pages.failure(error) }
  }

  // MARK: History

  /// Puts a query in front of the history, which has no place but memory.
  func remember(query name: String) {
    history.withLock { $0 = [name] + $0.filter { $0 != name }.prefix(49) }
  }

  var queries: [(name: String, sql: String)] {
    history.withLock(\.self).compactMap { name in
      (try? remembered.values(name))?.first.flatMap { String.fromDatabaseValue($0) }
        .map { (name, $0) }
    }
  }
}
