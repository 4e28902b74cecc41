import CofferCore
import Glibc

/// Commits pages that are encrypted already, by writing frames to a database's write-ahead log.
///
/// It does what SQLite does at a commit: under the lock of writers, the frames are appended and
/// synced, the pages are entered in the index that all connections share, and then the index's
/// header is replaced. So readers keep the state that they see, and find the new one at their next
/// access. After a crash the log's checksums show what was committed.
///
/// See <https://sqlite.org/walformat.html> and <https://sqlite.org/fileformat2.html#walformat>.
@safe final class LogAppender {
  private let connection: FileConnection
  private let path: String
  private let layout: LogLayout
  private var pageSize: Int { layout.pageSize }
  private var log: RawFile?
  /// The index's count of commits after the last one of these, or when the file was opened.
  private var lastChange: UInt32 = 0

  private enum Index {
    static let headerSize = 48
    /// Where the numbers of the first region's pages begin, behind the headers.
    static let start = 136
    static let pagesInRegion = 4_096
    static let pagesInFirst = 4_062
    static let hashOffset = 16_384
    static let slotCount = 8_192
  }

  /// - Precondition: The file is in WAL mode.
  init(path: String, key: FileKey) throws {
    self.path = path
    layout = LogLayout(pageSize: key.settings.pageSize)
    connection = try FileConnection(path: path, key: key, busyTimeout: 0)
    SQLite.keepLogAtClose(try unsafe connection.connection)
    guard try connection.scalar("PRAGMA journal_mode")?.lowercased() == "wal" else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "the database has no write-ahead log: \(path)")
    }
    try connection.readSchema()
    lastChange = try currentHeader().change
  }

  func close() { connection.close() }

  // MARK: What others wrote

  /// The end of the log's commits.
  func position() throws -> LogPosition { try currentHeader().position }

  /// Throws ``ArchiveError/changedFile(_:)`` if another writer has made commits since the last one,
  /// or since the file was opened.
  func requireOwn() throws { try requireOwn(currentHeader()) }

  private func requireOwn(_ header: Header) throws {
    guard lastChange == header.change else { throw ArchiveError.changedFile(path) }
  }

  /// Whether the log has at most one commit behind a position.
  ///
  /// - Returns: True also if the log was begun again since, after a checkpoint.
  func hasAtMostOneCommit(after position: LogPosition) throws -> Bool {
    let now = try currentHeader().position
    guard now.salts == position.salts, now != position else { return true }
    guard position.frame <= now.frame, let log = try RawFile.existing(path + "-wal") else {
      return position.frame == now.frame
    }
    /// Nil if the log was cut.
    func frame(_ number: Int) throws -> LogFrame? {
      LogFrame(
        try log.read(count: LogLayout.frameHeaderSize, at: layout.offset(ofFrame: number)))
    }
    if position.frame > 0, try frame(position.frame)?.checksumBytes != position.checksum {
      return false
    }
    var commits = 0
    for number in (position.frame + 1)..<(now.frame + 1) where try frame(number)?.isCommit == true {
      commits += 1
    }
    return commits <= 1
  }

  /// The index's header, once no writer is changing it.
  private func currentHeader() throws -> Header {
    let memory = try memory()
    for _ in 0..<2_000 {
      if let header = try? unsafe Header(region(0, memory)) { return header }
      usleep(1_000)
    }
    return try unsafe Header(region(0, memory))
  }

  // MARK: Committing

  /// Writes one commit.
  ///
  /// - Parameter body: Calls its argument with frames, each a page's number, of 4 bytes, and the
  ///   page as it is stored; of a page's versions the last one counts. Returns the number of the
  ///   database's pages.
  /// - Throws: `SQLITE_BUSY` if another program writes to the database; or the error of `body`,
  ///   with nothing changed.
  func commit(_ body: (_ write: (ArraySlice<UInt8>) throws -> Void) throws -> Int) throws {
    let memory = try memory()
    var isLocked = false
    // A reader that meets the header while it is replaced takes this lock for a moment.
    for _ in 0..<2_000 {
      isLocked = memory.lockWriting()
      if isLocked { break }
      usleep(1_000)
    }
    guard isLocked else {
      throw DatabaseError(
        resultCode: .SQLITE_BUSY, message: "somebody else writes to \(path)",
        hint: "Only the follower may: open its file read-only.")
    }
    defer { memory.unlockWriting() }
    var header = try unsafe Header(region(0, memory))
    let old = header
    try requireOwn(header)
    let log = try openLog()
    try begin(&header, log, memory)
    var held: [UInt8] = []
    let pageCount = try body { frames in
      precondition(frames.count % (pageSize + 4) == 0)
      var start = frames.startIndex
      while start < frames.endIndex {
        let end = start + pageSize + 4
        if !held.isEmpty { try append(held, pageCount: 0, &header, log, memory) }
        // The last frame says that it is the last.
        held = Array(frames[start..<end])
        start = end
      }
    }
    guard !held.isEmpty else { return }
    try append(held, pageCount: pageCount, &header, log, memory)
    try log.sync()
    header.change = old.change &+ 1
    header.pageCount = UInt32(pageCount)
    let bytes = header.bytes(pageSize: pageSize)
    let first = try unsafe region(0, memory)
    // SAFETY: the region has both copies of the header, of which readers need equal ones.
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe (first + Index.headerSize).copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
      memory.barrier()
      unsafe first.copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
      memory.barrier()
    }
    lastChange = header.change
  }

  /// Moves the log's frames to the file, and empties the log, as far as readers allow it.
  ///
  /// - Parameter pageCount: The frames from which on this is done.
  func checkpoint(from pageCount: Int) {
    guard let connection = try? unsafe connection.connection,
      let index = LogIndex(of: connection), index.frameCount >= pageCount
    else { return }
    SQLite.tryCheckpoint(connection, schema: "main", mode: SQLite.truncatingCheckpoint)
  }

  private func openLog() throws -> RawFile {
    if let log, log.hasItsName { return log }
    let file = try RawFile(path: path + "-wal", flags: O_RDWR)
    log = file
    return file
  }

  /// Begins a log that is empty, and clears what a killed writer left in the index.
  private func begin(
    _ header: inout Header, _ log: RawFile, _ memory: SharedLogMemory
  ) throws {
    guard header.frameCount == 0 else {
      return try clean(after: Int(header.frameCount), memory)
    }
    // Frames of an earlier log may still be there, and must not seem to follow.
    header.salts = DerivedKey.randomSalt().suffix(8)
    let (bytes, sum) = LogHeader.bytes(pageSize: pageSize, salts: header.salts)
    header.checksum = sum
    try log.write(bytes, at: 0)
    // Frames that are written after it can reach the disk before it, and would then belong to the
    // old header.
    try log.sync()
  }

  private func append(
    _ frame: [UInt8], pageCount: Int, _ header: inout Header, _ log: RawFile,
    _ memory: SharedLogMemory
  ) throws {
    // The numbers in frames of the log have the highest byte first.
    let page = frame[..<4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard page > 0 else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "page 0") }
    let bytes = LogFrame.bytes(
      number: page, pageCount: pageCount, page: frame[4...], salts: header.salts,
      sum: &header.checksum)
    header.frameCount += 1
    try log.write(bytes, at: layout.offset(ofFrame: Int(header.frameCount)))
    try enter(page, frame: Int(header.frameCount), memory)
  }

  // MARK: The index

  private func memory() throws -> SharedLogMemory {
    guard let memory = try unsafe SharedLogMemory(of: connection.connection) else {
      throw DatabaseError(resultCode: .SQLITE_IOERR, message: "the log has no index")
    }
    return memory
  }

  private func region(_ number: Int, _ memory: SharedLogMemory) throws -> UnsafeMutableRawPointer {
    do { return try unsafe memory.madeRegion(number) } catch {
      throw DatabaseError(
        resultCode: ResultCode(rawValue: error.code) == .SQLITE_NOMEM
          ? .SQLITE_NOMEM : .SQLITE_IOERR,
        message: "the index of the log can't grow")
    }
  }

  /// The region of a frame, the frame's place in it from 1, and where the region's numbers begin.
  private func place(_ frame: Int) -> (region: Int, index: Int, start: Int) {
    let region = (frame + Index.pagesInRegion - Index.pagesInFirst - 1) / Index.pagesInRegion
    guard region > 0 else { return (0, frame, Index.start) }
    return (region, frame - Index.pagesInFirst - (region - 1) * Index.pagesInRegion, 0)
  }

  private func enter(
    _ page: UInt32, frame: Int, _ memory: SharedLogMemory
  ) throws {
    let place = place(frame)
    let region = try unsafe region(place.region, memory)
    // SAFETY: a region has its numbers and then its slots; the index is within both.
    if place.index == 1 {
      unsafe memset(region + place.start, 0, SharedLogMemory.regionSize - place.start)
    }
    unsafe (region + place.start).storeBytes(
      of: page, toByteOffset: 4 * (place.index - 1), as: UInt32.self)
    let slots = unsafe (region + Index.hashOffset).assumingMemoryBound(to: UInt16.self)
    var slot = Int(truncatingIfNeeded: UInt64(page) * 383) & (Index.slotCount - 1)
    while unsafe slots[slot] != 0 { slot = (slot + 1) & (Index.slotCount - 1) }
    unsafe slots[slot] = UInt16(place.index)
  }

  /// Clears the entries behind the last frame.
  private func clean(
    after frame: Int, _ memory: SharedLogMemory
  ) throws {
    let place = place(frame)
    let region = try unsafe region(place.region, memory)
    let slots = unsafe (region + Index.hashOffset).assumingMemoryBound(to: UInt16.self)
    // SAFETY: as above.
    for slot in 0..<Index.slotCount where unsafe slots[slot] > UInt16(place.index) {
      unsafe slots[slot] = 0
    }
    let end = place.start + 4 * place.index
    unsafe memset(region + end, 0, Index.hashOffset - end)
  }

  /// The header of the index.
  private struct Header {
    var change: UInt32
    var frameCount: UInt32
    var pageCount: UInt32
    var checksum: LogChecksum
    var salts: [UInt8]

    /// - Throws: `SQLITE_BUSY` if the header is being written, which its lock excludes.
    init(_ region: UnsafeMutableRawPointer) throws {
      // SAFETY: the region begins with two copies of the header.
      let bytes = unsafe UnsafeRawBufferPointer(start: region, count: 2 * Index.headerSize)
      let copy = unsafe bytes[..<Index.headerSize]
      guard unsafe copy.elementsEqual(bytes[Index.headerSize...]), unsafe copy[12] == 1 else {
        throw DatabaseError(resultCode: .SQLITE_BUSY, message: "the log's index is being changed")
      }
      func word(_ offset: Int) -> UInt32 {
        unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      }
      change = word(8)
      frameCount = word(16)
      pageCount = word(20)
      checksum = unsafe LogChecksum(isBigEndian: copy[13] == 1, words: (word(24), word(28)))
      salts = unsafe Array(copy[32..<40])
    }

    /// The end of the last commit.
    var position: LogPosition {
      LogPosition(salts: salts, frame: Int(frameCount), checksum: checksum.bytes)
    }

    /// The header's bytes, in the machine's order.
    func bytes(pageSize: Int) -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(UInt32(3_007_000))
      bytes.append(UInt32(0))
      bytes.append(change)
      bytes += [1, checksum.isBigEndian ? 1 : 0]
      bytes.append(UInt16(pageSize & 0xFF00 | pageSize >> 16))
      bytes.append(frameCount)
      bytes.append(pageCount)
      bytes.append(checksum.words.0)
      bytes.append(checksum.words.1)
      bytes += salts
      var sum = LogChecksum(isBigEndian: false)
      unsafe bytes.withUnsafeBytes { sum.add($0) }
      bytes.append(sum.words.0)
      bytes.append(sum.words.1)
      return bytes
    }
  }
}
