import CSQLCipher

/// What the connections of a database know about its WAL, from the memory that they share.
///
/// See <https://sqlite.org/walformat.html#walidxfmt>.
struct LogIndex {
  /// The salts in the header of the WAL that is meant.
  let salts: [UInt8]
  /// The frames that connections read: those up to the last commit.
  let frameCount: Int
  /// The frames whose pages have been moved to the database file, and are read there.
  private(set) var movedCount: Int
  /// The pages of the database after the last commit.
  let pageCount: Int

  /// Reads the shared memory of a connection.
  ///
  /// - Precondition: The connection has a WAL, and isn't in the exclusive locking mode, in which no
  ///   memory is shared: reading would create it.
  /// - Returns: Nil if another connection changes the memory right now.
  @safe init?(of connection: SQLiteConnection) {
    guard let (file, methods) = unsafe SQLite.openFile(SQLITE_FCNTL_FILE_POINTER, in: connection),
      unsafe methods.pointee.iVersion >= 2,
      let region = unsafe Self.region(0, of: file, methods)
    else { return nil }
    // SAFETY: the region is larger than that.
    unsafe self.init(UnsafeRawBufferPointer(start: region, count: Self.size))
  }

  /// What the last transaction of a connection that read its main database has seen of the log; nil
  /// if it hasn't looked at one.
  @safe init?(readBy connection: SQLiteConnection) {
    guard let file = unsafe FileLayer.File(of: connection),
      unsafe file.state.pointee.index != nil,
      let index = unsafe withUnsafeBytes(of: file.state.pointee.header, { unsafe LogIndex($0) })
    else { return nil }
    // With the first lock, a transaction reads the database file alone: all frames were moved.
    let readsFile = unsafe file.state.pointee.readLock == 0
    self = index
    if readsFile { movedCount = frameCount }
  }

  /// - Parameter bytes: The beginning of the shared memory.
  private init?(_ bytes: UnsafeRawBufferPointer) {
    func word(_ offset: Int) -> Int {
      Int(unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    // First, since it only grows as long as the salts are the same.
    let moved = word(96)
    let header = unsafe Array(bytes[..<48])
    guard header[12] == 1, word(0) == 3_007_000, unsafe header == Array(bytes[48..<96]) else {
      return nil
    }
    salts = Array(header[32..<40])
    frameCount = word(16)
    pageCount = word(20)
    movedCount = min(moved, frameCount)
  }

  /// The bytes that are read: two copies of the header, and the number of moved frames.
  private static let size = 100

  /// Notes what the index says as a connection begins to read.
  ///
  /// SQLite compares the index with its own copy once more after it has the lock, and tries again
  /// if they differ. So this is what the transaction goes on with.
  /// - Parameter lock: The number of the lock in the shared memory.
  static func note(readLock lock: CInt, of file: FileLayer.File) {
    guard lock >= firstReadLock, let index = unsafe file.state.pointee.index else { return }
    unsafe file.state.pointee.readLock = lock - firstReadLock
    unsafe withUnsafeMutableBytes(of: &file.state.pointee.header) { header in
      // SAFETY: the region is larger than the copy.
      unsafe header.copyMemory(from: UnsafeRawBufferPointer(start: index, count: size))
    }
  }

  private static let firstReadLock: CInt = 3

  /// The pages of the frames that were not moved, in the order of the frames; nil if they can't be
  /// read.
  ///
  /// - Precondition: `connection` keeps them by a transaction.
  @safe func pages(in connection: SQLiteConnection) -> [UInt32]? {
    guard movedCount < frameCount else { return [] }
    guard let (file, methods) = unsafe SQLite.openFile(SQLITE_FCNTL_FILE_POINTER, in: connection)
    else { return nil }
    var pages: [UInt32] = []
    var frame = movedCount
    while frame < frameCount {
      // The first region has fewer, behind the header.
      let number = (frame + Self.headerWords) / Self.wordsInRegion
      let word = (frame + Self.headerWords) % Self.wordsInRegion
      let count = min(Self.wordsInRegion - word, frameCount - frame)
      guard let region = unsafe Self.region(CInt(number), of: file, methods) else { return nil }
      // SAFETY: the region has these words, and then a table of hashes.
      let words = unsafe (region + 4 * word).assumingMemoryBound(to: UInt32.self)
      unsafe pages += UnsafeBufferPointer(start: words, count: count)
      frame += count
    }
    return pages
  }

  private static let headerWords = 34
  private static let wordsInRegion = 4096

  /// Returns a region of a file's shared memory; nil if it isn't there.
  private static func region(
    _ number: CInt, of file: UnsafeMutablePointer<sqlite3_file>,
    _ methods: UnsafePointer<sqlite3_io_methods>
  ) -> UnsafeMutableRawPointer? {
    // SAFETY: the size is that of the regions that SQLite itself maps, and nothing is mapped that
    // isn't there.
    var region: UnsafeMutableRawPointer?
    let code = unsafe methods.pointee.xShmMap?(file, number, 32768, 0, &region)
    return unsafe code == SQLITE_OK ? region : nil
  }
}
