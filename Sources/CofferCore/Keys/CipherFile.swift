/// An encrypted database file, read without SQLite to find out which pages were written with the
/// key.
///
/// Each page is read where SQLite reads it: in the WAL or in a hot journal, if they hold a version of
/// it, and otherwise in the main file. There, its version can be an older one, half written, written
/// with an earlier key, or missing.
///
/// Pages are read without a lock. A page that fails is read again, since another process may have
/// been writing it. To be sure, hold a read transaction.
final class CipherFile {
  let settings: CipherSettings
  private let file: ReadOnlyFile
  private let newerPages: PageVersions.Place
  private var foundVersions: PageVersions??
  private let key: DerivedKey
  private let hmacKey: SecureBytes
  private let crypto: LibCrypto

  /// Returns nil if libcrypto is missing or fails.
  init?(
    file: ReadOnlyFile, key: DerivedKey, settings: CipherSettings, newerPages: PageVersions.Place
  ) {
    guard let crypto = LibCrypto.shared, let hmacKey = key.hmacKey(settings, crypto: crypto)
    else { return nil }
    self.file = file
    self.key = key
    self.settings = settings
    self.newerPages = newerPages
    self.hmacKey = hmacKey
    self.crypto = crypto
  }

  /// Opens the file for reading.
  ///
  /// - Parameter newerPages: Where a new connection looks for them, if nil.
  /// - Returns: Nil if there is no libcrypto.
  convenience init?(
    path: String, key: DerivedKey, settings: CipherSettings, newerPages: PageVersions.Place? = nil
  ) throws(ReadOnlyFileError) {
    self.init(
      file: try ReadOnlyFile(path: path), key: key, settings: settings,
      newerPages: newerPages ?? .beside(path))
  }

  /// Returns the same file and key with another page size and HMAC.
  func reinterpreted(as other: CipherSettings) -> CipherFile? {
    CipherFile(file: file, key: key, settings: other, newerPages: newerPages)
  }

  // MARK: Reading

  /// The versions of pages that aren't in the main file.
  private func versions() throws(ReadOnlyFileError) -> PageVersions? {
    if let foundVersions { return foundVersions }
    let found = try PageVersions.find(newerPages, pageSize: settings.pageSize)
    foundVersions = found
    return found
  }

  /// The current number of whole pages that are stored, without those that a commit has cut off.
  func wholePageCount() throws(ReadOnlyFileError) -> Int {
    let inFile = try file.size() / settings.pageSize
    guard let versions = try versions(), versions.pageCount > 0 else { return inFile }
    return min(versions.pageCount, versions.storedCount(inFile))
  }

