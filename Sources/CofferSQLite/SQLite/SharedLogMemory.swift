import CSQLCipher

/// The memory that the connections of a database share about its write-ahead log.
///
/// See <https://sqlite.org/walformat.html#walidxfmt>.
@safe package struct SharedLogMemory {
  private let file: UnsafeMutablePointer<sqlite3_file>
  private let methods: UnsafePointer<sqlite3_io_methods>

  /// - Returns: Nil if the file system has none.
  @safe package init?(of connection: SQLiteConnection) {
    guard let (file, methods) = unsafe SQLite.openFile(SQLITE_FCNTL_FILE_POINTER, in: connection),
      unsafe methods.pointee.iVersion >= 2
    else { return nil }
    unsafe (self.file, self.methods) = unsafe (file, methods)
  }

  /// The size of a region in bytes.
  package static let regionSize = 32_768

  /// Returns a region, which stays mapped while the connection's file is open.
  ///
  /// - Returns: Nil if it isn't there.
  package func region(_ number: Int) -> UnsafeMutableRawPointer? {
    unsafe map(number, extends: false).region
  }

  /// Returns a region, and makes it if it isn't there.
  package func madeRegion(_ number: Int) throws(SQLite.Failure) -> UnsafeMutableRawPointer {
    let (code, region) = unsafe map(number, extends: true)
    guard code == SQLITE_OK, let region = unsafe region else { throw SQLite.Failure(code: code) }
    return unsafe region
  }

  private func map(
    _ number: Int, extends: Bool
  ) -> (code: CInt, region: UnsafeMutableRawPointer?) {
    // SAFETY: the size is that of the regions that SQLite itself maps.
    var region: UnsafeMutableRawPointer?
    let code = unsafe methods.pointee.xShmMap?(
      file, CInt(number), CInt(Self.regionSize), extends ? 1 : 0, &region)
    return unsafe (code ?? SQLITE_IOERR, code == SQLITE_OK ? region : nil)
  }

  /// Takes the lock of writers.
  ///
  /// - Returns: False if another connection has it.
  package func lockWriting() -> Bool {
    unsafe methods.pointee.xShmLock(file, 0, 1, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE) == SQLITE_OK
  }

  package func unlockWriting() {
    _ = unsafe methods.pointee.xShmLock(file, 0, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE)
  }

  /// Makes what was written visible to other processes before what is written next.
  package func barrier() { unsafe methods.pointee.xShmBarrier(file) }
}
