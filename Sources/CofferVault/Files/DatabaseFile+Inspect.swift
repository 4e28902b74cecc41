import CofferSQLite
import Glibc

extension DatabaseFile {
  /// The properties of a file that can be determined without a key.
  public struct Inspection: Sendable, Hashable {
    /// The kind of a file.
    public enum Kind: Sendable, Hashable {
      /// There is no file.
      case missing
      /// An empty file: a database that has never been written.
      case empty
      /// A file smaller than the smallest database.
      case tooShort
      /// A directory.
      case directory
      /// Neither a file nor a directory.
      case special
      /// A file that can't be read, with the reason.
      case unreadable(reason: String)
      /// A database that isn't encrypted.
      case plaintext(Header)
      /// An encrypted database whose header is in plaintext by choice.
      case plaintextHeader(Header)
      /// An encrypted database with its salt (16 bytes), or other data that looks like one.
      case encryptedOrUnknown(salt: [UInt8])
      /// A file that is neither a plaintext database nor possible output of a cipher.
      case notADatabase
    }

    /// The contents of a readable header.
    public struct Header: Sendable, Hashable {
      /// The number of bytes in a page.
      public let pageSize: Int
      /// The number of pages in the database.
      ///
      /// Nil if the last writer didn't store it.
      public let pageCount: Int?
      /// `PRAGMA user_version`.
      public let userVersion: Int
      /// `PRAGMA application_id`.
      public let applicationID: Int
      /// Whether the database is in WAL mode.
      public let usesWAL: Bool
      /// The SQLite version that wrote last: 3046001 is 3.46.1.
      public let sqliteVersion: Int
    }

    /// The file's kind.
    public let kind: Kind

    /// What a file is that isn't a database, by its first bytes, such as `a PNG image` or `text`.
    ///
    /// Nil if they don't show it.
    public let fileType: String?

    /// The file's size in bytes.
    ///
    /// 0 if there is no file.
    public let size: Int

    /// Whether a `-wal` file holds commits that aren't in the main file yet.
    public let hasWAL: Bool

    /// Whether a `-journal` file can roll back an unfinished transaction.
    public let hasJournal: Bool

    /// The code of an error that says that the file can't be read: `SQLITE_NOMEM` for want of
    /// memory.
    package var unreadableCode = ResultCode.SQLITE_CANTOPEN

    /// SQLCipher's default page sizes that divide the file size.
    ///
    /// The candidates are 1024 (up to version 3) and 4096 (version 4). If neither divides the file
    /// size, the file was truncated, has another page size, or isn't a database.
    public var matchingPageSizes: [Int] {
      [1024, 4096].filter { size > 0 && size % $0 == 0 }
    }
  }

  /// Determines what a file is without its key, from its size and first bytes.
  ///
  /// Reads 4 KiB, changes nothing, and takes no lock. An unreadable file is a kind, not an error.
  public static func inspect(at path: String) -> Inspection {
    guard CName.isWhole(path) else {
      return Inspection(
        kind: .unreadable(reason: "its path has a NUL character"), fileType: nil, size: 0,
        hasWAL: false, hasJournal: false)
    }
    // Journals are beside the file itself, not beside a symbolic link to it.
    let path = PendingFile.resolved(path)
    let (kind, size, fileType, failure) = examine(path)
    var inspection = Inspection(
      kind: kind, fileType: fileType, size: size,
      hasWAL: PendingFile.size(of: path + "-wal") ?? 0 > 0,
      hasJournal: isHotJournal(path + "-journal"))
    if let failure { inspection.unreadableCode = ResultCode(rawValue: failure.code & 0xFF) }
    return inspection
  }

  /// Whether a file begins like a plaintext database, although its settings encrypt the beginning.
  ///
  /// - Throws: An error with the code `SQLITE_IOERR` or `SQLITE_NOMEM` if the file can't be read.
  package static func isExposed(
    at path: String, despite settings: CipherSettings
  ) throws(DatabaseError) -> Bool {
    guard settings.plaintextHeaderSize == 0 else { return false }
    let (kind, _, _, failure) = examine(path)
    if let failure { throw failure.databaseError(path) }
    if case .plaintext = kind { return true }
    return false
  }

