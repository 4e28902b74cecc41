import CofferCore

/// A database file that is put together from pages, and gets its name once all of them are
/// verified.
final class RestoredFile {
  private let file: PendingFile
  private let key: DerivedKey
  private let settings: CipherSettings
  private var written = PageSet()
  /// The pages whose last version isn't authentic.
  private var damaged = PageSet()
  /// Pages on their way to the file.
  private var run: [UInt8] = []
  /// The key slots that the file gets; nil for none.
  private let slots: [UInt8]?

  /// - Throws: ``DatabaseError`` if there is a file at the path, or what is left of one.
  init(
    at target: String, key: DerivedKey, settings: CipherSettings, slots: [UInt8]? = nil
  ) throws {
    try PendingFile.requireNone(at: target)
    for path in KeySlotsChange.files(forDatabaseAt: target) where PendingFile.size(of: path) != nil
    {
      // What a restore that was killed has left.
      if let slots, path == KeySlots.path(forDatabaseAt: target),
        try NewFile.read(path, atMost: 1 << 20) == slots
      {
        continue
      }
      throw DatabaseError(
        resultCode: .SQLITE_CANTOPEN, message: "there is a file at \(path)",
        hint: "It has the key slots of another database: move it away, or choose another path.")
    }
    file = try PendingFile(for: target)
    self.key = key
    self.settings = settings
    self.slots = slots
  }

  /// Writes pages over those that are there.
  ///
  /// - Parameters:
  ///   - frames: Each a page's number, of 4 bytes, and the page as it is stored.
  ///   - isDamaged: Whether a page isn't authentic, whose frame begins at an index.
  func write(
    _ frames: ArraySlice<UInt8>, isDamaged: (_ number: Int, _ index: Int) -> Bool
  ) throws {
    let size = settings.pageSize + 4
    try unsafe frames.withUnsafeBytes { bytes in
      // Neighbouring pages are written at once.
      var first = 0
      run.removeAll(keepingCapacity: true)
      for start in stride(from: 0, to: bytes.count, by: size) {
        let number = frames.littleEndian32(at: frames.startIndex + start)
        if number != first + run.count / settings.pageSize || run.count >= 1 << 20 {
          if !run.isEmpty { try file.write(run, at: (first - 1) * settings.pageSize) }
          first = number
          run.removeAll(keepingCapacity: true)
        }
        unsafe run.append(contentsOf: bytes[(start + 4)..<(start + size)])
        written.insert(number)
        if isDamaged(number, frames.startIndex + start) {
          damaged.insert(number)
        } else {
          damaged.remove(number)
        }
      }
      if !run.isEmpty { try file.write(run, at: (first - 1) * settings.pageSize) }
    }
    file.beginSyncing()
  }

  /// Requires that each page was written, and is authentic, and gives the file its name.
  ///
  /// - Parameters:
  ///   - pageCount: The number of the database's pages.
  ///   - beforeNaming: Called with the path of the complete file.
  /// - Throws: An error with nothing left of the file; or one with the code
  ///   `SQLITE_IOERR_DIR_FSYNC`, which says that it is in place.
  func finish(
    pageCount: Int, beforeNaming: (String) throws -> Void = { _ in }
  ) throws {
    try file.setSize(pageCount * settings.pageSize)
    try requireWhole(pageCount: pageCount)
    try beforeNaming(file.path)
    var isInPlace = false
    var slotsInPlace: String?
    defer { if !isInPlace, let slotsInPlace { PendingFile.remove(slotsInPlace) } }
    if let slots {
      let slotsFile = try PendingFile(for: KeySlots.path(forDatabaseAt: file.target))
      try slotsFile.write(slots)
      // Without its slots nothing opens the database, so they come first. The same ones may be
      // there.
      do {
        try slotsFile.moveToTarget(replaces: PendingFile.size(of: slotsFile.target) != nil) {
          slotsInPlace = slotsFile.target
        }
      } catch let error as DatabaseError {
        throw error.beforeMainFile
      }
    }
    try file.moveToTarget(replaces: false) { isInPlace = true }
  }

  private func requireWhole(pageCount: Int) throws {
    written.removeAll(above: pageCount)
    damaged.removeAll(above: pageCount)
    let hasLockPage = pageCount >= SQLiteHeader.lockPage(ofSize: settings.pageSize)
    let header: SQLiteHeader?
    do {
      let whole = try CipherFile(
        path: file.path, key: key, settings: settings, newerPages: .nowhere)
      // Other settings than the database's show here.
      header = try whole?.verify(page: 1) == true ? whole?.header() : nil
    } catch {
      throw error.databaseError(file.path)
    }
    let reason: String
    if !damaged.isEmpty {
      reason = "its pages \(damaged.first(8)) can't be verified"
    } else if written.count < pageCount - (hasLockPage ? 1 : 0) {
      reason = "it lacks pages"
    } else if header == nil || header?.pageCount ?? pageCount != pageCount {
      reason = "its header can't be read"
    } else {
      return
    }
    throw DatabaseError(
      resultCode: .SQLITE_CORRUPT, message: "the restored database is damaged: \(reason)",
      hint:
        "It was removed. Check the cipher settings: the archive's database may have others. If they are "
        + "right, it was damaged when it was archived: restore an earlier commit.")
  }
}