  /// Returns a page as it is stored; fewer bytes at the end of the file.
  private func stored(page: Int) throws(ReadOnlyFileError) -> [UInt8] {
    let pageSize = settings.pageSize
    guard let versions = try versions(), let offset = versions.offset(of: page) else {
      return try file.read(count: pageSize, at: (page - 1) * pageSize)
    }
    var bytes = [UInt8](repeating: 0, count: pageSize)
    var failure: ReadOnlyFileError?
    unsafe bytes.withUnsafeMutableBytes { buffer in
      do throws(ReadOnlyFileError) {
        try versions.read(into: buffer, at: offset)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  // MARK: Authentication

  /// The page at byte 2^30, which SQLite uses for locks and never writes.
  private var lockPage: Int { 0x4000_0000 / settings.pageSize + 1 }

  /// Whether the page, numbered from 1, is authentic. Without HMAC, always true.
  func verify(page: Int) throws(ReadOnlyFileError) -> Bool {
    guard settings.usesHMAC, page != lockPage else { return true }
    for _ in 0..<2 {
      var bytes = try stored(page: page)
      guard bytes.count == settings.pageSize else { return false }
      if unsafe bytes.withUnsafeMutableBytes({ isAuthentic($0, number: page) }) { return true }
    }
    return false
  }

  /// Returns the pages that aren't authentic, in ascending order; none without HMAC.
  ///
  /// Trailing bytes that don't fill a page, and pages beyond the count in an authentic header,
  /// aren't part of the database and aren't checked.
  /// - Parameter progress: Called about every 256 KiB with the number of checked pages and of all
  ///   pages. An error that it throws ends the scan.
  func verifyAll(progress: ((Int, Int) throws -> Void)? = nil) throws -> [Int] {
    guard settings.usesHMAC else { return [] }
    let pageSize = settings.pageSize
    let versions = try versions()
    var count = try wholePageCount()
    let pagesInFile = try file.size() / pageSize
    if count > 0, try verify(page: 1), let stored = try header()?.pageCount {
      count = min(count, stored)
    }
    let chunk = max(1, 262_144 / pageSize)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk * pageSize, alignment: 16)
    defer { unsafe buffer.deallocate() }
    var suspects: [Int] = []
    var done = 0
    while done < count {
      let pages = min(chunk, count - done)
      let bytes = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<(pages * pageSize)])
      try file.read(into: bytes, at: done * pageSize)
      for index in 0..<pages where done + index + 1 != lockPage {
        if versions?.offset(of: done + index + 1) != nil {
          if try !verify(page: done + index + 1) { suspects.append(done + index + 1) }
          continue
        }
        // A page behind the end of the file is missing.
        if done + index >= pagesInFile {
          suspects.append(done + index + 1)
          continue
        }
        let range = (index * pageSize)..<((index + 1) * pageSize)
        let page = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[range])
        if !isAuthentic(page, number: done + index + 1) { suspects.append(done + index + 1) }
      }
      done += pages
      try progress?(done, count)
    }
    // Pages can have been moved from the WAL to the file meanwhile, and the WAL been written anew.
    for _ in 0..<3 where !suspects.isEmpty {
      foundVersions = nil
      let count = try wholePageCount()
      suspects = try suspects.filter { try $0 <= count && !verify(page: $0) }
    }
    return suspects
  }

  /// Whether the page in the buffer is authentic. Overwrites its HMAC there.
  ///
  /// A page consists of the ciphertext, the IV of 16 bytes, the HMAC and padding. The HMAC covers
  /// the ciphertext, the IV, and the page number as four bytes, lowest first. On page 1, the bytes
  /// before the ciphertext aren't covered.
  @safe private func isAuthentic(_ page: UnsafeMutableRawBufferPointer, number: Int) -> Bool {
    let start = number == 1 ? settings.firstCiphertextOffset : 0
    let end = page.count - settings.reservedSize + 16
    return unsafe withUnsafeTemporaryAllocation(byteCount: 128, alignment: 16) { codes in
      let stored = unsafe UnsafeMutableRawBufferPointer(rebasing: codes[..<settings.hmacSize])
      let computed = unsafe UnsafeMutableRawBufferPointer(rebasing: codes[64...])
      unsafe stored.copyMemory(
        from: UnsafeRawBufferPointer(rebasing: page[end..<(end + stored.count)]))
      for byte in 0..<4 {
        unsafe page[end + byte] = UInt8(truncatingIfNeeded: number >> (8 * byte))
      }
      let message = unsafe UnsafeRawBufferPointer(rebasing: page[start..<(end + 4)])
      guard crypto.hmac(settings.hmacAlgorithm, key: hmacKey, message: message, into: computed)
      else { return false }
      return unsafe constantTimeEqual(
        UnsafeRawBufferPointer(stored),
        UnsafeRawBufferPointer(rebasing: computed[..<stored.count]))
    }
  }

  /// Decrypts a page in its buffer; its IV and HMAC keep no meaning.
  ///
  /// The salt at the beginning of page 1 becomes what a plaintext database has there.
  /// - Parameter isAuthenticated: Whether to decrypt only an authentic page.
  /// - Returns: Whether the page was decrypted.
  @safe func decrypt(
    _ page: UnsafeMutableRawBufferPointer, number: Int, isAuthenticated: Bool
  ) -> Bool {
    precondition(page.count == settings.pageSize)
    if isAuthenticated, !isAuthentic(page, number: number) { return false }
    let start = number == 1 ? settings.firstCiphertextOffset : 0
    let end = page.count - settings.reservedSize
    let ciphertext = unsafe UnsafeRawBufferPointer(rebasing: page[start..<end])
    let iv = unsafe UnsafeRawBufferPointer(rebasing: page[end..<(end + 16)])
    guard let plaintext = crypto.decryptAES256CBC(ciphertext, key: key.key, iv: iv) else {
      return false
    }
    unsafe page[start..<end].copyBytes(from: plaintext)
    if number == 1, settings.plaintextHeaderSize == 0 {
      unsafe page[..<16].copyBytes(from: SQLiteHeader.magic)
    }
    return true
  }

  /// The beginning of page 1 as decrypted with this key, whether it makes sense or not.
  ///
  /// The 16 bytes that the salt replaces are zeros.
  func decryptedHeader() throws(ReadOnlyFileError) -> SQLiteHeader? {
    let pageSize = settings.pageSize
    let page = try stored(page: 1)
    let start = settings.firstCiphertextOffset
    guard page.count >= 112 else { return nil }
    // A truncated page has lost its IV, which only the first block needs.
    let ivOffset = pageSize - settings.reservedSize
    let iv =
      page.count == pageSize
      ? Array(page[ivOffset..<(ivOffset + 16)]) : [UInt8](repeating: 0, count: 16)
    let plaintext = unsafe page[start..<112].withUnsafeBytes { ciphertext in
      unsafe iv.withUnsafeBytes { crypto.decryptAES256CBC(ciphertext, key: key.key, iv: $0) }
    }
    guard let plaintext else { return nil }
    let before =
      settings.plaintextHeaderSize == 0
      ? [UInt8](repeating: 0, count: 16) : Array(page[..<start])
    return SQLiteHeader(before + plaintext)
  }

  /// The database's header; nil if the decrypted bytes don't make sense.
  func header() throws(ReadOnlyFileError) -> SQLiteHeader? {
    guard let header = try decryptedHeader(), header.hasFixedFields(pageSize: settings.pageSize),
      settings.plaintextHeaderSize > 80
        || header.hasZeroExpansion(from: settings.plaintextHeaderSize)
    else { return nil }
    return header
  }
}
