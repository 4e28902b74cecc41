import CofferQuery
import CofferTestSupport
import Testing

@testable import CofferCore
@testable import CofferVault

struct CipherSettingsTests {
  @Test func `the generations reserve what their shells reserve`() {
    #expect(CipherSettings.sqlcipher4.reservedSize == 80)
    #expect(CipherSettings.sqlcipher3.reservedSize == 48)
    #expect(CipherSettings.sqlcipher2.reservedSize == 48)
    #expect(CipherSettings.sqlcipher1.reservedSize == 16)
    #expect(CipherSettings(hmacAlgorithm: .sha256).reservedSize == 48)
  }

  @Test func `the default is the engine's own`() {
    #expect(CipherSettings.default(for: .three) == .sqlcipher3)
    #expect(CipherSettings.default(for: .four) == .sqlcipher4)
    #expect(CipherSettings.default == .default(for: .linked))
  }

  @Test func `page sizes that SQLCipher can't do are refused`() throws {
    for size in [-4096, 0, 1, 256, 511, 1000, 4097, 131_072] {
      #expect(throws: CipherSettingsError.invalidPageSize(size)) {
        try CipherSettings(pageSize: size).validate()
      }
    }
    for size in [1024, 2048, 4096, 8192, 16384, 32768, 65536] {
      #expect(throws: Never.self) { try CipherSettings(pageSize: size).validate() }
    }
    var small = CipherSettings.sqlcipher3
    small.pageSize = 512
    #expect(throws: CipherSettingsError.invalidPageSize(512)) { try small.validate() }
    small.usesHMAC = false
    #expect(throws: Never.self) { try small.pragmas(for: .three) }
    #expect(throws: CipherSettingsError.invalidPageSize(512)) { try small.pragmas(for: .four) }
  }

  @Test func `other values out of range are refused`() {
    for count in [Int.min, -1, 0, Int(Int32.max) + 1] {
      #expect(throws: CipherSettingsError.invalidIterations(count)) {
        try CipherSettings(kdfIterations: count).validate()
      }
    }
    for size in [-16, 1, 8, 100, 112] {
      #expect(throws: CipherSettingsError.invalidPlaintextHeaderSize(size)) {
        try CipherSettings(plaintextHeaderSize: size).validate()
      }
    }
  }

  @Test func `a plaintext header asks for a key with a salt`() throws {
    let settings = CipherSettings(plaintextHeaderSize: 32)
    let raw = try DatabaseKey.raw(KeyFixtures.rawBytes)
    let salted = try DatabaseKey.raw(KeyFixtures.rawBytes, salt: KeyFixtures.salt)
    for key in [.passphrase("p"), raw] {
      #expect(throws: CipherSettingsError.plaintextHeaderNeedsSalt) {
        try settings.validate(with: key)
      }
    }
    #expect(throws: Never.self) { try settings.validate(with: salted) }
    #expect(throws: Never.self) { try CipherSettings().validate(with: raw) }
  }

  @Test func `SQLCipher 3 gets the settings that it knows, and the rest are refused`() throws {
    #expect(
      try CipherSettings.sqlcipher3.pragmas(for: .three) == [
        "PRAGMA kdf_iter = 64000", "PRAGMA cipher_use_hmac = ON", "PRAGMA cipher_page_size = 1024",
      ])
    for settings in [
      CipherSettings.sqlcipher4, CipherSettings(kdfAlgorithm: .sha256, hmacAlgorithm: .sha1),
      CipherSettings(kdfAlgorithm: .sha1, hmacAlgorithm: .sha512),
      CipherSettings(kdfAlgorithm: .sha1, hmacAlgorithm: .sha1, plaintextHeaderSize: 32),
    ] {
      do {
        _ = try settings.pragmas(for: .three)
        Issue.record("\(settings) was accepted")
      } catch {
        #expect(error.description.contains("needs SQLCipher 4"))
      }
    }
  }

  @Test func `SQLCipher 4 gets all settings, those of an attached file too`() throws {
    #expect(
      try CipherSettings.sqlcipher3.pragmas(for: .four, schema: "a\"b") == [
        "PRAGMA \"a\"\"b\".kdf_iter = 64000",
        "PRAGMA \"a\"\"b\".cipher_kdf_algorithm = PBKDF2_HMAC_SHA1",
        "PRAGMA \"a\"\"b\".cipher_hmac_algorithm = HMAC_SHA1",
        "PRAGMA \"a\"\"b\".cipher_use_hmac = ON",
        "PRAGMA \"a\"\"b\".cipher_page_size = 1024",
        "PRAGMA \"a\"\"b\".cipher_plaintext_header_size = 0",
      ])
  }

  @Test func `SQLCipher 4 is asked whether it has the settings`() throws {
    let directory = try TemporaryDirectory()
    let key = try Hex.databaseKey(Hex.key(8))
    var other = CipherSettings.sqlcipher4
    other.pageSize = 8192
    var unauthenticated = CipherSettings.sqlcipher4
    unauthenticated.usesHMAC = false
    let all: [CipherSettings] =
      SQLCipherGeneration.linked == .four ? [.sqlcipher4, other, unauthenticated] : [.sqlcipher3]
    for (index, settings) in all.enumerated() {
      let path = try directory.write("", to: "\(index).db")
      let connection = try FileConnection(
        path: path, key: FileKey(key, settings: settings, salt: DerivedKey.randomSalt()))
      for wanted in all {
        let has = try FileKey.hasSettings(wanted.pragmas(), connection.connection)
        // SQLCipher 3 doesn't say.
        #expect(has == (wanted == settings && SQLCipherGeneration.linked == .four))
      }
    }
  }

  @Test func `settings that other code makes SQLCipher's defaults change no file`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("settings.db")
    let key = try Hex.databaseKey(Hex.key(7))
    try DatabaseQueue(path: path, key: key).write { try $0.execute(sql: "CREATE TABLE row (a)") }
    let child = try TestProcess(["foreign-defaults", path, Hex.key(7)])
    let (status, lines, error) = child.finish()
    #expect((status, lines) == (0, ["written", "written"]), "\(error)")
    for path in [path, path + "-new"] {
      let queue = try DatabaseQueue(path: path, key: key)
      #expect(try queue.read { try $0.tableExists("made") })
    }
  }

  @Test func `settings are described by a name or in full`() {
    #expect(CipherSettings.sqlcipher3.description == "SQLCipher 3")
    #expect(
      CipherSettings(pageSize: 8192, usesHMAC: false, plaintextHeaderSize: 32).description
        == "page size 8192, 256000 iterations of SHA512, no HMAC, 32 bytes in plaintext")
    #expect(CipherSettings(pageSize: 8192).expression == "CipherSettings(pageSize: 8192)")
    #expect(
      CipherSettings.sqlcipher1.expression
        == "CipherSettings(pageSize: 1024, kdfIterations: 4000, kdfAlgorithm: .sha1, "
        + "hmacAlgorithm: .sha1, usesHMAC: false)")
  }
}
