import Coffer
import CofferArchive
import Foundation
import Synchronization

/// Commits of an archive, restored to temporary files.
///
/// Concurrency: any thread. A store isn't closed while a page uses it.
final class ArchiveStores: Sendable {
  private struct Opened {
    var commit: ArchiveCommit
    var store: Store
    var users = 0
  }

  /// The most commits that are open at once; the one that wasn't used for longest is closed.
  private static let limit = 4

  private let source: BrowsedArchive
  /// The last used comes last.
  private let opened = Mutex<[Opened]>([])
  /// Held while a commit is restored.
  private let restoring = Mutex(())

  var name: String { source.name }

  init(_ source: BrowsedArchive) { self.source = source }

  func summary() throws -> ArchiveSummary {
    try source.archive.summary(key: source.key, cipher: source.cipher)
  }

  /// The numbers of the commits that are open.
  var commits: [ArchiveCommit] { opened.withLock { $0.map(\.commit) } }

  /// Restores a commit, unless it is open.
  func open(_ point: ArchivePoint) throws -> ArchiveCommit {
    try restoring.withLock { _ in
      if case .commit(let number) = point, let known = commits.first(where: { $0.number == number })
      {
        return known
      }
      let path = try source.makeFile()
      do {
        let commit = try source.archive.restore(
          to: path, at: point, key: source.key, cipher: source.cipher)
        if commits.contains(where: { $0.number == commit.number }) {
          source.removeFile(path)
          return commit
        }
        var configuration = Configuration()
        configuration.key = source.key
        configuration.cipher = source.cipher
        BrowseServer.prepare(&configuration)
        let store = Store(try DatabaseQueue(path: path, configuration: configuration))
        close(
          opened.withLock { opened in
            opened.append(Opened(commit: commit, store: store))
            let surplus = opened.count - Self.limit
            let old = surplus > 0 ? Array(opened.filter { $0.users == 0 }.prefix(surplus)) : []
            opened.removeAll { item in old.contains { $0.store === item.store } }
            return old
          })
        return commit
      } catch {
        source.removeFile(path)
        throw error
      }
    }
  }

  /// Calls `body` with the store of an open commit.
  ///
  /// - Throws: ``BrowseError/missing(_:)`` if it isn't open.
  func withStore<T>(of number: UInt64, _ body: (Store) throws -> T) throws -> T {
    let store: Store? = opened.withLock { opened in
      guard let index = opened.firstIndex(where: { $0.commit.number == number }) else { return nil }
      var item = opened.remove(at: index)
      item.users += 1
      opened.append(item)
      return item.store
    }
    guard let store else {
      throw BrowseError.missing("Commit \(number) isn't open any more. Open it in the time line.")
    }
    defer {
      opened.withLock { opened in
        if let index = opened.firstIndex(where: { $0.store === store }) { opened[index].users -= 1 }
      }
    }
    return try body(store)
  }

  private func close(_ items: [Opened]) {
    for item in items {
      item.store.close()
      source.removeFile(item.store.path)
    }
  }

  /// Closes all, and removes their files.
  func close() {
    close(
      opened.withLock { opened in
        defer { opened = [] }
        return opened
      })
  }
}