  /// The size of a file in bytes, 0 if it can't be determined; nil for a device, a pipe or a
  /// socket.
  ///
  /// One system call, where ``inspect(at:)`` reads the file and looks for its journals.
  package static func size(at path: String) -> Int? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return 0 }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return Int(status.st_size)
    case S_IFDIR: return 0
    default: return nil
    }
  }

  private static func examine(
    _ path: String
  ) -> (kind: Inspection.Kind, size: Int, fileType: String?, failure: ReadOnlyFileError?) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      if errno == ENOENT { return (.missing, 0, nil, nil) }
      let failure = unsafe ReadOnlyFileError(reason: String(cString: strerror(errno)))
      return (.unreadable(reason: failure.reason), 0, nil, failure)
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: return (.directory, 0, nil, nil)
    default: return (.special, 0, nil, nil)
    }
    let size = Int(status.st_size)
    if size == 0 { return (.empty, 0, nil, nil) }
    do throws(ReadOnlyFileError) {
      let file = try ReadOnlyFile(path: path)
      var start = try file.read(count: 4096, at: 0)
      if let header = SQLiteHeader(start), header.hasMagic, header.pageSize > start.count {
        start = try file.read(count: header.pageSize, at: 0)
      }
      let fileType = FileSignature.name(of: start)
      return (kind(of: start, fileType), size, fileType, nil)
    } catch {
      return (.unreadable(reason: error.reason), size, nil, error)
    }
  }

  private static func kind(of start: [UInt8], _ fileType: String?) -> Inspection.Kind {
    guard start.count >= 512, let header = SQLiteHeader(start) else { return .tooShort }
    if header.hasMagic {
      let facts = Inspection.Header(header)
      // A plaintext header is followed by ciphertext, at the latest from byte 96; a plaintext page
      // 1 is one of the schema's table. If that is damaged, it has the text of the schema at least,
      // but for an interior page.
      let page = BTreePage(
        number: 1, bytes: start, usableSize: header.pageSize - header.reservedSize, isExact: false)
      if page?.kind.isTable == true { return .plaintext(facts) }
      let body = start[100..<max(512, min(header.pageSize, start.count))]
      return looksRandom(body) ? .plaintextHeader(facts) : .plaintext(facts)
    }
    return fileType == nil && looksRandom(start[16...])
      ? .encryptedOrUnknown(salt: Array(start.prefix(16))) : .notADatabase
  }

  /// Whether the journal begins with a header; a journal that is no longer needed lacks it or is
  /// deleted.
  private static func isHotJournal(_ path: String) -> Bool {
    guard PendingFile.size(of: path) ?? 0 > 0 else { return false }
    return (try? ReadOnlyFile(path: path).read(count: 8, at: 0)) == FileSignature.journal
  }
}

extension DatabaseFile.Inspection.Header {
  init(_ header: SQLiteHeader) {
    self.init(
      pageSize: header.pageSize, pageCount: header.pageCount, userVersion: header.userVersion,
      applicationID: header.applicationID, usesWAL: header.usesWAL,
      sqliteVersion: header.sqliteVersion)
  }
}

extension DatabaseFile.Inspection: CustomStringConvertible {
  /// A readable description of the file.
  public var description: String {
    var text = kindDescription
    if hasWAL { text += ", with commits in its -wal file" }
    if hasJournal { text += ", with an unfinished transaction in its -journal file" }
    return text
  }

  private var kindDescription: String {
    switch kind {
    case .missing: "no file"
    case .empty: "an empty file, which becomes a database with the first write"
    case .tooShort: fileType ?? "\(size) bytes, too few for a database"
    case .directory: "a directory"
    case .special: "neither a file nor a directory"
    case .unreadable(let reason): "a file that can't be read: \(reason)"
    case .plaintext(let header):
      "an SQLite database that is not encrypted: \(size) bytes, pages of \(header.pageSize), "
        + "user_version \(header.userVersion)"
    case .plaintextHeader(let header):
      "an encrypted database with a plaintext header: \(size) bytes, pages of \(header.pageSize)"
    case .encryptedOrUnknown:
      "an encrypted database, or unknown data: \(size) bytes, \(pageSizeDescription)"
    case .notADatabase:
      fileType ?? "neither an SQLite database nor an encrypted file: \(size) bytes"
    }
  }

  private var pageSizeDescription: String {
    switch matchingPageSizes {
    case [1024, 4096]: "a multiple of 1024 and of 4096"
    case [1024]: "a multiple of 1024 (SQLCipher 3), not of 4096 (SQLCipher 4)"
    default: "no multiple of the page sizes 1024 and 4096"
    }
  }
}
