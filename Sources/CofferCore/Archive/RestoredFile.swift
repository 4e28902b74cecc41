/// A database file that is put together from pages, and gets its name once it is verified.
package final class RestoredFile {
  private let file: PendingFile
  private let pageSize: Int
  /// The key slots that the file gets; nil for none.
  package var slots: [UInt8]?

  /// - Throws: ``DatabaseError`` if there is a file at the path, or what is left of one.
  package init(at target: String, pageSize: Int) throws {
    try PendingFile.requireNone(at: target)
    for path in KeySlotsChange.files(forDatabaseAt: target) where PendingFile.size(of: path) != nil
    {
      throw DatabaseError(
        resultCode: .SQLITE_CANTOPEN, message: "there is a file at \(path)",
        hint: "It has the key slots of another database: move it away, or choose another path.")
    }
    file = try PendingFile(for: target)
    self.pageSize = pageSize
  }

  /// Writes pages over those that are there.
  ///
  /// - Parameter frames: Each a page's number, of 4 bytes, and the page as it is stored.
  package func write(_ frames: ArraySlice<UInt8>) throws {
    let size = pageSize + 4
    precondition(frames.count % size == 0)
    // Neighbouring pages are written at once.
    var run: (first: Int, bytes: [UInt8]) = (0, [])
    var start = frames.startIndex
    while start < frames.endIndex {
      let number = (0..<4).reduce(0) { $0 | Int(frames[start + $1]) << (8 * $1) }
      if number != run.first + run.bytes.count / pageSize || run.bytes.count > 1 << 20 {
        if !run.bytes.isEmpty { try file.write(run.bytes, at: (run.first - 1) * pageSize) }
        run = (number, [])
      }
      run.bytes += frames[(start + 4)..<(start + size)]
      start += size
    }
    if !run.bytes.isEmpty { try file.write(run.bytes, at: (run.first - 1) * pageSize) }
  }

  /// Verifies each page, and gives the file its name.
  ///
  /// - Parameter pageCount: The number of the database's pages.
  /// - Throws: An error with nothing left of the file; or one with the code `SQLITE_IOERR_DIR_FSYNC`,
  ///   which says that it is in place.
  package func finish(
    pageCount: Int, key: DerivedKey, settings: CipherSettings,
    progress: ((Int, Int) throws -> Void)? = nil
  ) throws {
    try file.setSize(pageCount * pageSize)
    let pages: [Int]?
    let header: SQLiteHeader?
    do {
      let cipher = try CipherFile(
        path: file.path, key: key, settings: settings, newerPages: .nowhere)
      pages = try cipher?.verifyAll(progress: progress)
      header = try cipher?.header()
    } catch let error as ReadOnlyFileError {
      throw error.databaseError(file.path)
    }
    guard pages == [], let header, header.pageCount ?? pageCount == pageCount else {
      let reason = pages.map { $0.isEmpty ? "its header" : "the pages \($0.prefix(8))" }
      throw DatabaseError(
        resultCode: .SQLITE_CORRUPT,
        message: "the restored database is damaged: \(reason ?? "it") can't be verified",
        hint: "It was removed. It was damaged when it was archived: restore an earlier commit.")
    }
    let slotsFile = try slots.map { bytes in
      let slotsFile = try PendingFile(for: KeySlots.path(forDatabaseAt: file.target))
      try slotsFile.write(bytes)
      // Without its slots nothing opens the database, so they come first.
      try slotsFile.moveToTarget(replaces: false)
      return slotsFile
    }
    var isInPlace = false
    defer { if !isInPlace, let slotsFile { PendingFile.remove(slotsFile.target) } }
    try file.moveToTarget(replaces: false) { isInPlace = true }
  }
}
