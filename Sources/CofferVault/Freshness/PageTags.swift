import CofferSQLite

/// The beginning of a page's stored HMAC; zeros for a page that was never written.
struct PageTag: Equatable {
  static let byteCount = 16
  var words: (UInt64, UInt64) = (0, 0)

  static func == (one: PageTag, other: PageTag) -> Bool {
    one.words.0 == other.words.0 && one.words.1 == other.words.1
  }
}

extension PageTag {
  /// Reads the tag at an offset of a page.
  init(_ bytes: UnsafeRawBufferPointer, at offset: Int = 0) {
    words = unsafe (
      bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self),
      bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
    )
  }
}

extension CipherSettings {
  /// The offset of the stored HMAC in a page.
  var tagOffset: Int { pageSize - reservedSize + 16 }
}

/// The tags of all pages, the commits that last changed them, and the root over the tags.
///
/// 20 bytes for each page.
struct PageTags {
  private static let chunkSize = 256

  /// The number of pages of the database. There can be tags of further pages, which a transaction
  /// has cut off, and which come back if it grows again before the file is cut.
  private(set) var count: Int
  private var tags: [PageTag]
  private var commits: [UInt32]
  private var digests: [UInt8]
  private var isStale: [Bool]
  /// The number of pages for which the digests were made.
  private var digestedCount: Int

  /// All tags, changed by the same commit.
  init(_ tags: [PageTag], count: Int, commit: UInt32) {
    self.init(tags, commits: [UInt32](repeating: commit, count: tags.count), count: count)
  }

  /// - Precondition: There are as many commits as tags, and at least `count`.
  init(_ tags: [PageTag], commits: [UInt32], count: Int) {
    precondition(tags.count == commits.count && tags.count >= count)
    self.tags = tags
    self.commits = commits
    self.count = count
    digests = []
    isStale = []
    digestedCount = count
  }

  /// The number of pages with a tag, at least ``count``.
  var storedCount: Int { tags.count }

  /// The tag of a page, numbered from 1.
  subscript(page: Int) -> PageTag { tags[page - 1] }

  /// The commit that has last changed a page.
  func commit(of page: Int) -> UInt32 { commits[page - 1] }

  mutating func set(_ page: Int, _ tag: PageTag, commit: UInt32) {
    tags[page - 1] = tag
    commits[page - 1] = commit
    markStale(page - 1)
  }

  private mutating func markStale(_ index: Int) {
    let chunk = index / Self.chunkSize
    if chunk < isStale.count { isStale[chunk] = true }
  }

  /// Takes over the commits of the pages whose tags are the same in `other`.
  mutating func takeCommits(from other: PageTags) {
    for index in 0..<min(tags.count, other.tags.count) where tags[index] == other.tags[index] {
      commits[index] = other.commits[index]
    }
  }

  /// Sets the number of pages. New ones get the tag that `tag` returns.
  mutating func resize(to newCount: Int, commit: UInt32, _ tag: (Int) throws -> PageTag) rethrows {
    while tags.count < newCount {
      tags.append(try tag(tags.count + 1))
      commits.append(commit)
      markStale(tags.count - 1)
    }
    count = newCount
  }

  /// Forgets the tags of pages beyond the count.
  mutating func cut() {
    tags.removeLast(tags.count - count)
    commits.removeLast(commits.count - count)
  }

  // MARK: The root

  /// Returns the root over the tags of all pages.
  ///
  /// - Complexity: In the chunks of 256 pages that have changed since the last call, and in 32
  ///   bytes for each chunk.
  mutating func root(_ keys: FreshnessKeys) throws(FreshnessError) -> [UInt8] {
    let chunkCount = (count + Self.chunkSize - 1) / Self.chunkSize
    let oldCount = min(isStale.count, chunkCount)
    isStale.removeLast(isStale.count - oldCount)
    digests.removeLast(digests.count - 32 * oldCount)
    isStale += [Bool](repeating: true, count: chunkCount - oldCount)
    digests += [UInt8](repeating: 0, count: 32 * (chunkCount - oldCount))
    if digestedCount != count {
      // A chunk that is no longer, or newly, cut by the count.
      for page in [digestedCount, count] where page > 0 {
        let chunk = (page - 1) / Self.chunkSize
        if chunk < chunkCount { isStale[chunk] = true }
      }
      digestedCount = count
    }
    for chunk in 0..<chunkCount where isStale[chunk] {
      let start = chunk * Self.chunkSize
      let end = min(start + Self.chunkSize, count)
      var message = Self.prefix(0, chunk)
      unsafe tags[start..<end].withUnsafeBytes { unsafe message.append(contentsOf: $0) }
      let digest = try keys.code(keys.root, message)
      digests.replaceSubrange((32 * chunk)..<(32 * chunk + 32), with: digest)
      isStale[chunk] = false
    }
    return try keys.code(keys.root, Self.prefix(1, count) + digests)
  }

  /// The kind of a message, and a number.
  private static func prefix(_ kind: UInt8, _ number: Int) -> [UInt8] {
    [kind] + (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  // MARK: Differences

  /// The pages that differ from those that were expected, in ascending order.
  ///
  /// - Parameter isChecked: Whether a page counts.
  /// - Returns: Also whether exactly the pages after some commit differ: then the whole is as it
  ///   was at that commit.
  func differences(
    _ actual: (Int) -> PageTag, where isChecked: (Int) -> Bool
  ) -> (pages: [Int], areLatest: Bool) {
    var pages: [Int] = []
    var earliestDifferent = UInt32.max
    var latestSame: UInt32?
    for page in 1...max(1, count) where page <= count && isChecked(page) {
      let commit = commits[page - 1]
      if actual(page) == tags[page - 1] {
        latestSame = max(latestSame ?? 0, commit)
      } else {
        pages.append(page)
        earliestDifferent = min(earliestDifferent, commit)
      }
    }
    return (pages, !pages.isEmpty && latestSame.map { $0 < earliestDifferent } ?? true)
  }

  // MARK: Bytes

  /// The size of a page's entry in the tag file: its tag and its commit.
  static let entrySize = PageTag.byteCount + 4

  /// Returns the entries of pages, numbered from 1.
  func entries(_ pages: Range<Int>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(pages.count * Self.entrySize)
    for page in pages {
      unsafe withUnsafeBytes(of: tags[page - 1].words) { unsafe bytes.append(contentsOf: $0) }
      unsafe withUnsafeBytes(of: commits[page - 1].littleEndian) {
        unsafe bytes.append(contentsOf: $0)
      }
    }
    return bytes
  }

  /// Reads entries of `count` pages; nil if there are fewer.
  init?(entries bytes: [UInt8], count: Int) {
    guard bytes.count >= count * Self.entrySize else { return nil }
    var tags = [PageTag](repeating: PageTag(), count: count)
    var commits = [UInt32](repeating: 0, count: count)
    unsafe bytes.withUnsafeBytes { bytes in
      for index in 0..<count {
        let offset = index * Self.entrySize
        unsafe tags[index].words = (
          bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self),
          bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
        )
        unsafe commits[index] = UInt32(
          littleEndian: bytes.loadUnaligned(
            fromByteOffset: offset + PageTag.byteCount, as: UInt32.self))
      }
    }
    self.init(tags, commits: commits, count: count)
  }
}
