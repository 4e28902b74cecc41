import CofferVault
import Synchronization

/// The memory for cached pages that the connections of one database share equally.
///
/// See ``Configuration/cacheSize``.
final class CacheBudget: Sendable {
  private let kibibytes: Int
  private let connectionCount = Atomic(0)
  private let shareOfEach: Atomic<Int>

  /// - Parameter byteCount: The size of all caches together.
  init(byteCount: Int) {
    kibibytes = byteCount / 1_024
    shareOfEach = Atomic(kibibytes)
  }

  /// The size of each connection's cache in KiB.
  var share: Int { shareOfEach.load(ordering: .relaxed) }

  func join() { change(by: 1) }

  func leave() { change(by: -1) }

  private func change(by difference: Int) {
    let count = connectionCount.add(difference, ordering: .relaxed).newValue
    // Two changes at the same time can store their results in the wrong order; the next change
    // corrects the share.
    shareOfEach.store(kibibytes / max(count, 1), ordering: .relaxed)
  }
}

/// A connection's part of the memory for cached pages.
struct CacheShare {
  /// The memory that the connections of the database share.
  let budget: CacheBudget
  /// The share that was last set, in KiB; nil before that.
  var share: Int?
  /// Whether the application has set the size of the cache.
  var isOwnSize = false
  /// The changed pages in it.
  var changedPages: ChangedPages
}

extension Configuration {
  /// Throws if SQLite can't use the cache size.
  func checkCacheSize() throws {
    guard cacheSize < 0 || cacheSize / 1_024 > Int(Int32.max) else { return }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE, message: "Configuration.cacheSize is \(cacheSize)",
      hint: "It is a number of bytes, from 0 to 2 TiB.")
  }
}

extension Database {
  /// Sets the size of the cache, unless the application has set it, after other connections have
  /// opened or closed.
  @inline(__always)
  func adaptCacheSize() {
    guard cache.share != cache.budget.share, !cache.isOwnSize else { return }
    setCacheSize()
  }

  /// Records that the application sets the size of the cache, or the journal mode.
  func notePragma(name: String, value: String?, schema: String?) {
    guard value != nil else { return }
    if name.lowercased() == "journal_mode" { hooks.authorizer.hasAttached = true }
    guard schema ?? "main" == "main" else { return }
    switch name.lowercased() {
    case "cache_size": cache.isOwnSize = true
    case "journal_mode": setup?.hasChosenJournalMode = true
    default: break
    }
  }

  /// Sets the size of the cache to the connection's share.
  func setCacheSize() {
    guard !cache.isOwnSize else { return }
    let share = cache.budget.share
    cache.share = share
    // Only a closed connection refuses this.
    try? withoutTracing { try runSetting("PRAGMA main.cache_size = -\(share)") }
    // The authorizer takes it for a setting of the application.
    cache.isOwnSize = false
  }
}
