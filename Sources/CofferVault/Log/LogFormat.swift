import CofferSQLite

// The write-ahead log, and this library's rules for it.
//
// FORMAT. A log is a header of 32 bytes and frames of 24 bytes and a page each. All numbers have
// the highest byte first. https://sqlite.org/fileformat2.html#walformat
//
//   header   0  magic: 0x377f0682, or 0x377f0683 if checksums are of big-endian words
//            4  format: 3007000
//            8  page size
//           12  number of checkpoints
//           16  two salts: the first is one higher in each log that begins anew, the second random
//           24  checksum of the 24 bytes before
//   frame    0  page number
//            4  the database's pages after the commit, in a commit's last frame; otherwise 0
//            8  the header's salts
//           16  checksum
//           24  the page, as it is stored in the database's file: encrypted
//
// CHECKSUMS. A pair of words, to which each pair of words of the bytes is added in turn. That of a
// frame goes on from that of the frame before it, over its first 8 bytes and its page. So a frame
// is valid only if all before it are.
//
// END. A log ends at the first frame whose salts or checksum are others: what is behind it is left
// of an earlier log. Of the frames before it, those up to the last commit count.
//
// INDEX. Connections share the number of committed frames and their pages in memory (LogIndex), and
// read those frames without a look at checksums. A log is searched by its checksums only where
// nobody has it open: by recovery, and here.
//
// BEGINNING ANEW. When all frames are in the database's file and nobody reads the log, the next
// writer puts a header with other salts in place, and its frames over the old ones.
//
// RULES of this library:
//
// 1. The frames that an index counts are trusted as SQLite trusts them, with salts compared, since
//    a log can begin anew while it is read. Anything behind them needs checksums (LogReader).
// 2. No frame is moved to the file before each LogFollower has seen it: freshness records it, an
//    archive copies it. A follower that fails keeps the frames, and the log grows.
// 3. A log that must not begin anew is held by a read transaction (LogHold), never by a lock of
//    this library's own.
// 4. Frames are written by SQLite, and in a follower's file by LogAppender, which takes the same
//    locks and syncs before it changes the index.

/// The places of values in a log.
package struct LogLayout: Sendable {
  package static let headerSize = 32
  package static let frameHeaderSize = 24

  package let pageSize: Int

  package init(pageSize: Int) { self.pageSize = pageSize }

  package var frameSize: Int { Self.frameHeaderSize + pageSize }

  /// The offset of a frame, numbered from 1.
  package func offset(ofFrame frame: Int) -> Int { Self.headerSize + (frame - 1) * frameSize }
}

/// The header of a log.
package struct LogHeader {
  package let pageSize: Int
  /// Eight bytes that each of its frames has.
  package let salts: [UInt8]
  /// The checksum from which that of the first frame goes on.
  package let checksum: LogChecksum

  /// - Returns: Nil if there are too few bytes, or others than SQLite writes.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == LogLayout.headerSize, bytes.integer32(at: 0) & ~1 == Self.magic,
      bytes.integer32(at: 4) == Self.format
    else { return nil }
    var sum = LogChecksum(isBigEndian: bytes[3] & 1 == 1)
    unsafe bytes[..<24].withUnsafeBytes { sum.add($0) }
    guard sum.isStored(in: bytes[24...]) else { return nil }
    pageSize = bytes.integer32(at: 8)
    salts = Array(bytes[16..<24])
    checksum = sum
  }

  /// Returns the bytes of a new log's header, whose checksums are of little-endian words, and its
  /// checksum.
  package static func bytes(
    pageSize: Int, salts: [UInt8]
  ) -> (bytes: [UInt8], checksum: LogChecksum) {
    var bytes: [UInt8] = []
    for word in [UInt32(magic), UInt32(format), UInt32(pageSize), 0] {
      bytes += word.littleEndianBytes.reversed()
    }
    bytes += salts
    var sum = LogChecksum(isBigEndian: false)
    unsafe bytes.withUnsafeBytes { sum.add($0) }
    return (bytes + sum.bytes, sum)
  }

  private static let magic = 0x377F_0682
  private static let format = 3_007_000

  /// Whether a log with `next` can be one with `salts` that was started again.
  ///
  /// SQLite adds one to the first salt each time, also where the log's file then can't be
  /// truncated.
  static func isSuccessor(_ next: [UInt8], of salts: [UInt8]) -> Bool {
    func number(_ salts: [UInt8]) -> UInt32 { UInt32(salts.integer32(at: 0)) }
    guard next.count == 8, salts.count == 8 else { return false }
    return (1...8).contains(number(next) &- number(salts))
  }
}

