import CSQLCipher
import Glibc

/// A database file's bytes as they are on disk.
///
/// The file is opened through SQLite's file layer, not with `open`: closing any descriptor of a
/// file releases all POSIX locks that the process holds on it, including those of its open
/// connections, and SQLite's layer defers the closing until no lock is held.
@safe package final class ReadOnlyFile {
  // SAFETY: this object owns both; SQLite keeps the address of the name while the file is open.
  // `deinit` closes the file and frees them. Without a name, a connection owns the file.
  @safe private let file: UnsafeMutablePointer<sqlite3_file>
  @safe private let name: UnsafeMutablePointer<CChar>?

  /// The file that a connection has open: its main database's, or that of the log.
  ///
  /// - Precondition: The connection is open for as long as the file is read, and not used
  ///   meanwhile.
  @safe package init(openedBy connection: SQLiteConnection, isLog: Bool = false)
    throws(ReadOnlyFileError)
  {
    let pointer = isLog ? SQLITE_FCNTL_JOURNAL_POINTER : SQLITE_FCNTL_FILE_POINTER
    guard let (file, _) = unsafe SQLite.openFile(pointer, in: connection) else {
      throw ReadOnlyFileError(reason: "it is not open")
    }
    self.file = unsafe file
    self.name = nil
  }

  /// Opens a regular file for reading.
  ///
  /// - Throws: ``ReadOnlyFileError`` if the file can't be opened.
  package init(path: String) throws(ReadOnlyFileError) {
    guard CName.isWhole(path) else {
      throw ReadOnlyFileError(reason: "its path has a NUL character")
    }
    var status = stat()
    guard unsafe stat(path, &status) == 0, unsafe access(path, R_OK) == 0 else {
      throw unsafe ReadOnlyFileError(reason: String(cString: strerror(errno)))
    }
    guard status.st_mode & S_IFMT == S_IFREG, let vfs = unsafe sqlite3_vfs_find(nil),
      let open = unsafe vfs.pointee.xOpen
    else { throw ReadOnlyFileError(reason: "it is not a regular file") }
    // SAFETY: SQLite looks for parameters after the name's NUL, and newer versions also before the
    // name: NULs on both sides mean that it has none. The file layer doesn't follow symbolic links,
    // so the path is resolved first.
    let real = unsafe realpath(path, nil)
    defer { unsafe free(real) }
    let utf8 = unsafe Array((real.map { unsafe String(cString: $0) } ?? path).utf8)
    let name = UnsafeMutablePointer<CChar>.allocate(capacity: utf8.count + 8)
    unsafe name.initialize(repeating: 0, count: utf8.count + 8)
    for (offset, byte) in utf8.enumerated() { unsafe name[4 + offset] = CChar(bitPattern: byte) }
    let byteCount = unsafe max(Int(vfs.pointee.szOsFile), MemoryLayout<sqlite3_file>.size)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
    unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    let file = unsafe memory.assumingMemoryBound(to: sqlite3_file.self)
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB
    var givenFlags: CInt = 0
    let code = unsafe open(vfs, name + 4, file, flags, &givenFlags)
    guard code == SQLITE_OK, unsafe file.pointee.pMethods != nil else {
      if let methods = unsafe file.pointee.pMethods { _ = unsafe methods.pointee.xClose(file) }
      unsafe memory.deallocate()
      unsafe name.deallocate()
      throw ReadOnlyFileError(code: code)
    }
    self.file = unsafe file
    self.name = unsafe name
  }

  deinit {
    guard let name else { return }
    _ = unsafe file.pointee.pMethods.pointee.xClose(file)
    unsafe UnsafeMutableRawPointer(file).deallocate()
    unsafe name.deallocate()
  }

  /// The file's size at this moment, in bytes.
  package func size() throws(ReadOnlyFileError) -> Int {
    var size: sqlite3_int64 = 0
    let code = unsafe file.pointee.pMethods.pointee.xFileSize(file, &size)
    guard code == SQLITE_OK else {
      throw ReadOnlyFileError(code: code)
    }
    return Int(size)
  }

  /// Fills the buffer with the file's bytes from `offset`, and with zeros beyond its end.
  @safe package func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(ReadOnlyFileError) {
    guard let start = buffer.baseAddress else { return }
    // SAFETY: the address is passed with its length, which is far below 2 GiB.
    let code = unsafe file.pointee.pMethods.pointee.xRead(
      file, start, CInt(buffer.count), sqlite3_int64(offset))
    // The low byte is the primary code, IOERR; 2 above it means a short read.
    guard code == SQLITE_OK || code == SQLITE_IOERR | 2 << 8 else {
      throw ReadOnlyFileError(code: code)
    }
  }

  /// Reads the whole file, to find out whether that is possible.
  package func readAll() throws(ReadOnlyFileError) {
    let count = 1 << 18
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { unsafe buffer.deallocate() }
    var offset = 0
    repeat {
      try read(into: buffer, at: offset)
      offset += count
    } while try offset < size()
  }

  /// Returns up to `count` bytes from `offset`; fewer at the file's end.
  package func read(count: Int, at offset: Int) throws(ReadOnlyFileError) -> [UInt8] {
    let available = max(0, min(count, try size() - offset))
    var bytes = [UInt8](repeating: 0, count: available)
    var failure: ReadOnlyFileError?
    unsafe bytes.withUnsafeMutableBytes { buffer in
      do throws(ReadOnlyFileError) {
        try read(into: buffer, at: offset)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }
}

/// The reason why a file couldn't be read, as reported by the system or by SQLite.
package struct ReadOnlyFileError: Error, CustomStringConvertible {
  package let reason: String
  /// SQLite's code.
  package let code: CInt

  package init(reason: String) {
    self.reason = reason
    code = SQLITE_CANTOPEN
  }

  package init(code: CInt) {
    reason = SQLite.errorString(code)
    self.code = code
  }

  package var description: String { reason }

  /// The error for a file that can't be read.
  package func databaseError(_ path: String) -> DatabaseError {
    DatabaseError(
      resultCode: code & 0xFF == SQLITE_NOMEM ? .SQLITE_NOMEM : .SQLITE_IOERR,
      message: "could not read \(path): \(reason)", hint: nil)
  }
}

extension ReadOnlyFile {
  /// Executes `body`, and once more if it finds damage in files that can be read.
  ///
  /// SQLite forgets a failure to read a file when it closes the file, or rolls back.
  /// - Parameter undo: Called before the second time.
  /// - Throws: The error of `body`; or one with the code `SQLITE_IOERR` if a file can't be read.
  package static func retryingReads(
    of paths: [String], undo: () throws -> Void = {}, _ body: () throws -> Void
  ) throws {
    do {
      try body()
    } catch let error as DatabaseError
      where error.resultCode == .SQLITE_CORRUPT || error.resultCode == .SQLITE_NOTADB
    {
      guard !paths.isEmpty else { throw error }
      for path in paths {
        do {
          try ReadOnlyFile(path: path).readAll()
        } catch {
          throw error.databaseError(path)
        }
      }
      try undo()
      try body()
    }
  }
}
