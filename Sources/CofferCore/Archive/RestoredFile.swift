import Dispatch
import Synchronization

/// A database file that is put together from pages, and gets its name once all of them are verified.
package final class RestoredFile {
  /// What is known of the pages that were written.
  private struct Pages {
    var written = PageSet()
    /// Those whose last version isn't authentic.
    var damaged = PageSet()
    var failure: (any Error)?
  }

  private let file: PendingFile
  private let key: DerivedKey
  private let settings: CipherSettings
  private let crypto: LibCrypto
  private let hmacKey: SecureBytes
  private let pages = Mutex(Pages())
  /// The key slots that the file gets; nil for none.
  package var slots: [UInt8]?

  /// - Throws: ``DatabaseError`` if there is a file at the path, or what is left of one.
  package init(at target: String, key: DerivedKey, settings: CipherSettings) throws {
    try PendingFile.requireNone(at: target)
    for path in KeySlotsChange.files(forDatabaseAt: target) where PendingFile.size(of: path) != nil
    {
      throw DatabaseError(
        resultCode: .SQLITE_CANTOPEN, message: "there is a file at \(path)",
        hint: "It has the key slots of another database: move it away, or choose another path.")
    }
    guard let crypto = LibCrypto.shared, let hmacKey = key.hmacKey(settings, crypto: crypto) else {
      throw DatabaseError(
        resultCode: .SQLITE_ERROR, message: "an archive needs the functions of libcrypto")
    }
    file = try PendingFile(for: target)
    self.key = key
    self.settings = settings
    self.crypto = crypto
    self.hmacKey = hmacKey
  }

  /// Writes parts that have no page in common, several at a time.
  ///
  /// - Parameters:
  ///   - part: Returns the frames of a part: each a page's number, of 4 bytes, and the page as it is
  ///     stored. Called on several threads.
  ///   - progress: Called with the number of parts that are written.
  package func write(
    partCount: Int, _ part: @Sendable (Int) throws -> ArraySlice<UInt8>,
    progress: (Int) throws -> Void
  ) throws {
    // As many as are in memory, or on their way through a network, at the same time.
    let atOnce = 4
    for first in stride(from: 0, to: partCount, by: atOnce) {
      let count = min(atOnce, partCount - first)
      // SAFETY: the threads write to different places of the file, and end before this returns. What
      // else they change is in a mutex.
      nonisolated(unsafe) let file = self
      DispatchQueue.concurrentPerform(iterations: count) { index in
        do {
          let frames = try part(first + index)
          try unsafe file.write(frames)
        } catch {
          unsafe file.pages.withLock { $0.failure = $0.failure ?? error }
        }
      }
      if let failure = pages.withLock({ $0.failure }) { throw failure }
      try progress(first + count)
    }
  }

  /// Writes pages over those that are there.
  ///
  /// - Parameter frames: Each a page's number, of 4 bytes, and the page as it is stored.
  package func write(_ frames: ArraySlice<UInt8>) throws {
    let (pageSize, size) = (settings.pageSize, settings.pageSize + 4)
    precondition(frames.count % size == 0)
    guard
      let authenticator = PageAuthenticator(key: hmacKey, settings: settings, crypto: crypto)
    else { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
    var numbers: [(page: Int, isAuthentic: Bool)] = []
    numbers.reserveCapacity(frames.count / size)
    // Neighbouring pages are written at once.
    var (first, run) = (0, [UInt8]())
    run.reserveCapacity(min(frames.count, 1 << 20 + pageSize))
    for start in stride(from: frames.startIndex, to: frames.endIndex, by: size) {
      let number = (0..<4).reduce(0) { $0 | Int(frames[start + $1]) << (8 * $1) }
      let page = frames[(start + 4)..<(start + size)]
      let isAuthentic = unsafe page.withUnsafeBytes {
        !settings.usesHMAC || authenticator.isAuthentic($0, number: number)
      }
      numbers.append((number, isAuthentic))
      if number != first + run.count / pageSize || run.count > 1 << 20 {
        if !run.isEmpty { try file.write(run, at: (first - 1) * pageSize) }
        first = number
        run.removeAll(keepingCapacity: true)
      }
      run += page
    }
    if !run.isEmpty { try file.write(run, at: (first - 1) * pageSize) }
    file.beginSyncing()
    pages.withLock { pages in
      for (number, isAuthentic) in numbers {
        pages.written.insert(number)
        if isAuthentic { pages.damaged.remove(number) } else { pages.damaged.insert(number) }
      }
    }
  }

  /// Requires that each page was written, and is authentic, and gives the file its name.
  ///
  /// - Parameter pageCount: The number of the database's pages.
  /// - Throws: An error with nothing left of the file; or one with the code `SQLITE_IOERR_DIR_FSYNC`,
  ///   which says that it is in place.
  package func finish(pageCount: Int) throws {
    try file.setSize(pageCount * settings.pageSize)
    try requireWhole(pageCount: pageCount)
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

  private func requireWhole(pageCount: Int) throws {
    let (writtenCount, damaged) = pages.withLock { pages in
      pages.written.removeAll(above: pageCount)
      pages.damaged.removeAll(above: pageCount)
      return (pages.written.count, pages.damaged.first(8))
    }
    let hasLockPage = pageCount >= SQLiteHeader.lockPage(ofSize: settings.pageSize)
    let header: SQLiteHeader?
    do {
      header = try CipherFile(path: file.path, key: key, settings: settings, newerPages: .nowhere)?
        .header()
    } catch {
      throw error.databaseError(file.path)
    }
    let reason: String
    if !damaged.isEmpty {
      reason = "its pages \(damaged) can't be verified"
    } else if writtenCount < pageCount - (hasLockPage ? 1 : 0) {
      reason = "it lacks pages"
    } else if header == nil || header?.pageCount ?? pageCount != pageCount {
      reason = "its header can't be read"
    } else {
      return
    }
    throw DatabaseError(
      resultCode: .SQLITE_CORRUPT, message: "the restored database is damaged: \(reason)",
      hint: "It was removed. It was damaged when it was archived: restore an earlier commit.")
  }
}
