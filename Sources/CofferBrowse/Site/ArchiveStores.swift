import Coffer
import CofferArchive
import Synchronization

/// Commits of an archive, restored to temporary files.
///
/// Concurrency: any thread. A store isn't closed while a page uses it.
final class ArchiveStores: Sendable {
  private struct Opened {
    let commit: ArchiveCommit
    let store: Store
    var users = 0
  }

  /// The most commits that are open at once; the one that wasn't used for longest is closed.
  private static let limit = 4

  private let archive: any BrowsedArchive
  /// The last used comes last.
  private let opened = Mutex<[Opened]>([])
  /// Held while a commit is restored.
  private let restoring = Mutex(())

  init(_ archive: any BrowsedArchive) { self.archive = archive }

  var name: String { archive.name }

  func summary() throws -> ArchiveSummary { try archive.summary() }

  /// The commits that are open.
  var commits: [ArchiveCommit] { opened.withLock { $0.map(\.commit) } }

  /// Restores a commit, unless it is open.
  func open(_ point: ArchivePoint) throws -> ArchiveCommit {
    try restoring.withLock { _ in
      if case .commit(let number) = point, let known = commits.first(where: { $0.number == number })
      {
        return known
      }
      let (commit, queue) = try archive.restore(at: point, configure: BrowseServer.prepare)
      let new = Opened(commit: commit, store: Store(queue))
      close(
        opened.withLock { opened in
          // The point can be that of an open commit.
          if opened.contains(where: { $0.commit.number == commit.number }) { return [new] }
          opened.append(new)
          let surplus = max(0, opened.count - Self.limit)
          let old = Array(opened.filter { $0.users == 0 }.prefix(surplus))
          opened.removeAll { item in old.contains { $0.store === item.store } }
          return old
        })
      return commit
    }
  }

  /// Calls `body` with the store of an open commit.
  ///
  /// - Throws: ``BrowseError/missing(_:)`` if it isn't open.
  func withStore<T>(of number: UInt64, _ body: (Store) throws -> T) throws -> T {
    let store: Store? = opened.withLock { opened in
      guard let index = opened.firstIndex(where: { $0.commit.number == number }) else { return nil }
      opened.append(opened.remove(at: index))
      opened[opened.count - 1].users += 1
      return opened.last?.store
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
      archive.remove(item.store.path)
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
