import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore
@testable import CofferVault

struct CipherDiagnosisTests {
  typealias File = CipherFileTests.File
  static let files = CipherFileTests.files

  private func diagnose(
    _ name: String, key: DatabaseKey? = KeyFixtures.passphrase,
    settings: CipherSettings = .sqlcipher4, changing change: (inout [UInt8]) -> Void = { _ in }
  ) throws -> CipherDiagnosis? {
    try KeyFixtures.withCopy(of: name, changing: change) { path in
      CipherDiagnosis.diagnose(path: path, key: key, settings: settings)
    }
  }

  /// The same under the fixture's own settings, with a key that is derived once.
  private func diagnose(
    _ file: File, changing change: (inout [UInt8]) -> Void = { _ in }
  ) throws -> CipherDiagnosis? {
    let derived = try KeyFixtures.derivedKey(file)
    return try KeyFixtures.withCopy(of: file.name, changing: change) { path in
      CipherDiagnosis.diagnose(
        path: path, key: file.key, settings: file.settings, derived: derived)
    }
  }

  @Test(arguments: files)
  func `nothing is wrong with a whole file under its key`(file: File) throws {
    #expect(try diagnose(file.name, key: file.key, settings: file.settings) == nil)
    #expect(try diagnose(file) { $0 += [1, 2, 3] } == nil)
  }

  @Test(arguments: files)
  func `an encrypted file asks for a key`(file: File) throws {
    #expect(try diagnose(file.name, key: nil) == .keyRequired)
  }

  @Test(arguments: files)
  func `a wrong key is diagnosed where the file's pages allow it`(file: File) throws {
    let pages = try KeyFixtures.bytes(file.name).count / file.settings.pageSize
    let expected: CipherDiagnosis =
      pages > 1 && file.settings.usesHMAC ? .wrongKey : .wrongKeyOrDamaged
    let wrong =
      file.settings.plaintextHeaderSize > 0
      ? DatabaseKey(form: .rawWithSalt(KeyFixtures.salt), bytes: DatabaseKey.seeded().bytes)
      : .passphrase("Correct horse")
    #expect(try diagnose(file.name, key: wrong, settings: file.settings) == expected)
  }

