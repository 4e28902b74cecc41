import CofferSQLite

/// What the connections of a database know about its WAL, from the memory that they share.
///
/// See <https://sqlite.org/walformat.html#walidxfmt>.
package struct LogIndex {
  /// The salts in the header of the WAL that is meant.
  package let salts: [UInt8]
  /// The frames that connections read: those up to the last commit.
  package let frameCount: Int
  /// The frames whose pages have been moved to the database file, and are read there.
  package private(set) var movedCount: Int
  /// The pages of the database after the last commit.
  package let pageCount: Int

  /// Reads the shared memory of a connection.
  ///
  /// - Precondition: The connection has a WAL, and isn't in the exclusive locking mode, in which no
  ///   memory is shared: reading would create it.
  /// - Returns: Nil if another connection changes the memory all the time: one whose thread has no
  ///   core right now, or was killed in the middle.
  @safe package init?(of connection: SQLiteConnection) {
    guard let memory = SharedLogMemory(of: connection), let region = unsafe memory.region(0) else {
      return nil
    }
    // SAFETY: the region is larger than that.
    let bytes = unsafe UnsafeRawBufferPointer(start: region, count: FileLayer.indexSize)
    for _ in 0..<100 {
      if let index = unsafe LogIndex(bytes) {
        self = index
        return
      }
    }
    return nil
  }

  /// What the last transaction of a connection that read its main database has seen of the log; nil
  /// if it hasn't looked at one.
  @safe package init?(readBy connection: SQLiteConnection) {
    guard let seen = FileLayer.seenIndex(of: connection),
      let index = unsafe seen.bytes.withUnsafeBytes({ unsafe LogIndex($0, isSeen: true) })
    else { return nil }
    self = index
    if seen.readsFile { movedCount = frameCount }
  }

  /// - Parameters:
  ///   - bytes: The beginning of the shared memory.
  ///   - isSeen: Whether a transaction of SQLite's goes on with them. It has compared the header's
  ///     first copy with its own, and doesn't ask whether a writer is between the two of them.
  private init?(_ bytes: UnsafeRawBufferPointer, isSeen: Bool = false) {
    func word(_ offset: Int) -> Int {
      Int(unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    // First, since it only grows as long as the salts are the same.
    let moved = word(96)
    let header = unsafe Array(bytes[..<48])
    guard header[12] == 1, word(0) == 3_007_000,
      unsafe isSeen || header == Array(bytes[48..<96])
    else { return nil }
    salts = Array(header[32..<40])
    frameCount = word(16)
    pageCount = word(20)
    movedCount = min(moved, frameCount)
  }

  /// The pages of the frames that were not moved, in the order of the frames; nil if they can't be
  /// read.
  ///
  /// - Precondition: `connection` keeps them by a transaction.
  @safe package func pages(in connection: SQLiteConnection) -> [UInt32]? {
    guard movedCount < frameCount else { return [] }
    guard let memory = SharedLogMemory(of: connection) else { return nil }
    var pages: [UInt32] = []
    var frame = movedCount
    while frame < frameCount {
      // The first region has fewer, behind the header.
      let number = (frame + Self.headerWords) / Self.wordsInRegion
      let word = (frame + Self.headerWords) % Self.wordsInRegion
      let count = min(Self.wordsInRegion - word, frameCount - frame)
      guard let region = unsafe memory.region(number) else { return nil }
      // SAFETY: the region has these words, and then a table of hashes.
      let words = unsafe (region + 4 * word).assumingMemoryBound(to: UInt32.self)
      unsafe pages += UnsafeBufferPointer(start: words, count: count)
      frame += count
    }
    return pages
  }

  private static let headerWords = 34
  private static let wordsInRegion = 4096
}
