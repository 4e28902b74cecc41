import Coffer
import Foundation
import Synchronization

/// Serves the pages of a file or of an archive to one browser on this machine, until it is stopped
/// or nobody has used them for a while.
package final class BrowseServer: Sendable {
  /// Why there are no pages.
  package enum Failure: Error {
    /// The program was built without the trait `Browse`.
    case unavailable
    case portInUse
  }

  /// Whether the program was built with the trait `Browse`.
  package static var isAvailable: Bool {
    #if Browse
      true
    #else
      false
    #endif
  }

  /// What a configuration needs to be a page's: little memory, and no writes.
  package static func prepare(_ configuration: inout Configuration) {
    configuration.readonly = true
    configuration.cacheSize = Store.cacheSize
    configuration.statementCacheCapacity = 16
  }

  /// The memory that SQLite takes at most: caches, values and sorts of all connections, in bytes.
  static let memoryLimit = 20 << 20

  private let site: Site
  private let isStopped = Monitor(false)

  /// - Parameter queue: A read-only connection of a configuration after ``prepare(_:)``.
  package init(file queue: DatabaseQueue, services: any BrowseServices) {
    site = Site(queue, services)
  }

  package init(archive: any BrowsedArchive, services: any BrowseServices) {
    site = Site(archive, services)
  }

  /// Serves pages until ``stop()``, or until nobody has asked for one for a while.
  ///
  /// - Parameters:
  ///   - port: 0 for a free one.
  ///   - log: Called with each request that was answered, from any thread.
  ///   - started: Called with the address that opens one browser once.
  /// - Throws: ``Failure``.
  package func run(
    port: UInt16 = 0, idle: Duration = .seconds(1_800),
    log: (@Sendable (BrowsedRequest) -> Void)? = nil, started: (String) throws -> Void
  ) throws {
    defer { site.close() }
    #if Browse
      // The limit is the process's. Without the sizes of texts, pages read whole ones.
      if ShownValue.knowsTextSizes {
        try DatabaseQueue().inDatabase {
          try $0.execute(sql: "PRAGMA hard_heap_limit = \(Self.memoryLimit)")
        }
      }
      let boundPort = Mutex<UInt16>(port)
      let server = HTTPServer(port: port) { [site] request in
        let begin = ContinuousClock.now
        let response = site.respond(request, port: boundPort.withLock(\.self))
        let base = site.gate.base
        let path = request.path.hasPrefix(base) ? request.path.dropFirst(base.count) : nil
        log?((request.method, path.map(String.init), response.status, .now - begin))
        return response
      }
      guard let server else { throw Failure.portInUse }
      boundPort.withLock { $0 = server.port }
      defer {
        // Ends the reads and streams that the server would wait for.
        site.close()
        server.stop()
      }
      try started("http://127.0.0.1:\(server.port)/?token=\(site.gate.token)")
      while site.idleTime < idle,
        isStopped.wait(until: Date(timeIntervalSinceNow: 1), { $0 ? true : nil }) == nil
      {}
    #else
      throw Failure.unavailable
    #endif
  }

  /// Ends ``run(port:idle:started:)``, from any thread.
  package func stop() { isStopped.change { $0 = true } }
}