  @Test func `raw keys and passphrases are wrong for each other's files`() throws {
    let raw = try DatabaseKey.raw(KeyFixtures.rawBytes)
    #expect(try diagnose("keys-4.db", key: raw) == .wrongKey)
    #expect(
      try diagnose("keys-4-raw.db", key: .passphrase(bytes: KeyFixtures.rawBytes)) == .wrongKey)
    #expect(try diagnose("keys-4-raw.db", key: .seeded()) == .wrongKey)
  }

  @Test func `a plaintext file is diagnosed`() throws {
    #expect(try diagnose("keys-plain.db") == .notEncrypted)
    #expect(
      try diagnose("keys-plain.db", settings: CipherSettings(plaintextHeaderSize: 32))
        == .notEncrypted)
    #expect(try diagnose("keys-plain.db", key: nil) == nil)
    #expect(try diagnose("keys-plain.db", key: nil) { $0.removeLast(2048) } == .truncated)
  }

  @Test(arguments: files.filter { $0.settings.usesHMAC })
  func `damage is reported by page under the right key`(file: File) throws {
    let size = file.settings.pageSize
    let count = try KeyFixtures.bytes(file.name).count / size
    func damage(_ offsets: Int...) throws -> CipherDiagnosis? {
      try diagnose(file) { bytes in
        for offset in offsets { bytes[offset] ^= 1 }
      }
    }
    for offset in [file.settings.firstCiphertextOffset, 50, 150, size / 2, size - 70] {
      #expect(try damage(offset) == .damaged(pages: [1]), "byte \(offset)")
    }
    guard count > 1 else { return }
    #expect(try damage(size + 99) == .damaged(pages: [2]))
    #expect(
      try damage(file.settings.firstCiphertextOffset, size + 99, count * size - 200)
        == .damaged(pages: [1, 2, count].uniqued))
  }

  @Test func `zeroed and overwritten pages are damage`() throws {
    for range in [4096..<8192, 0..<4096, 4096..<20480] {
      let found = try diagnose("keys-4-raw.db", key: .raw(KeyFixtures.rawBytes)) { bytes in
        for index in range where index >= 16 { bytes[index] = 0 }
      }
      let pages = (range.lowerBound / 4096 + 1)...(range.upperBound / 4096)
      #expect(found == .damaged(pages: Array(pages)))
    }
  }

  @Test func `a changed salt is damage to a raw key, and a wrong key to a passphrase`() throws {
    let raw = try DatabaseKey.raw(KeyFixtures.rawBytes)
    #expect(try diagnose("keys-4-raw.db", key: raw) { $0[3] ^= 1 } == .damaged(pages: [1]))
    #expect(try diagnose("keys-4.db") { $0[3] ^= 1 } == .wrongKey)
    #expect(CipherDiagnosis.wrongKey.message.contains("salt"))
  }

  @Test func `a salt that isn't the file's is diagnosed`() throws {
    let other = try DatabaseKey.raw(KeyFixtures.rawBytes, salt: [UInt8](repeating: 1, count: 16))
    #expect(try diagnose("keys-4-raw.db", key: other) == .wrongSalt)
    #expect(try diagnose("keys-4-raw-salt.db", key: other) == .wrongSalt)
    let unrelated = DatabaseKey(form: other.form, bytes: DatabaseKey.seeded().bytes)
    #expect(try diagnose("keys-4-raw-salt.db", key: unrelated) == .wrongKey)
  }

  @Test(arguments: files)
  func `a cut file is truncated`(file: File) throws {
    let size = file.settings.pageSize
    let count = try KeyFixtures.bytes(file.name).count
    var lengths = [2, 100, 511, 513, size - 1]
    if count > size { lengths += [size, size + 1, count - size, count - 1] }
    for length in lengths {
      let found = try diagnose(file) {
        $0 = Array($0.prefix(length))
      }
      #expect(found == .truncated, "\(length) bytes")
    }
  }

  @Test func `half of page 1 is truncated under the right key, and may be anything otherwise`()
    throws
  {
    #expect(try diagnose("keys-4.db") { $0 = Array($0.prefix(2048)) } == .truncated)
    #expect(
      try diagnose("keys-4.db", key: .passphrase("x")) { $0 = Array($0.prefix(2048)) }
        == .wrongKeyOrDamaged)
  }

  @Test func `a file that its WAL completes is not truncated`() throws {
    try KeyFixtures.withCopy(of: "keys-4.db", changing: { $0.removeLast(4096) }) { path in
      let key = KeyFixtures.passphrase
      #expect(CipherDiagnosis.diagnose(path: path, key: key, settings: .sqlcipher4) == .truncated)
      for suffix in ["-wal", "-journal"] {
        let journal: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7, 0]
        try Data(journal).write(to: URL(fileURLWithPath: path + suffix))
        #expect(CipherDiagnosis.diagnose(path: path, key: key, settings: .sqlcipher4) == nil)
        try FileManager.default.removeItem(atPath: path + suffix)
      }
      // The journal that a finished transaction leaves in PERSIST mode makes no difference.
      try Data(count: 512).write(to: URL(fileURLWithPath: path + "-journal"))
      #expect(CipherDiagnosis.diagnose(path: path, key: key, settings: .sqlcipher4) == .truncated)
    }
  }

  @Test(arguments: files, [CipherSettings.sqlcipher4, .sqlcipher3])
  func `other settings are found`(file: File, configured: CipherSettings) throws {
    // Settings that no generation uses for its derivation can't be found.
    guard file.settings != configured, file.settings.kdfIterations != 1000 else { return }
    #expect(
      try diagnose(file.name, key: file.key, settings: configured)
        == .olderFormat(file.settings))
  }

  @Test func `another plaintext header is no damage to page 1`() throws {
    let key = try DatabaseKey.raw(KeyFixtures.rawBytes, salt: KeyFixtures.salt)
    for size in [0, 16, 48, 96] {
      let found = try diagnose(
        "keys-4-header.db", key: key, settings: CipherSettings(plaintextHeaderSize: size))
      #expect(found == .olderFormat(CipherSettings(plaintextHeaderSize: 32)))
    }
    let headless = try diagnose(
      "keys-4-raw-salt.db", key: key, settings: CipherSettings(plaintextHeaderSize: 32))
    #expect(headless == .olderFormat(.sqlcipher4))
  }

  @Test func `an older format is diagnosed through a damaged first page`() throws {
    #expect(try diagnose("keys-3.db") { $0[500] ^= 1 } == .olderFormat(.sqlcipher3))
  }

  @Test func `bytes that no cipher produces aren't diagnosed as a wrong key`() throws {
    let text = Array(String(repeating: "Lorem ipsum dolor sit amet. ", count: 1000).utf8)
    for bytes in [text, [UInt8](repeating: 0, count: 20480)] {
      for key in [nil, KeyFixtures.passphrase] {
        #expect(try diagnose("keys-4.db", key: key) { $0 = bytes } == .wrongKeyOrDamaged)
      }
    }
  }

  @Test func `without a file, there is no diagnosis`() throws {
    let key = KeyFixtures.passphrase
    #expect(CipherDiagnosis.diagnose(path: "/tmp", key: key, settings: .sqlcipher4) == nil)
    #expect(CipherDiagnosis.diagnose(path: "/nonexistent", key: key, settings: .sqlcipher4) == nil)
    for bytes in [[], [1]] as [[UInt8]] {
      #expect(try diagnose("keys-4.db") { $0 = bytes } == nil)
    }
  }

  @Test func `one derivation serves the opening and its diagnosis`() throws {
    DerivationCount.startCountingBySalt()
    try KeyFixtures.withFile([]) { path in
      let salt = DerivedKey.seededSalt()
      let settings = CipherSettings.default
      let derived = try #require(
        try DerivedKey.derive(from: KeyFixtures.passphrase, salt: salt, settings: settings))
      _ = KeyFixtures.query(
        "CREATE TABLE t (a)", path: path, keySpec: derived.sqlcipherKeySpec(),
        pragmas: try settings.pragmas())
      let found = CipherDiagnosis.diagnose(
        path: path, key: KeyFixtures.passphrase, settings: settings, derived: derived)
      #expect(found == nil)
      #expect(Array(try Data(contentsOf: URL(fileURLWithPath: path)).prefix(16)) == salt)
      #expect(DerivationCount.count(salt: salt) == 1)
    }
  }

  @Test func `messages say what to do next`() {
    let messages: [(CipherDiagnosis, String)] = [
      (.keyRequired, "configuration.key"), (.notEncrypted, "DatabaseFile.encrypt"),
      (.wrongKey, "Check the passphrase"), (.wrongSalt, "Give the key alone"),
      (.damaged(pages: [3]), "damaged in page 3."),
      (.damaged(pages: [1, 2, 9]), "damaged in pages 1, 2 and 9."),
      (.damaged(pages: Array(1...12)), "pages 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more."),
      (.truncated, "restore"), (.wrongKeyOrDamaged, "nothing in it can tell"),
      (.olderFormat(.sqlcipher3), "configuration.cipher = .sqlcipher3"),
    ]
    for (diagnosis, text) in messages {
      #expect(diagnosis.message.contains(text))
      #expect(diagnosis.message.hasSuffix("."))
    }
  }
}

extension [Int] {
  fileprivate var uniqued: [Int] { Array(Set(self)).sorted() }
}
