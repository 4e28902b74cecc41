import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

/// Files that aren't intact databases of the key are neither opened nor changed.
@Suite struct BadFileTests {
  private static let raw = [UInt8](0x40..<0x60)
  private static let key = DatabaseKey(form: .raw, bytes: SecureBytes(copying: raw))
  private static let hexKey = raw.map { String($0, radix: 16) }.joined()

  /// A closed database with rows, overflow pages and an index.
  static func makeDatabase(_ path: String, key: DatabaseKey?) throws {
    var configuration = Configuration()
    configuration.key = key
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, data BLOB);
          CREATE INDEX t_name ON t (name);
          PRAGMA user_version = 9;
          """)
      for number in 1...40 {
        try db.execute(
          sql: "INSERT INTO t VALUES (?, ?, ?)",
          arguments: [
            number, "name \(number) " + String(repeating: "é", count: number),
            Data(repeating: UInt8(number), count: number % 8 == 0 ? 9000 : 120),
          ])
      }
    }
    try queue.close()
  }

  private func bytes(_ path: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: path))
  }

  private func openError(
    _ path: String, key: DatabaseKey?, readonly: Bool = false
  ) -> DatabaseError? {
    var configuration = Configuration()
    configuration.key = key
    configuration.readonly = readonly
    do {
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      try queue.close()
      return nil
    } catch { return error as? DatabaseError }
  }

  // MARK: Each diagnosis

  @Test func `a plaintext file with a key, and an encrypted one without, are diagnosed`() throws {
    let folder = try TemporaryDirectory()
    try Self.makeDatabase(folder.path("plain"), key: nil)
    try Self.makeDatabase(folder.path("encrypted"), key: Self.key)
    let plain = try bytes(folder.path("plain"))
    let encrypted = try bytes(folder.path("encrypted"))
    for key in [Self.key, .passphrase("x")] {
      let error = openError(folder.path("plain"), key: key)
      #expect(error?.cipherDiagnosis == .notEncrypted)
      #expect(error?.resultCode == .SQLITE_NOTADB)
      #expect("\(error as Any)".contains("DatabaseFile.encrypt"))
    }
    for readonly in [false, true] {
      let error = openError(folder.path("encrypted"), key: nil, readonly: readonly)
      #expect(error?.cipherDiagnosis == .keyRequired)
      #expect("\(error as Any)".contains("configuration.key"))
    }
    #expect(try bytes(folder.path("plain")) == plain)
    #expect(try bytes(folder.path("encrypted")) == encrypted)
  }

  @Test func `a wrong key, damage, truncation and another format have their own diagnoses`() throws
  {
    let folder = try TemporaryDirectory()
    let path = folder.path("db")
    try Self.makeDatabase(path, key: Self.key)
    let whole = try bytes(path)
    let pageSize = CipherSettings.default.pageSize
    func expect(
      _ diagnosis: CipherDiagnosis, _ word: String, key: DatabaseKey = Self.key,
      _ change: (inout Data) -> Void = { _ in }
    ) throws {
      var data = whole
      change(&data)
      try data.write(to: URL(fileURLWithPath: path))
      let error = openError(path, key: key)
      #expect(error?.cipherDiagnosis == diagnosis)
      #expect("\(error as Any)".contains(word))
      #expect(try bytes(path) == data)
    }
    try expect(.wrongKey, "Check the passphrase", key: .seeded())
    try expect(.wrongKey, "Check the passphrase", key: .passphrase("x"))
    try expect(.damaged(pages: [1]), "page 1") { $0[100] ^= 1 }
    try expect(.damaged(pages: [1, 3]), "pages 1 and 3") {
      $0[100] ^= 1
      $0[2 * pageSize + 5] ^= 1
    }
    try expect(.truncated, "truncated") { $0 = $0.prefix(pageSize - 1) }
    var generator = SeededGenerator()
    let random = (0..<40_960).map { _ in UInt8.random(in: 0...255, using: &generator) }
    try expect(.wrongKey, "Check the passphrase") { $0 = Data(random) }
    let text = Data(String(repeating: "No database at all. ", count: 1000).utf8)
    try expect(.wrongKeyOrDamaged, "is text, not a database") { $0 = text }
    try expect(.wrongKeyOrDamaged, "nothing in it can tell") { $0 = Data(count: 8192) }
    #expect(openError(path, key: nil)?.cipherDiagnosis == .wrongKeyOrDamaged)
  }

  @Test(
    arguments: [
      ("a PNG image", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
      ("an ELF program or library", [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1]),
      ("a ZIP archive", [0x50, 0x4B, 0x03, 0x04]),
      ("text", Array(#"{"name": "Arthur"}"#.utf8)),
    ] as [(String, [UInt8])])
  func `a file of another kind is called what it is, and stays as it is`(
    name: String, start: [UInt8]
  ) throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("file")
    var generator = SeededGenerator()
    for count in [0, 300, 8_192] {
      let rest = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let data = Data(
        name == "text" ? Array(repeating: start, count: count / 8 + 1).joined() + [] : start + rest)
      try data.write(to: URL(fileURLWithPath: path))
      for key in count == 300 ? [Self.key, .passphrase("x"), nil] : [Self.key, nil] {
        let error = openError(path, key: key)
        #expect(error?.resultCode == .SQLITE_NOTADB)
        #expect("\(error as Any)".contains("The file is \(name), not a database"))
      }
      #expect(try bytes(path) == data)
    }
  }

  @Test func `a database whose salt begins like another file is one`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("db")
    let salt: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3, 4, 5, 6, 7, 8]
    let bytes = [UInt8](repeating: 9, count: 32)
    try Self.makeDatabase(path, key: .raw(bytes, salt: salt))
    let queue = try DatabaseQueue(path: path, key: .raw(bytes))
    #expect(
      try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") } ?? 0 > 0)
    try queue.close()
    var data = try Data(contentsOf: URL(fileURLWithPath: path))
    data[100] ^= 1
    try data.write(to: URL(fileURLWithPath: path))
    #expect(openError(path, key: try .raw(bytes))?.cipherDiagnosis == .damaged(pages: [1]))
  }

  @Test func `an older format is diagnosed`() throws {
    let linked = SQLCipherGeneration.linked
    let other: CipherSettings = linked == .four ? .sqlcipher3 : .sqlcipher4
    let name = linked == .four ? "v3-passphrase.db" : "v4-passphrase.db"
    let error = openError(
      try Fixtures.temporaryCopy(name), key: .passphrase(Fixtures.passphrase))
    #expect(error?.cipherDiagnosis == .olderFormat(other))
    let text = "\(error as Any)"
    #expect(
      text.contains(linked == .four ? "configuration.cipher = .sqlcipher3" : "install version 4"))
  }

  // MARK: Lengths

  @Test func `a file that is cut anywhere can't be opened, or can't be read`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("db")
    try Self.makeDatabase(path, key: Self.key)
    let whole = try bytes(path)
    let pageSize = CipherSettings.default.pageSize
    var lengths = [2, 15, 16, 17, 99, 100, 511, 512, 513]
    lengths += stride(from: pageSize, to: whole.count, by: pageSize)
    lengths += stride(from: pageSize / 2, to: whole.count, by: pageSize)
    // The last 12 bytes of SQLCipher 3's pages mean nothing, and a byte of a code before them that
    // is cut off is read as 0, as one in 256 is.
    lengths += [whole.count - 12 - 16]
    for length in lengths {
      let cut = whole.prefix(length)
      try cut.write(to: URL(fileURLWithPath: path))
      let error = openError(path, key: Self.key)
      // A page that is cut off is an error when it is read.
      if length <= whole.count - pageSize {
        #expect(error?.cipherDiagnosis == .truncated, "\(length) of \(whole.count)")
      }
      #expect(throws: DatabaseError.self, "\(length) of \(whole.count)") {
        try DatabaseQueue(path: path, key: Self.key).read { db in
          _ = try Row.fetchAll(db, sql: "SELECT * FROM t")
          _ = try Row.fetchAll(db, sql: "SELECT name FROM t ORDER BY name")
        }
      }
      #expect(try bytes(path) == cut)
    }
  }

  @Test(arguments: [0, 1])
  func `an empty file and one of a single byte become new encrypted databases`(count: Int) throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("db")
    try Data(repeating: 0x53, count: count).write(to: URL(fileURLWithPath: path))
    let queue = try DatabaseQueue(path: path, key: Self.key)
    guard case .encryptedOrUnknown = DatabaseFile.inspect(at: path).kind else {
      Issue.record("\(DatabaseFile.inspect(at: path))")
      return
    }
    try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    try queue.close()
    #expect(openError(path, key: .seeded())?.cipherDiagnosis != nil)
    #expect(openError(path, key: Self.key) == nil)
  }

  @Test func `bytes after the last page do no harm`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("db")
    try Self.makeDatabase(path, key: Self.key)
    try (bytes(path) + Data([1, 2, 3])).write(to: URL(fileURLWithPath: path))
    let queue = try DatabaseQueue(path: path, key: Self.key)
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 40)
  }

  // MARK: Paths

  @Test func `an error names a folder, a missing one, and a file in the place of one`() throws {
    let folder = try TemporaryDirectory()
    for key in [nil, Self.key] {
      let directory = openError(folder.path, key: key)
      #expect(directory?.resultCode == .SQLITE_CANTOPEN)
      #expect("\(directory as Any)".contains("that of a folder"))
      let missing = openError(folder.path("no/such/db"), key: key)
      #expect(missing?.resultCode == .SQLITE_CANTOPEN)
      #expect("\(missing as Any)".contains("The folder doesn't exist"))
      try Data("x".utf8).write(to: URL(fileURLWithPath: folder.path("file")))
      let inFile = openError(folder.path("file/db"), key: key)
      #expect(inFile?.resultCode == .SQLITE_CANTOPEN)
      let absent = openError(folder.path("absent"), key: key, readonly: true)
      #expect(absent?.resultCode == .SQLITE_CANTOPEN)
      #expect("\(absent as Any)".contains("no such file"))
    }
    #expect(try folder.contents() == ["file"])
  }

  @Test func `a device is no database`() {
    for path in ["/dev/null", "/dev/zero"] {
      for key in [nil, Self.key] {
        let error = openError(path, key: key)
        #expect(error?.resultCode == .SQLITE_CANTOPEN)
        #expect("\(error as Any)".contains("device"))
      }
    }
  }

  @Test func `an error names what permissions forbid`() throws {
    // As another user, since nothing is forbidden to root.
    try #require(getuid() == 0 || geteuid() != 0)
    let runner = getuid() == 0 ? ["as-nobody"] : []
    let folder = try TemporaryDirectory()
    func setPermissions(_ path: String, _ mode: mode_t) {
      if getuid() == 0 { _ = chown(path, 65534, 65534) }
      _ = chmod(path, mode)
    }
    var configuration = Configuration()
    configuration.journalMode = .delete
    let queue = try DatabaseQueue(
      path: folder.path("db"), key: .passphrase("secret"), configuration: configuration)
    try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    try queue.close()
    let before = try bytes(folder.path("db"))
    func open(_ extra: String...) throws -> (status: CInt, lines: [String], error: String) {
      try TestProcess.run(runner + ["open", folder.path("db"), "secret"] + extra)
    }

    setPermissions(folder.path("db"), 0o000)
    setPermissions(folder.path, 0o700)
    let unreadable = try open()
    #expect(unreadable.lines == [])
    #expect(unreadable.error.contains("Check the permissions of the file"))

    setPermissions(folder.path("db"), 0o400)
    let readOnlyFile = try open()
    #expect(readOnlyFile.lines == ["opened 1"])
    #expect(readOnlyFile.error.contains("SQLite error 8"))
    #expect(try open("readonly").lines == ["opened 1"])

    setPermissions(folder.path("db"), 0o600)
    setPermissions(folder.path, 0o500)
    let readOnlyFolder = try open()
    #expect(readOnlyFolder.lines == ["opened 1"])
    #expect(readOnlyFolder.error.contains("SQLite error"))
    let new = try TestProcess.run(runner + ["open", folder.path("new"), "secret"])
    #expect(new.lines == [])
    #expect(new.error.contains("check the folder's permissions"))
    #expect(try bytes(folder.path("db")) == before)

    setPermissions(folder.path, 0o700)
    #expect(try open().lines == ["opened 1", "written"])
  }
}
