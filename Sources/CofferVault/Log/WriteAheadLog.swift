import CofferSQLite
import Glibc

/// The commits in a write-ahead log, as SQLite will find them when it opens the database.
///
/// See <https://sqlite.org/fileformat2.html#walformat>.
package struct WriteAheadLog {
  /// The places of values in the log.
  package struct Layout {
    package static let headerSize = 32
    package static let frameHeaderSize = 24
    static let saltOffset = 16
    let pageSize: Int
    /// The offset of the stored HMAC in a page.
    let tagOffset: Int

    init(_ settings: CipherSettings) {
      pageSize = settings.pageSize
      tagOffset = settings.pageSize - settings.reservedSize + 16
    }

    var frameSize: Int { Self.frameHeaderSize + pageSize }

    /// The offset of a frame, numbered from 1.
    func offset(ofFrame frame: Int) -> Int { Self.headerSize + (frame - 1) * frameSize }
  }

  /// The salts in the log's header; empty if there is no log.
  private(set) var salts: [UInt8] = []
  /// The page of each frame up to the last commit.
  private(set) var pages: [UInt32] = []
  /// The tag of each frame.
  private(set) var tags: [PageTag] = []
  /// The last frame of each commit, numbered from 1, and the pages that the database then has.
  private(set) var commits: [(frame: Int, pageCount: Int)] = []
  /// Whether the log has frames of another page size.
  private(set) var isForeign = false

  var frameCount: Int { pages.count }

  /// The number of pages after a commit; nil if no commit ends with this frame.
  func pageCount(afterFrame frame: Int) -> Int? {
    var (low, high) = (0, commits.count)
    while low < high {
      let middle = (low + high) / 2
      if commits[middle].frame < frame { low = middle + 1 } else { high = middle }
    }
    return low < commits.count && commits[low].frame == frame ? commits[low].pageCount : nil
  }

  /// Whether a log with `next` can be one with `salts` that was started again.
  ///
  /// SQLite adds one to the first salt each time, also where the log's file then can't be
  /// truncated.
  static func isSuccessor(_ next: [UInt8], of salts: [UInt8]) -> Bool {
    func number(_ salts: [UInt8]) -> UInt32 { UInt32(salts.integer32(at: 0)) }
    guard next.count == 8, salts.count == 8 else { return false }
    return (1...8).contains(number(next) &- number(salts))
  }

  /// Reads a log, up to the first frame that SQLite wouldn't take.
  ///
  /// - Throws: ``RawFileError``, unless there is no log.
  init(path: String, settings: CipherSettings) throws {
    guard let file = try RawFile.existing(path) else { return }
    let header = try file.read(count: Layout.headerSize, at: 0)
    guard header.count == Layout.headerSize else { return }
    let magic = header.integer32(at: 0)
    guard magic & ~1 == 0x377f_0682, header.integer32(at: 4) == 3_007_000 else { return }
    var sum = LogChecksum(isBigEndian: magic & 1 == 1)
    unsafe header.withUnsafeBytes { unsafe sum.add(UnsafeRawBufferPointer(rebasing: $0[..<24])) }
    guard sum.isStored(in: header[24...]) else { return }
    salts = Array(header[16..<24])
    guard header.integer32(at: 8) == settings.pageSize else {
      isForeign = true
      return
    }
    try readFrames(of: file, Layout(settings), &sum)
  }

  private mutating func readFrames(
    of file: RawFile, _ layout: Layout, _ sum: inout LogChecksum
  ) throws {
    let count = max(1, 262_144 / layout.frameSize)
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: count * layout.frameSize, alignment: 16)
    defer { unsafe buffer.deallocate() }
    while true {
      let read = try file.read(into: buffer, at: layout.offset(ofFrame: pages.count + 1))
      for index in 0..<(read / layout.frameSize) {
        let start = index * layout.frameSize
        let frame = unsafe UnsafeRawBufferPointer(
          rebasing: buffer[start..<(start + layout.frameSize)])
        guard append(frame, layout, &sum) else { return endAtCommit() }
      }
      guard read == buffer.count else { return endAtCommit() }
    }
  }

  /// - Returns: False if the frame isn't part of the log.
  @safe private mutating func append(
    _ frame: UnsafeRawBufferPointer, _ layout: Layout, _ sum: inout LogChecksum
  ) -> Bool {
    func word(_ offset: Int) -> UInt32 {
      unsafe UInt32(bigEndian: frame.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    let (page, size) = (word(0), word(4))
    guard page > 0, unsafe frame[8..<16].elementsEqual(salts) else { return false }
    unsafe sum.add(UnsafeRawBufferPointer(rebasing: frame[..<8]))
    unsafe sum.add(UnsafeRawBufferPointer(rebasing: frame[Layout.frameHeaderSize...]))
    guard sum.words == (word(16), word(20)) else { return false }
    let tag = Layout.frameHeaderSize + layout.tagOffset
    pages.append(page)
    unsafe tags.append(
      PageTag(
        words: (
          frame.loadUnaligned(fromByteOffset: tag, as: UInt64.self),
          frame.loadUnaligned(fromByteOffset: tag + 8, as: UInt64.self)
        )))
    if size > 0 { commits.append((pages.count, Int(size))) }
    return true
  }

  /// Forgets the frames of a transaction that has no commit.
  private mutating func endAtCommit() {
    let extra = pages.count - (commits.last?.frame ?? 0)
    pages.removeLast(extra)
    tags.removeLast(extra)
  }

  /// Returns a log of the pages that are the latest before or at a frame, with their tags.
  func overlay(upTo frame: Int) -> [Int: PageTag] {
    var overlay: [Int: PageTag] = [:]
    for index in 0..<frame { overlay[Int(pages[index])] = tags[index] }
    return overlay
  }
}

/// The checksum over a log's frames.
package struct LogChecksum {
  private let isBigEndian: Bool
  package var words: (UInt32, UInt32) = (0, 0)

  package init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

  /// The checksum that goes on after a stored one, of eight bytes.
  package init(isBigEndian: Bool, after stored: ArraySlice<UInt8>) {
    self.isBigEndian = isBigEndian
    words = Self.words(stored)
  }

  private static func words(_ stored: ArraySlice<UInt8>) -> (UInt32, UInt32) {
    // A file that was cut meanwhile has fewer bytes: no checksum matches then.
    guard stored.count == 8 else { return (0, 0) }
    return (UInt32(stored.integer32(at: 0)), UInt32(stored.integer32(at: 4)))
  }

  /// Whether the checksum is the stored one.
  func isStored(in stored: ArraySlice<UInt8>) -> Bool {
    stored.count == 8 && Self.words(stored) == words
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
