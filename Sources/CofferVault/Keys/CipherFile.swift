import CofferSQLite
import Dispatch
import FoundationEssentials
import Synchronization

/// An encrypted database file, read without SQLite to find out which pages were written with the
/// key.
///
/// Each page is read where SQLite reads it: in the WAL or in a hot journal, if they hold a version
/// of it, and otherwise in the main file. There, its version can be an older one, half written,
/// written with an earlier key, or missing.
///
/// Pages are read without a lock. A page that fails is read again, since another process may have
/// been writing it. To be sure, hold a read transaction.
package final class CipherFile {
  let settings: CipherSettings
  private let givenFile: ReadOnlyFile?
  private let newerPages: PageVersions.Place
  private var foundVersions: PageVersions??
  private let key: DerivedKey
  private let hmacKey: SecureBytes
  private let crypto: LibCrypto
  private let authenticator: PageAuthenticator
  private let decryptor: PageDecryptor

  /// Returns nil if libcrypto is missing or fails.
  ///
  /// - Parameter file: Nil where only pages that the caller has are decrypted.
  package init?(
    file: ReadOnlyFile?, key: DerivedKey, settings: CipherSettings, newerPages: PageVersions.Place
  ) {
    guard let crypto = LibCrypto.shared, let hmacKey = key.hmacKey(settings, crypto: crypto),
      let authenticator = PageAuthenticator(key: hmacKey, settings: settings, crypto: crypto),
      let decryptor = PageDecryptor(key: key.key, crypto: crypto)
    else { return nil }
    givenFile = file
    self.key = key
    self.settings = settings
    self.newerPages = newerPages
    self.hmacKey = hmacKey
    self.crypto = crypto
    self.authenticator = authenticator
    self.decryptor = decryptor
  }

  /// Opens the file for reading.
  ///
  /// - Parameter newerPages: Where a new connection looks for them, if nil.
  /// - Returns: Nil if there is no libcrypto.
  package convenience init?(
    path: String, key: DerivedKey, settings: CipherSettings, newerPages: PageVersions.Place? = nil
  ) throws(ReadOnlyFileError) {
    self.init(
      file: try ReadOnlyFile(path: path), key: key, settings: settings,
      newerPages: newerPages ?? .beside(path))
  }

  /// Returns the same file and key with another page size and HMAC.
  func reinterpreted(as other: CipherSettings) -> CipherFile? {
    CipherFile(file: givenFile, key: key, settings: other, newerPages: newerPages)
  }

  // MARK: Reading

  private var file: ReadOnlyFile {
    get throws(ReadOnlyFileError) {
      guard let givenFile else { throw ReadOnlyFileError(reason: "it is not open") }
      return givenFile
    }
  }

  /// The versions of pages that aren't in the main file.
  private func versions() throws(ReadOnlyFileError) -> PageVersions? {
    if let foundVersions { return foundVersions }
    let found = try PageVersions.find(newerPages, pageSize: settings.pageSize)
    foundVersions = found
    return found
  }

  /// The current number of whole pages that are stored, without those that a commit has cut off.
  package func wholePageCount() throws(ReadOnlyFileError) -> Int {
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

  private var lockPage: Int { SQLiteHeader.lockPage(ofSize: settings.pageSize) }

  /// Whether the page, numbered from 1, is authentic. Without HMAC, always true.
  package func verify(page: Int) throws(ReadOnlyFileError) -> Bool {
    guard settings.usesHMAC, page != lockPage else { return true }
    for _ in 0..<2 {
      let bytes = try stored(page: page)
      guard bytes.count == settings.pageSize else { return false }
      if unsafe bytes.withUnsafeBytes({ authenticator.isAuthentic($0, number: page) }) {
        return true
      }
    }
    return false
  }

  /// Returns the pages that aren't authentic, in ascending order; none without HMAC.
  ///
  /// Trailing bytes that don't fill a page, and pages beyond the count in an authentic header,
  /// aren't part of the database and aren't checked.
  /// - Parameter progress: Called every 256 KiB to 1 MiB with the number of checked pages and of
  ///   all pages. An error that it throws ends the scan.
  package func verifyAll(progress: ((Int, Int) throws -> Void)? = nil) throws -> [Int] {
    guard settings.usesHMAC else { return [] }
    let pageSize = settings.pageSize
    let versions = try versions()
    var count = try wholePageCount()
    if count > 0, try verify(page: 1), let stored = try header()?.pageCount {
      count = min(count, stored)
    }
    let threads = min(ProcessInfo.processInfo.activeProcessorCount, 4)
    let chunk = max(1, threads * 262_144 / pageSize)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk * pageSize, alignment: 16)
    defer { unsafe buffer.deallocate() }
    var suspects: [Int] = []
    var done = 0
    while done < count {
      let numbers = (done + 1)...min(done + chunk, count)
      let bytes = unsafe UnsafeMutableRawBufferPointer(
        rebasing: buffer[..<(numbers.count * pageSize)])
      try file.read(into: bytes, at: done * pageSize)
      let isElsewhere = numbers.map { versions?.offset(of: $0) != nil }
      var failed = try unauthenticated(UnsafeRawBufferPointer(bytes), numbers, threads: threads)
      failed.removeAll { isElsewhere[$0 - numbers.lowerBound] }
      for (number, isElsewhere) in zip(numbers, isElsewhere) where isElsewhere {
        if try !verify(page: number) { failed.append(number) }
      }
      // Pages behind the end of the file are among them: they were read as zeros.
      suspects += failed.sorted()
      done += numbers.count
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

  /// Returns the numbers of the pages in a buffer that aren't authentic.
  @safe private func unauthenticated(
    _ pages: UnsafeRawBufferPointer, _ numbers: ClosedRange<Int>, threads: Int
  ) throws(ReadOnlyFileError) -> [Int] {
    let (settings, hmacKey, crypto, lockPage) = (settings, hmacKey, crypto, lockPage)
    let share = (numbers.count + threads - 1) / threads
    let found = Mutex<[Int]?>([])
    // SAFETY: the threads only read the pages, and end before this returns.
    nonisolated(unsafe) let pages = unsafe pages
    DispatchQueue.concurrentPerform(iterations: threads) { thread in
      guard let own = PageAuthenticator(key: hmacKey, settings: settings, crypto: crypto) else {
        return found.withLock { $0 = nil }
      }
      for number in numbers.dropFirst(thread * share).prefix(share) where number != lockPage {
        let start = (number - numbers.lowerBound) * settings.pageSize
        let page = unsafe UnsafeRawBufferPointer(
          rebasing: pages[start..<(start + settings.pageSize)])
        if !own.isAuthentic(page, number: number) { found.withLock { $0?.append(number) } }
      }
    }
    guard let found = found.withLock({ $0 }) else {
      throw ReadOnlyFileError(code: ResultCode.SQLITE_NOMEM.rawValue)
    }
    return found
  }

  /// Decrypts a page in its buffer; its IV and HMAC keep no meaning.
  ///
  /// The salt at the beginning of page 1 becomes what a plaintext database has there.
  /// - Parameter isAuthenticated: Whether to decrypt only an authentic page.
  /// - Returns: Whether the page was decrypted.
  @safe package func decrypt(
    _ page: UnsafeMutableRawBufferPointer, number: Int, isAuthenticated: Bool
  ) -> Bool {
    precondition(page.count == settings.pageSize)
    if isAuthenticated,
      !authenticator.isAuthentic(UnsafeRawBufferPointer(page), number: number)
    {
      return false
    }
    let start = number == 1 ? settings.firstCiphertextOffset : 0
    let end = page.count - settings.reservedSize
    let blocks = unsafe UnsafeMutableRawBufferPointer(rebasing: page[start..<end])
    let iv = unsafe UnsafeRawBufferPointer(rebasing: page[end..<(end + 16)])
    guard decryptor.decrypt(blocks, iv: iv) else { return false }
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
  package func header() throws(ReadOnlyFileError) -> SQLiteHeader? {
    guard let header = try decryptedHeader(), header.hasFixedFields(pageSize: settings.pageSize),
      settings.plaintextHeaderSize > 80
        || header.hasZeroExpansion(from: settings.plaintextHeaderSize)
    else { return nil }
    return header
  }
}
