import CofferSQLite
import Glibc

/// Reads the newest committed version of each page of a database file, without SQLite.
final class SalvageSource {
  let path: String
  let pageSize: Int
  /// The bytes of a page that SQLite uses.
  var usableSize: Int { format.usableSize }
  /// Whether a page can be told to be what was written with the key.
  var isAuthenticated: Bool { format.isAuthenticated }
  /// The header on page 1; nil if that page is lost.
  private(set) var header: SQLiteHeader?
  /// The number of pages of the database.
  private(set) var pageCount = 0
  /// The number of the highest page that is stored.
  private(set) var storedCount = 0
  /// Whether the WAL holds commits behind a damaged frame.
  var hasLostCommits: Bool { versions?.hasLostCommits ?? false }

  private let file: ReadOnlyFile
  private let versions: PageVersions?
  private(set) var decoder: SalvageDecoder
  /// How the pages are decoded, also by other threads.
  var format: SalvageDecoder.Format { decoder.format }

  private init(
    _ path: String, _ file: ReadOnlyFile, _ decoder: SalvageDecoder, pageSize: Int
  ) throws(ReadOnlyFileError) {
    self.path = path
    self.file = file
    self.decoder = decoder
    self.pageSize = pageSize
    versions = try PageVersions.find(.beside(path), pageSize: pageSize)
    let pagesInFile = try file.size() / pageSize
    storedCount = versions?.storedCount(pagesInFile) ?? pagesInFile
    header = read(1).flatMap { SQLiteHeader($0) }
    if let found = header, !found.hasFixedFields(pageSize: pageSize) || !found.isUsable {
      header = nil
    }
    let reservedSize = header?.reservedSize ?? likelyReservedSize()
    self.decoder.format.usableSize = pageSize - reservedSize
    if let count = versions?.pageCount, count > 0 {
      pageCount = count
    } else {
      pageCount = header?.pageCount ?? storedCount
    }
    storedCount = min(storedCount, pageCount)
  }

  /// Opens an encrypted file.
  ///
  /// - Parameter isAuthenticated: False to decrypt pages that can't be authenticated.
  /// - Returns: Nil if there is no libcrypto.
  static func encrypted(
    _ path: String, key: DerivedKey, settings: CipherSettings, isAuthenticated: Bool
  ) throws(ReadOnlyFileError) -> SalvageSource? {
    let file = try ReadOnlyFile(path: path)
    let format = SalvageDecoder.Format(
      usableSize: settings.pageSize - settings.reservedSize,
      isAuthenticated: isAuthenticated && settings.usesHMAC,
      cipher: SalvageDecoder.Cipher(key: key, settings: settings))
    guard let decoder = SalvageDecoder(format) else { return nil }
    return try SalvageSource(path, file, decoder, pageSize: settings.pageSize)
  }

  /// Opens a plaintext file; if its header is lost, with the page size that fits the most pages.
  static func plaintext(
    _ path: String, settings: CipherSettings
  ) throws(ReadOnlyFileError) -> SalvageSource {
    let file = try ReadOnlyFile(path: path)
    func source(_ pageSize: Int, _ reservedSize: Int) throws(ReadOnlyFileError) -> SalvageSource {
      try SalvageSource(
        path, file, SalvageDecoder(usableSize: pageSize - reservedSize), pageSize: pageSize)
    }
    let start = try file.read(count: 100, at: 0)
    if let header = SQLiteHeader(start), header.hasMagic, header.isUsable {
      return try source(header.pageSize, header.reservedSize)
    }
    var best = (source: try source(settings.pageSize, 0), pages: 0)
    for pageSize in [settings.pageSize, 4096, 1024, 8192, 16384, 32768, 65536, 2048, 512] {
      let candidate = try source(pageSize, 0)
      let pages = (1...64).lazy.filter { candidate.treePage($0)?.cells.isEmpty == false }.count
      if pages > best.pages { best = (candidate, pages) }
    }
    return best.source
  }

  /// The number of bytes that SQLite doesn't use, if the header that says it is lost.
  ///
  /// SQLCipher 4 begins with the settings of its default HMAC, and keeps the 80 bytes reserved for
  /// it if the file then gets a shorter one.
  private func likelyReservedSize() -> Int {
    let reservedSize = pageSize - usableSize
    let candidates = format.cipher == nil || pageSize < 560 ? [reservedSize] : [reservedSize, 80]
    func soundPages(_ reserved: Int) -> Int {
      (1...64).lazy.filter { number in
        let page = self.read(number).flatMap {
          BTreePage(
            number: number, bytes: $0, usableSize: self.pageSize - reserved, isExact: true)
        }
        return page?.cells.isEmpty == false
      }.count
    }
    return candidates.max { soundPages($0) < soundPages($1) } ?? reservedSize
  }

  // MARK: Pages

  /// The page that SQLite uses for locks, and never writes.
  var lockPage: Int { SQLiteHeader.lockPage(ofSize: pageSize) }

  /// Returns the plaintext of a page; nil if it isn't stored, can't be read, or isn't authentic.
  func read(_ number: Int) -> [UInt8]? {
    stored(number).flatMap { decoder.plaintext(of: $0, number: number) }
  }

  /// Returns a page of a b-tree; nil if it can't be read or isn't sound.
  func treePage(_ number: Int) -> BTreePage? {
    stored(number).flatMap { decoder.treePage(number, $0) }
  }

  /// Returns the bytes of a page as they are on disk.
  ///
  /// A page that the system can't read is damaged like one that has changed.
  func stored(_ number: Int) -> [UInt8]? {
    guard number >= 1, number <= storedCount, number != lockPage else { return nil }
    var page = [UInt8](repeating: 0, count: pageSize)
    let isRead = unsafe page.withUnsafeMutableBytes { buffer in
      do throws(ReadOnlyFileError) {
        if let versions, let offset = versions.offset(of: number) {
          try versions.read(into: buffer, at: offset)
        } else {
          try file.read(into: buffer, at: (number - 1) * pageSize)
        }
        return true
      } catch {
        return false
      }
    }
    return isRead ? page : nil
  }

  // MARK: Changes

  /// The sizes and times of the files, by which changes by others are noticed.
  static func state(of path: String) -> [Int] {
    ["", "-wal", "-journal"].flatMap { suffix -> [Int] in
      var status = stat()
      guard unsafe stat(path + suffix, &status) == 0 else { return [] }
      return [
        Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
      ]
    }
  }
}

extension SQLiteHeader {
  /// Whether the page size and the reserved bytes are such as SQLite accepts.
  fileprivate var isUsable: Bool {
    (512...65536).contains(pageSize) && pageSize & (pageSize - 1) == 0
      && pageSize - reservedSize >= 480
  }
}
