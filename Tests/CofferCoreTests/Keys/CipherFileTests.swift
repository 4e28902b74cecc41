import CSQLCipher
import CofferExpectations
import Foundation
import Testing

@testable import CofferCore
@testable import CofferVault

struct CipherFileTests {
  struct File: Sendable, CustomTestStringConvertible {
    var name: String
    var key: DatabaseKey
    var settings: CipherSettings
    var testDescription: String { name }
  }

  static let files: [File] = {
    let raw = DatabaseKey(form: .raw, bytes: SecureBytes(copying: KeyFixtures.rawBytes))
    let salted = DatabaseKey(form: .rawWithSalt(KeyFixtures.salt), bytes: raw.bytes)
    let passphrase = KeyFixtures.passphrase
    return [
      File(name: "keys-4.db", key: passphrase, settings: .sqlcipher4),
      File(name: "keys-4-one-page.db", key: passphrase, settings: .sqlcipher4),
      File(name: "keys-4-raw.db", key: raw, settings: .sqlcipher4),
      File(name: "keys-4-raw-salt.db", key: salted, settings: .sqlcipher4),
      File(
        name: "keys-4-header.db", key: salted, settings: CipherSettings(plaintextHeaderSize: 32)),
      File(name: "keys-4-8192.db", key: passphrase, settings: CipherSettings(pageSize: 8192)),
      File(
        name: "keys-4-sha256.db", key: passphrase,
        settings: CipherSettings(
          kdfIterations: 1000, kdfAlgorithm: .sha256, hmacAlgorithm: .sha256)),
      File(name: "keys-3.db", key: passphrase, settings: .sqlcipher3),
      File(name: "keys-3-one-page.db", key: passphrase, settings: .sqlcipher3),
      File(name: "keys-2.db", key: passphrase, settings: .sqlcipher2),
      File(name: "keys-1.db", key: passphrase, settings: .sqlcipher1),
    ]
  }()

  private func open(_ file: File, path: String? = nil) throws -> CipherFile {
    let derived = try KeyFixtures.derivedKey(file)
    return try #require(
      try CipherFile(
        path: path ?? KeyFixtures.path(file.name), key: derived, settings: file.settings))
  }

  @Test(arguments: files)
  func `every page of the official shells' files is authentic`(file: File) throws {
    let opened = try open(file)
    let size = try KeyFixtures.bytes(file.name).count
    #expect(try opened.wholePageCount() == size / file.settings.pageSize)
    var progress: [(Int, Int)] = []
    #expect(try opened.verifyAll { progress.append(($0, $1)) } == [])
    if file.settings.usesHMAC {
      #expect(progress.last?.0 == size / file.settings.pageSize)
      #expect(progress.last?.1 == size / file.settings.pageSize)
    }
  }

  @Test(arguments: files)
  func `the header is what the shell wrote`(file: File) throws {
    let header = try #require(try open(file).header())
    let size = try KeyFixtures.bytes(file.name).count
    #expect(header.userVersion == 7)
    #expect(header.pageSize == file.settings.pageSize)
    // SQLCipher 4 never reserves less than it does by default.
    #expect(header.reservedSize >= file.settings.reservedSize)
    #expect(header.pageCount == size / file.settings.pageSize)
  }

  @Test(arguments: files.filter(\.settings.usesHMAC))
  func `a flipped bit anywhere in a page is found`(file: File) throws {
    let original = try KeyFixtures.bytes(file.name)
    let pageSize = file.settings.pageSize
    let end = pageSize - file.settings.reservedSize + 16 + file.settings.hmacSize
    for page in 1...(original.count / pageSize) {
      let start = page == 1 ? file.settings.firstCiphertextOffset : 0
      for offset in [start, start + 1, pageSize / 2, end - file.settings.hmacSize - 1, end - 1] {
        var bytes = original
        bytes[(page - 1) * pageSize + offset] ^= 0x10
        try KeyFixtures.withFile(bytes) { path in
          let opened = try open(file, path: path)
          #expect(try opened.verifyAll() == [page])
          #expect(try !opened.verify(page: page))
        }
      }
    }
  }

  @Test func `swapped pages are not authentic`() throws {
    let file = Self.files[0]
    var bytes = try KeyFixtures.bytes(file.name)
    let second = Array(bytes[4096..<8192])
    bytes.replaceSubrange(4096..<8192, with: bytes[8192..<12288])
    bytes.replaceSubrange(8192..<12288, with: second)
    try KeyFixtures.withFile(bytes) { path in
      let pages = try open(file, path: path).verifyAll()
      #expect(pages == [2, 3])
    }
  }

  @Test func `trailing bytes are no pages`() throws {
    for extra in [1, 4096, 10_000] {
      try KeyFixtures.withCopy(
        of: "keys-4.db", changing: { $0 += [UInt8](repeating: 1, count: extra) }
      ) { path in
        let pages = try open(Self.files[0], path: path).verifyAll()
        #expect(pages == [])
      }
    }
  }

  @Test func `an error thrown by progress ends the scan`() throws {
    let opened = try open(Self.files[0])
    #expect(throws: TestError.self) { try opened.verifyAll { _, _ in throw TestError() } }
  }

  @Test func `the page that SQLite locks is skipped`() throws {
    // A sparse file of 65536-byte pages, none of which is authentic, that spans byte 2^30.
    try KeyFixtures.withFile([]) { path in
      let settings = CipherSettings(pageSize: 65536)
      let lockPage = 0x4000_0000 / 65536 + 1
      #expect(truncate(path, off_t((lockPage + 1) * 65536)) == 0)
      let key = DerivedKey(key: SecureBytes(copying: KeyFixtures.rawBytes), salt: KeyFixtures.salt)
      let opened = try #require(try CipherFile(path: path, key: key, settings: settings))
      #expect(try opened.verify(page: lockPage))
      #expect(try !opened.verify(page: lockPage + 1))
      #expect(try !opened.verify(page: lockPage - 1))
    }
  }

  /// Closing a descriptor of a file gives up all of the process's POSIX locks on it.
  @Test func `reading a file leaves the locks of open connections alone`() throws {
    try KeyFixtures.withCopy(of: "keys-plain.db") { path in
      var connection: OpaquePointer?
      defer { sqlite3_close(connection) }
      #expect(sqlite3_open(path, &connection) == SQLITE_OK)
      #expect(sqlite3_exec(connection, "BEGIN EXCLUSIVE", nil, nil, nil) == SQLITE_OK)
      _ = DatabaseFile.inspect(at: path)
      #expect(
        CipherDiagnosis.diagnose(path: path, key: .passphrase("p"), settings: .default)
          == .notEncrypted)
      #expect(isLocked(path))
      // Closing a plain descriptor has released the lock, so the test can fail.
      #expect(!isLocked(path))
    }
  }

  /// Whether SQLite's pending byte is locked. Finding out drops the process's own locks.
  private func isLocked(_ path: String) -> Bool {
    let descriptor = Glibc.open(path, O_RDWR)
    defer { close(descriptor) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = 0x4000_0000
    lock.l_len = 1
    // An "open file description" lock, F_OFD_SETLK, conflicts with the process's own POSIX locks.
    return fcntl(descriptor, 37, &lock) == -1 && (errno == EAGAIN || errno == EACCES)
  }
}
