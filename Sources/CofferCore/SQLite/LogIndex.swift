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
  let movedCount: Int
  /// The pages of the database after the last commit.
  let pageCount: Int

  /// Reads the shared memory of a connection.
  ///
  /// - Precondition: The connection has a WAL, and isn't in the exclusive locking mode, in which no
  ///   memory is shared: reading would create it.
  /// - Returns: Nil if another connection changes the memory right now.
  @safe init?(of connection: SQLiteConnection) {
    // SAFETY: the size is that of the regions that SQLite itself maps, and nothing is mapped that isn't
    // there.
    guard let (file, methods) = unsafe SQLite.openFile(SQLITE_FCNTL_FILE_POINTER, in: connection),
      unsafe methods.pointee.iVersion >= 2, let map = unsafe methods.pointee.xShmMap
    else { return nil }
    var region: UnsafeMutableRawPointer?
    guard unsafe map(file, 0, 32768, 0, &region) == SQLITE_OK, let region = unsafe region
    else { return nil }
    let bytes = unsafe UnsafeRawBufferPointer(start: region, count: 136)
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
}
