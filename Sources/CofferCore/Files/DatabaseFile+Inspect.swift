import Glibc

extension DatabaseFile {
  /// What a file is, as far as that shows without a key.
  public struct Inspection: Sendable, Hashable {
    /// The kinds of files.
    public enum Kind: Sendable, Hashable {
      /// There is no file.
      case missing
      /// No bytes: a database that nothing has been written to yet.
      case empty
      /// Fewer bytes than the smallest database has.
      case tooShort
      /// A directory.
      case directory
      /// Neither a file nor a directory.
      case special
      /// A file that can't be read, and why.
      case unreadable(reason: String)
      /// A database that isn't encrypted.
      case plaintext(Header)
      /// An encrypted database whose header was left in plaintext on purpose.
      case plaintextHeader(Header)
      /// An encrypted database and its salt (16 bytes), or other bytes that look like one.
      case encryptedOrUnknown(salt: [UInt8])
      /// Neither a plaintext database nor anything that a cipher puts out.
      case notADatabase
    }

    /// What a readable header says.
    public struct Header: Sendable, Hashable {
      /// Bytes in a page.
      public let pageSize: Int
      /// Pages in the database; nil where the last writer didn't say.
      public let pageCount: Int?
      /// `PRAGMA user_version`.
      public let userVersion: Int
      /// `PRAGMA application_id`.
      public let applicationID: Int
      /// Whether the database is in WAL mode.
      public let usesWAL: Bool
      /// The SQLite that wrote last: 3046001 is 3.46.1.
      public let sqliteVersion: Int
    }

    /// What the file is.
    public let kind: Kind

    /// The file's size in bytes; 0 where there is none.
    public let size: Int

    /// Whether there are commits in a `-wal` file that aren't in the main file yet.
    public let hasWAL: Bool

    /// Whether a `-journal` file has what it takes to undo an unfinished transaction.
    public let hasJournal: Bool

    /// Of SQLCipher's own page sizes, 1024 (version 3 and before) and 4096 (version 4), those that
    /// the size is a multiple of. None: the file was cut, has other pages, or is something else.
    public var matchingPageSizes: [Int] {
      [1024, 4096].filter { size > 0 && size % $0 == 0 }
    }
  }

  /// Tells what a file is without its key, by its size and its first bytes.
  ///
  /// Reads 4 KiB, changes nothing, and takes no lock. What can't be read is a kind, no error.
  public static func inspect(at path: String) -> Inspection {
    // Journals lie beside the file, not beside a link to it.
    let path = PendingFile.resolved(path)
    let (kind, size) = kindAndSize(path)
    // SQLite puts them beside the file that a symbolic link leads to.
    let target = resolvingLinks(path)
    return Inspection(
      kind: kind, size: size, hasWAL: fileSize(target + "-wal") > 0,
      hasJournal: isHotJournal(target + "-journal"))
  }

  private static func kindAndSize(_ path: String) -> (kind: Inspection.Kind, size: Int) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT { return (.missing, 0) }
      return (.unreadable(reason: String(cString: strerror(errno))), 0)
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: return (.directory, 0)
    default: return (.special, 0)
    }
    let size = Int(status.st_size)
    if size == 0 { return (.empty, 0) }
    do throws(ReadOnlyFileError) {
      let start = try ReadOnlyFile(path: path).read(count: 4096, at: 0)
      return (kind(of: start), size)
    } catch {
      return (.unreadable(reason: error.reason), size)
    }
  }

  private static func kind(of start: [UInt8]) -> Inspection.Kind {
    guard start.count >= 512, let header = SQLiteHeader(start) else { return .tooShort }
    if header.hasMagic {
      let facts = Inspection.Header(header)
      // Behind a plaintext header there is ciphertext, at the latest from byte 96 on; a plaintext
      // page 1 holds the schema, which is text.
      let body = start[100..<max(512, min(header.pageSize, start.count))]
      return looksRandom(body) ? .plaintextHeader(facts) : .plaintext(facts)
    }
    return looksRandom(start[16...])
      ? .encryptedOrUnknown(salt: Array(start.prefix(16))) : .notADatabase
  }

  private static func resolvingLinks(_ path: String) -> String {
    // SAFETY: `realpath` allocates the path that it returns.
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func fileSize(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Whether the journal begins with a header: one that is done with has lost it, or is gone.
  private static func isHotJournal(_ path: String) -> Bool {
    guard fileSize(path) > 0 else { return false }
    let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    return (try? ReadOnlyFile(path: path).read(count: 8, at: 0)) == magic
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
  /// A sentence that says what the file is, for people.
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
    case .tooShort: "\(size) bytes, too few for a database"
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
      "neither an SQLite database nor an encrypted file: \(size) bytes"
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
