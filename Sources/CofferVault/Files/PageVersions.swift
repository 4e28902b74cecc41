import CofferSQLite
import Glibc

/// Pages whose committed version isn't in the database file, but in its WAL or its hot journal.
///
/// See <https://www.sqlite.org/fileformat2.html#walformat> and
/// <https://www.sqlite.org/fileformat2.html#rollbackjournal>.
package struct PageVersions {
  private let file: ReadOnlyFile
  /// The offsets of the pages in the file.
  private(set) var offsets: [UInt32: Int] = [:]
  /// The number of pages in the database.
  private(set) var pageCount = 0
  /// Whether later commits exist that a damaged frame makes unusable.
  private(set) var hasLostCommits = false
  /// Whether SQLite would take pages that weren't looked at, since they have another size.
  private(set) var isForeign = false

  /// Returns the offset of a page's version; nil if the database file has it.
  func offset(of page: Int) -> Int? { UInt32(exactly: page).flatMap { offsets[$0] } }

  /// The highest page.
  var lastPage: Int { Int(offsets.keys.max() ?? 0) }

  /// Returns the number of pages up to the last one that is stored.
  ///
  /// Pages can be missing, if the database file was cut. But a log with a few frames and the
  /// highest page number must not take hours and gigabytes.
  /// - Parameter pagesInFile: The number of pages in the database file.
  func storedCount(_ pagesInFile: Int) -> Int {
    min(max(pagesInFile, lastPage), pagesInFile + 64 * offsets.count + 65_536)
  }

  @safe func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(ReadOnlyFileError) {
    try file.read(into: buffer, at: offset)
  }

  // MARK: Places

  /// Where versions are looked for.
  @safe package enum Place {
    /// Nowhere: the caller looks.
    case nowhere
    /// In a hot journal or in the WAL beside a database, as by a connection that opens it anew.
    ///
    /// A connection that has it open may know more about the WAL.
    case beside(String, index: LogIndex? = nil)
    /// In the WAL beside a database that no other connection has written to.
    case log(beside: String)
    /// In the frames that a connection's transaction reads.
    case frames(LogIndex, of: SQLiteConnection)
  }

  /// Reads the versions that are in a place; nil if there are none.
  static func find(
    _ place: Place, pageSize: Int
  ) throws(ReadOnlyFileError) -> PageVersions? {
    switch place {
    case .nowhere: return nil
    case .beside(let path, let index):
      // They are beside the file itself, not beside a symbolic link to it.
      let path = PendingFile.resolved(path)
      if PendingFile.size(of: path + "-journal") ?? 0 > 0,
        let journal = try PageVersions(
          journal: ReadOnlyFile(path: path + "-journal"), pageSize: pageSize)
      {
        return journal
      }
      return try log(beside: path, pageSize: pageSize, index: index)
    case .log(let path):
      return try log(beside: PendingFile.resolved(path), pageSize: pageSize, index: nil)
    case .frames(let index, let connection):
      return try PageVersions(index, of: connection, pageSize: pageSize)
    }
  }

  private static func log(
    beside path: String, pageSize: Int, index: LogIndex?
  ) throws(ReadOnlyFileError) -> PageVersions? {
    guard PendingFile.size(of: path + "-wal") ?? 0 > 0 else { return nil }
    return try PageVersions(
      wal: ReadOnlyFile(path: path + "-wal"), pageSize: pageSize, index: index)
  }

  // MARK: WAL

  /// The frames that a connection's transaction reads.
  @safe private init(
    _ index: LogIndex, of connection: SQLiteConnection, pageSize: Int
  ) throws(ReadOnlyFileError) {
    file = try ReadOnlyFile(openedBy: connection, isLog: true)
    pageCount = index.pageCount
    guard let pages = index.pages(in: connection) else {
      throw ReadOnlyFileError(code: ResultCode.SQLITE_IOERR.rawValue)
    }
    let layout = LogLayout(pageSize: pageSize)
    for (frame, page) in zip(index.movedCount..., pages) where page <= pageCount {
      offsets[page] = layout.offset(ofFrame: frame + 1) + LogLayout.frameHeaderSize
    }
  }

  /// Reads the frames of a WAL up to its last commit.
  ///
  /// Like SQLite, this stops at the first frame whose checksum is wrong: what is behind it belongs
  /// to commits of which pages are missing. Connections read the frames in the index without a look
  /// at their checksums, except for those that have been moved to the database file.
  /// - Returns: Nil if the file holds no commit.
  private init?(
    wal file: ReadOnlyFile, pageSize: Int, index: LogIndex?
  ) throws(ReadOnlyFileError) {
    self.file = file
    let size = try file.size()
    guard let header = LogHeader(try file.read(count: LogLayout.headerSize, at: 0)) else {
      return nil
    }
    let headerSize = LogLayout.frameHeaderSize
    guard header.pageSize == pageSize else {
      let first = LogFrame(try file.read(count: headerSize, at: LogLayout.headerSize))
      isForeign = first?.belongs(to: header.salts) == true
      if isForeign { return }
      return nil
    }
    let index = index?.salts == header.salts ? index : nil
    let layout = LogLayout(pageSize: pageSize)
    var sum = header.checksum
    var pending: [UInt32: Int] = [:]
    var isBroken = false
    var number = 0
    while layout.offset(ofFrame: number + 2) <= size {
      number += 1
      let offset = layout.offset(ofFrame: number)
      let isIndexed = number <= index?.frameCount ?? 0
      let bytes = try file.read(count: isIndexed ? headerSize : layout.frameSize, at: offset)
      guard let frame = LogFrame(bytes) else { break }
      var commit = frame.pageCount
      if let index, isIndexed {
        commit = number == index.frameCount ? index.pageCount : 0
        // Frames behind the index continue the checksum.
        sum.goOn(after: frame)
      } else {
        guard bytes.count == layout.frameSize, frame.belongs(to: header.salts) else { break }
        unsafe bytes.withUnsafeBytes { sum.addFrame($0) }
        isBroken = isBroken || frame.page == 0 || !sum.isStored(in: frame)
      }
      if isBroken {
        if commit != 0 { hasLostCommits = true }
      } else {
        pending[frame.page] = number > index?.movedCount ?? 0 ? offset + headerSize : nil
        if commit != 0 {
          offsets.merge(pending) { $1 }
          pending.removeAll(keepingCapacity: true)
          pageCount = commit
        }
      }
    }
    offsets = offsets.filter { $0.key <= pageCount }
    if pageCount == 0 && !hasLostCommits { return nil }
  }

  // MARK: Rollback journal

  /// Reads the pages as they were before an unfinished transaction.
  ///
  /// - Returns: Nil if the journal is no longer needed.
  private init?(journal file: ReadOnlyFile, pageSize: Int) throws(ReadOnlyFileError) {
    self.file = file
    let size = try file.size()
    guard try !Self.isFinished(file, size: size) else { return nil }
    var offset = 0
    var sectorSize = 512
    while true {
      let header = try file.read(count: 28, at: offset)
      guard header.count == 28, header.starts(with: FileSignature.journal) else { break }
      if offset == 0 {
        sectorSize = header.integer32(at: 20)
        pageCount = header.integer32(at: 16)
        guard (32...65536).contains(sectorSize), sectorSize & (sectorSize - 1) == 0, pageCount > 0
        else { return nil }
        guard header.integer32(at: 24) == pageSize else {
          pageCount = 0
          isForeign = true
          return
        }
      }
      var position = offset + sectorSize
      let stored = header.integer32(at: 8)
      let fitting = max(0, size - position) / (pageSize + 8)
      let count = stored == 0xFFFF_FFFF ? fitting : min(stored, fitting)
      for _ in 0..<count {
        let record = try file.read(count: pageSize + 8, at: position)
        guard record.count == pageSize + 8,
          let page = Self.page(of: record, nonce: UInt32(header.integer32(at: 12)))
        else { return }
        // The first version is that from before the transaction.
        if page <= pageCount, offsets[UInt32(page)] == nil { offsets[UInt32(page)] = position + 4 }
        position += pageSize + 8
      }
      offset = (position + sectorSize - 1) / sectorSize * sectorSize
    }
    if pageCount == 0 { return nil }
  }

  /// The page number of a record; nil if its checksum is wrong.
  private static func page(of record: [UInt8], nonce: UInt32) -> Int? {
    let pageSize = record.count - 8
    var sum = nonce
    for offset in stride(from: pageSize - 200, to: 0, by: -200) {
      sum &+= UInt32(record[4 + offset])
    }
    let page = record.integer32(at: 0)
    return page > 0 && record.integer32(at: pageSize + 4) == Int(sum) ? page : nil
  }

  /// Whether the journal belongs to a transaction of several files that was committed: the journal
  /// that they had in common, and that is named at the end, is gone.
  private static func isFinished(_ file: ReadOnlyFile, size: Int) throws(ReadOnlyFileError) -> Bool
  {
    let end = try file.read(count: 16, at: max(0, size - 16))
    guard end.count == 16, end[8...].elementsEqual(FileSignature.journal) else { return false }
    let length = end.integer32(at: 0)
    guard (1...4096).contains(length), length <= size - 16 else { return false }
    let name = try file.read(count: length, at: size - 16 - length)
    guard name.reduce(0, { $0 &+ Int($1) }) & 0xFFFF_FFFF == end.integer32(at: 4) else {
      return false
    }
    return PendingFile.size(of: String(decoding: name, as: UTF8.self)) == nil
  }
}
