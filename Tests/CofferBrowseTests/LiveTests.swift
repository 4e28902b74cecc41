import Coffer
import CofferTestSupport
import Foundation
import Testing

@testable import CofferBrowse

/// Events after the commits of others.
struct LiveTests {
  /// The next event of a stream; nil if it has ended.
  private static func event(of stream: BodyStream) throws -> String? {
    while true {
      let text = String(decoding: try stream.next(1_000), as: UTF8.self)
      if text.isEmpty { return nil }
      if text.hasPrefix("event:") { return text }
    }
  }

  @Test(arguments: [Configuration.JournalModeConfiguration.wal, .delete], [true, false])
  func `each commit of another connection is an event, also where nothing can be watched`(
    mode: Configuration.JournalModeConfiguration, isWatching: Bool
  ) throws {
    let file = try BrowsedFile("CREATE TABLE t (a)", journalMode: mode)
    var configuration = Configuration()
    configuration.key = try .raw(BrowsedFile.keyBytes)
    configuration.readonly = true
    let feed = try LiveFeed(configuration, path: file.path, isWatching: isWatching)
    defer { feed.close() }
    guard case .stream(let stream) = feed.response(since: 0).body else {
      Issue.record("no stream")
      return
    }
    defer { stream.close() }
    #expect(String(decoding: try stream.next(1_000), as: UTF8.self).hasPrefix("retry:"))
    for number in 1...3 {
      try file.execute("INSERT INTO t VALUES (?)", [number])
      #expect(try Self.event(of: stream) == "event: commit\ndata: \(number)\n\n")
    }
  }

  @Test(.enabled(if: BrowseServer.isBuilt, "the tool is built without the trait Browse"))
  func `a commit between a page and its stream is an event`() throws {
    let file = try BrowsedFile("CREATE TABLE t (a)")
    let visitor = try file.visit()
    let page = try visitor.get("table?name=t").text
    let found = try #require(page.firstMatch(of: /data-events="([^"]+)"/))
    try file.execute("INSERT INTO t VALUES (1)")
    let stream = try Connection(port: visitor.server.port)
    let request = ["GET \(visitor.resolve(String(found.1))) HTTP/1.1"] + visitor.headers + ["", ""]
    stream.send(request.joined(separator: "\r\n"))
    #expect(stream.receive(until: "event: commit") != nil)
  }
}
