import Dispatch
import Synchronization

/// A database file that is put together from pages, and gets its name once all of them are verified.
package final class RestoredFile {
  private let file: PendingFile
  private let key: DerivedKey
  private let settings: CipherSettings
  private let verifier: PartVerifier
  private var written = PageSet()
  /// The pages whose last version isn't authentic.
  private var damaged = PageSet()
  /// The key slots that the file gets; nil for none.
  private let slots: [UInt8]?

  /// - Throws: ``DatabaseError`` if there is a file at the path, or what is left of one.
  package init(
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
    guard let crypto = LibCrypto.shared, let hmacKey = key.hmacKey(settings, crypto: crypto) else {
      throw DatabaseError(
        resultCode: .SQLITE_ERROR, message: "an archive needs the functions of libcrypto")
    }
    file = try PendingFile(for: target)
    self.key = key
    self.settings = settings
    self.slots = slots
    verifier = PartVerifier(settings: settings, hmacKey: hmacKey, crypto: crypto)
  }

  /// Writes parts over what is there, each over the ones before it.
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
      let verifier = verifier
      let parts = Mutex<[Int: Result<Part, any Error>]>([:])
      DispatchQueue.concurrentPerform(iterations: count) { index in
        let result = Result { try verifier.part(part(first + index)) }
        parts.withLock { $0[index] = result }
      }
      let read = parts.withLock { $0 }
      for index in 0..<count { if let part = try read[index]?.get() { try write(part) } }
      try progress(first + count)
    }
  }

  /// Writes pages over those that are there.
  ///
  /// - Parameter frames: Each a page's number, of 4 bytes, and the page as it is stored.
  package func write(_ frames: ArraySlice<UInt8>) throws { try write(verifier.part(frames)) }

  private func write(_ part: Part) throws {
    let size = settings.pageSize + 4
    // Neighbouring pages are written at once.
    var (first, run) = (0, [UInt8]())
    run.reserveCapacity(min(part.frames.count, 1 << 20 + size))
    for (index, (number, isAuthentic)) in part.pages.enumerated() {
      if number != first + run.count / settings.pageSize || run.count >= 1 << 20 {
        if !run.isEmpty { try file.write(run, at: (first - 1) * settings.pageSize) }
        first = number
        run.removeAll(keepingCapacity: true)
      }
      let start = part.frames.startIndex + index * size
      run += part.frames[(start + 4)..<(start + size)]
      written.insert(number)
      if isAuthentic { damaged.remove(number) } else { damaged.insert(number) }
    }
    if !run.isEmpty { try file.write(run, at: (first - 1) * settings.pageSize) }
    file.beginSyncing()
  }

  /// Requires that each page was written, and is authentic, and gives the file its name.
  ///
  /// - Parameters:
  ///   - pageCount: The number of the database's pages.
  ///   - beforeNaming: Called with the path of the complete file.
  /// - Throws: An error with nothing left of the file; or one with the code `SQLITE_IOERR_DIR_FSYNC`,
  ///   which says that it is in place.
  package func finish(
    pageCount: Int, beforeNaming: (String) throws -> Void = { _ in }
  ) throws {
    try file.setSize(pageCount * settings.pageSize)
    try requireWhole(pageCount: pageCount)
    try beforeNaming(file.path)
    let slotsFile = try slots.map { bytes in
      let slotsFile = try PendingFile(for: KeySlots.path(forDatabaseAt: file.target))
      try slotsFile.write(bytes)
      // Without its slots nothing opens the database, so they come first. The same ones may be there.
      try slotsFile.moveToTarget(replaces: PendingFile.size(of: slotsFile.target) != nil)
      return slotsFile
    }
    var isInPlace = false
    defer { if !isInPlace, let slotsFile { PendingFile.remove(slotsFile.target) } }
    try file.moveToTarget(replaces: false) { isInPlace = true }
  }

  private func requireWhole(pageCount: Int) throws {
    written.removeAll(above: pageCount)
    damaged.removeAll(above: pageCount)
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

/// Pages on their way to a file.
private struct Part: Sendable {
  let frames: ArraySlice<UInt8>
  /// The numbers of the frames' pages, and whether they are authentic.
  var pages: [(number: Int, isAuthentic: Bool)] = []
}

/// Verifies pages on any thread.
private struct PartVerifier: Sendable {
  let settings: CipherSettings
  let hmacKey: SecureBytes
  let crypto: LibCrypto

  func part(_ frames: ArraySlice<UInt8>) throws -> Part {
    let size = settings.pageSize + 4
    precondition(frames.count % size == 0)
    guard
      let authenticator = PageAuthenticator(key: hmacKey, settings: settings, crypto: crypto)
    else { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
    var part = Part(frames: frames)
    part.pages.reserveCapacity(frames.count / size)
    unsafe frames.withUnsafeBytes { bytes in
      for start in stride(from: 0, to: bytes.count, by: size) {
        let number = unsafe Int(
          UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self)))
        let page = unsafe UnsafeRawBufferPointer(rebasing: bytes[(start + 4)..<(start + size)])
        part.pages.append(
          (number, !settings.usesHMAC || authenticator.isAuthentic(page, number: number)))
      }
    }
    return part
  }
}
