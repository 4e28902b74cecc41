import Coffer
import CofferDrawing
import Foundation
import Synchronization

/// The pages of a file, or of the commits of an archive.
///
/// Concurrency: any thread.
final class Site: Sendable {
  let services: BrowseServices
  let gate = Gate()
  let remembered = RememberedValues()
  private let file: Store?
  private let feed: LiveFeed?
  let archive: ArchiveStores?
  /// The last queries by the names of their values, the newest first.
  private let history = Mutex<[String]>([])
  private let lastRequest = Mutex(ContinuousClock.now)

  var base: String { gate.base }
  var formToken: String { gate.formToken }
  var hasArchive: Bool { archive != nil }
  var isLive: Bool { feed != nil }

  /// Shows a file.
  ///
  /// - Parameter queue: A read-only connection, which is closed by ``close()``.
  init(_ queue: DatabaseQueue, _ services: BrowseServices) {
    self.services = services
    file = Store(queue)
    // A system without watches left has pages that don't follow commits.
    feed = try? LiveFeed(queue.configuration, path: queue.path)
    archive = nil
  }

  /// Shows an archive.
  init(_ archive: BrowsedArchive, _ services: BrowseServices) {
    self.services = services
    self.archive = ArchiveStores(archive)
    (file, feed) = (nil, nil)
  }

  func close() {
    feed?.close()
    file?.close()
    archive?.close()
  }

  /// How long nobody has asked for a page.
  var idleTime: Duration { lastRequest.withLock { ContinuousClock.now - $0 } }

  func respond(_ request: HTTPRequest, port: UInt16) -> HTTPResponse {
    switch gate.check(request, port: port) {
    case .reply(let response): return response
    case .page(let path):
      // What the script asks for by itself isn't somebody's work.
      if request.headers["sec-fetch-dest"] != "empty" { lastRequest.withLock { $0 = .now } }
      do {
        return try page(path, request) ?? failure("Not found", "There is no such page.", 404)
      } catch { return failure(error) }
    }
  }

  private func page(_ path: String, _ request: HTTPRequest) throws -> HTTPResponse? {
    let posted = ["table", "query", "stop", "check", "open"]
    guard request.method != "POST" || posted.contains(path.lastPathPart) else {
      return failure("No form", "There is no such form.", 405)
    }
    switch path {
    case "style.css": return .text(PackageResources.browse_css, type: "text/css")
    case "script.js": return .text(PackageResources.browse_js, type: "text/javascript")
    case "events": return feed?.response()
    default: break
    }
    if let archive {
      let pages = ArchivePages(site: self, archive: archive, request: request)
      if let response = try pages.response(path) { return response }
      let parts = path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3, parts[0] == "at", let commit = UInt64(parts[1]) else { return nil }
      return try archive.withStore(of: commit) { store in
        let place = Place(store: store, base: "\(base)at/\(commit)/", commit: commit)
        return try PageMaker(site: self, place: place, request: request)
          .response(String(parts[2]))
      }
    }
    guard let file else { return nil }
    return try PageMaker(site: self, place: Place(store: file, base: base), request: request)
      .response(path)
  }

  // MARK: Errors

  private func failure(_ error: any Error) -> HTTPResponse {
    switch error {
    case BrowseError.missing(let text): failure("Not found", text, 404)
    case BrowseError.refused(let text): failure("Not possible", text, 400)
    case BrowseError.tooLong:
      failure(
        "Too long", "Reading took longer than a page may take, and was ended. Narrow it down.", 503)
    case BrowseError.stopped: failure("Stopped", "The query was stopped.", 503)
    default: failure("Failed", String("\(error)".prefix(2_000)), 500)
    }
  }

  private func failure(_ title: String, _ text: String, _ status: Int) -> HTTPResponse {
    let links: [(PageMaker.Section, String)] =
      hasArchive
      ? [(.archive, base + "archive")]
      : [(.overview, base), (.schema, base + "schema"), (.query, base + "query")]
    let page = document(
      title, name: archive?.name ?? file?.path.lastPathPart ?? "", commit: nil, links: links,
      section: nil, isLive: false
    ) {
      HTML.element("p", ["class": "error", "role": "alert"]) { text }
    }
    return .page(page, status: status)
  }

  // MARK: History

  /// Puts a query in front of the history, which has no place but memory.
  func remember(query name: String) {
    history.withLock { history in
      history.removeAll { $0 == name }
      history.insert(name, at: 0)
      if history.count > 50 { history.removeLast() }
    }
  }

  var queries: [(name: String, sql: String)] {
    history.withLock(\.self).compactMap { name in
      (try? remembered.values(name))?.first.flatMap { String.fromDatabaseValue($0) }
        .map { (name, $0) }
    }
  }
}