/// The header of a frame.
package struct LogFrame {
  package let page: UInt32
  /// The number of the database's pages, in the last frame of a commit; otherwise 0.
  package let pageCount: Int
  private let salts: UInt64
  fileprivate let checksum: (UInt32, UInt32)

  /// - Parameter bytes: A frame, or its header.
  init(_ bytes: UnsafeRawBufferPointer) {
    func word(_ offset: Int) -> UInt32 {
      unsafe UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    (page, pageCount, checksum) = (word(0), Int(word(4)), (word(16), word(20)))
    salts = unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
  }

  /// - Returns: Nil if there are too few bytes.
  package init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count >= LogLayout.frameHeaderSize else { return nil }
    self = unsafe bytes.withUnsafeBytes { unsafe LogFrame($0) }
  }

  /// - Returns: Nil if there are too few bytes.
  package init?(_ bytes: [UInt8]) { self.init(bytes[...]) }

  /// Whether the frame ends a commit.
  package var isCommit: Bool { pageCount > 0 }

  /// Whether the frame belongs to the log with these salts.
  package func belongs(to salts: [UInt8]) -> Bool {
    guard salts.count == 8 else { return false }
    return unsafe salts.withUnsafeBytes { unsafe $0.loadUnaligned(as: UInt64.self) } == self.salts
  }

  /// The stored checksum, of eight bytes.
  package var checksumBytes: [UInt8] {
    LogChecksum(isBigEndian: false, words: checksum).bytes
  }

  /// Returns the bytes of a frame, and adds them to the checksum.
  ///
  /// - Parameter page: The page as it is stored.
  package static func bytes(
    number: UInt32, pageCount: Int, page: ArraySlice<UInt8>, salts: [UInt8],
    sum: inout LogChecksum
  ) -> [UInt8] {
    var bytes = Array(number.littleEndianBytes.reversed())
    bytes += UInt32(pageCount).littleEndianBytes.reversed()
    unsafe bytes.withUnsafeBytes { sum.add($0) }
    unsafe page.withUnsafeBytes { sum.add($0) }
    return bytes + salts + sum.bytes + page
  }
}

/// The checksum over a log's frames.
package struct LogChecksum: Sendable {
  package let isBigEndian: Bool
  package private(set) var words: (UInt32, UInt32)

  package init(isBigEndian: Bool, words: (UInt32, UInt32) = (0, 0)) {
    (self.isBigEndian, self.words) = (isBigEndian, words)
  }

  /// Goes on after the checksum that a frame has stored.
  mutating func goOn(after frame: LogFrame) { words = frame.checksum }

  private static func words(_ stored: ArraySlice<UInt8>) -> (UInt32, UInt32) {
    // A file that was cut meanwhile has fewer bytes: no checksum matches then.
    guard stored.count == 8 else { return (0, 0) }
    return (UInt32(stored.integer32(at: 0)), UInt32(stored.integer32(at: 4)))
  }

  /// The checksum as it is stored, of eight bytes.
  package var bytes: [UInt8] {
    [words.0, words.1].flatMap { $0.littleEndianBytes.reversed() }
  }

  /// Whether the checksum is the stored one.
  package func isStored(in stored: ArraySlice<UInt8>) -> Bool {
    stored.count == 8 && Self.words(stored) == words
  }

  /// Whether the checksum is the one that a frame has stored.
  func isStored(in frame: LogFrame) -> Bool { words == frame.checksum }

  /// Adds a frame: the beginning of its header, and its page.
  @safe mutating func addFrame(_ frame: UnsafeRawBufferPointer) {
    unsafe add(UnsafeRawBufferPointer(rebasing: frame[..<8]))
    unsafe add(UnsafeRawBufferPointer(rebasing: frame[LogLayout.frameHeaderSize...]))
  }

  /// - Precondition: The count is a multiple of 8.
  @safe package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count % 8 == 0)
    var (first, second) = words
    var offset = 0
    while offset < bytes.count {
      var one = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      var two = unsafe bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
      if isBigEndian {
        one = UInt32(bigEndian: one)
        two = UInt32(bigEndian: two)
      } else {
        one = UInt32(littleEndian: one)
        two = UInt32(littleEndian: two)
      }
      first = first &+ one &+ second
      second = second &+ two &+ first
      offset += 8
    }
    words = (first, second)
  }
}
