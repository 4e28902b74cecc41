import CofferTestSupport
import Testing

@testable import CofferCore
@testable import CofferVault

struct DerivedKeyTests {
  private func hex(_ bytes: SecureBytes) -> String {
    let digits = SecureBytes(count: 2 * bytes.count) { target in
      _ = bytes.withUnsafeBytes { writeHex($0, into: target, at: 0) }
    }
    return digits.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  /// The expected keys are Python's `hashlib.pbkdf2_hmac`.
  @Test(arguments: [
    (
      CipherSettings.sqlcipher4,
      "9118a024311c6a93d17484b07c24ec754e0559cc3b687954de6daa9ad9495042"
    ),
    (.sqlcipher3, "01573525bd1d7c55df8dd6dd85b3a41f34a98dfead40ccfe563b54cf8b4f6261"),
    (.sqlcipher2, "56d062155faca818e817272a2e0f0b7bb6172bbea464837dae9b6601853adea7"),
    (
      CipherSettings(kdfIterations: 1000, kdfAlgorithm: .sha256),
      "c914cc4f06cc6e8f46d157e3a1b5aa7abceebb17bb0444cd4c4ac16ca2ae9864"
    ),
  ])
  func `derivation gives the known answers`(settings: CipherSettings, expected: String) throws {
    let derived = try #require(
      try DerivedKey.derive(
        from: .passphrase("correct horse"), salt: [UInt8](0..<16), settings: settings))
    #expect(hex(derived.key) == expected)
  }

  @Test func `passphrases of any bytes are derived whole`() throws {
    let settings = CipherSettings(kdfIterations: 1000)
    let key = DatabaseKey.passphrase(bytes: [0x61, 0, 0x62, 0xff])
    let derived = try #require(
      try DerivedKey.derive(from: key, salt: [UInt8](0..<16), settings: settings))
    #expect(hex(derived.key) == "963ae21fd1d493cd3a4f12823b21e92a36cb347b7e43a92163bc00e0eb48bcd2")
  }

  @Test func `a raw key is taken without derivation`() throws {
    DerivationCount.startCountingBySalt()
    let salt = DerivedKey.seededSalt()
    let raw = try DatabaseKey.raw(KeyFixtures.rawBytes)
    let derived = try #require(
      try DerivedKey.derive(from: raw, salt: salt, settings: .sqlcipher4))
    #expect(derived.key.isEqual(to: raw.bytes))
    #expect(derived.salt == salt)
    #expect(DerivationCount.count(salt: salt) == 0)
    let salted = try DatabaseKey.raw(KeyFixtures.rawBytes, salt: KeyFixtures.salt)
    #expect(
      try DerivedKey.derive(from: salted, salt: salt, settings: .sqlcipher4)?.salt
        == KeyFixtures.salt)
  }

  @Test func `derivations are counted for each salt`() throws {
    DerivationCount.startCountingBySalt()
    let salt = DerivedKey.seededSalt()
    let before = DerivationCount.total
    for expected in 1...3 {
      _ = try DerivedKey.derive(
        from: .passphrase("p"), salt: salt, settings: CipherSettings(kdfIterations: 1))
      #expect(DerivationCount.count(salt: salt) == expected)
    }
    #expect(DerivationCount.total >= before + 3)
    #expect(DerivationCount.count(salt: DerivedKey.seededSalt()) == 0)
  }

  @Test func `the key and the salt go to SQLCipher as 96 digits`() {
    let derived = DerivedKey(
      key: SecureBytes(copying: KeyFixtures.rawBytes), salt: KeyFixtures.salt)
    let text = derived.sqlcipherKeySpec().withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    #expect(
      text == "x'000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
        + "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff'")
    #expect("\(derived)" == "DerivedKey(redacted)")
    var dumped = ""
    dump(derived, to: &dumped)
    #expect(!dumped.contains("240"))
  }

  @Test func `a salt of another length is refused`() {
    for count in [0, 15, 17] {
      #expect(throws: DatabaseKeyError.wrongSaltLength(byteCount: count)) {
        try DerivedKey.derive(
          from: .passphrase("p"), salt: [UInt8](repeating: 0, count: count),
          settings: .sqlcipher4)
      }
    }
  }

  /// Opens each fixture that the linked engine can read, with the derived key and with SQLCipher's
  /// derivation.
  @Test(arguments: CipherFileTests.files)
  func `SQLCipher opens a file under the derived key`(file: CipherFileTests.File) throws {
    guard let pragmas = try? file.settings.pragmas() else { return }
    try KeyFixtures.withCopy(of: file.name) { path in
      let salt = Array(try KeyFixtures.bytes(file.name).prefix(16))
      let derived = try #require(
        try DerivedKey.derive(from: file.key, salt: salt, settings: file.settings))
      for spec in [derived.sqlcipherKeySpec(), try file.key.keySpec()] {
        let answer = KeyFixtures.query(
          "PRAGMA user_version", path: path, keySpec: spec, pragmas: pragmas)
        #expect(answer == .success("7"))
      }
    }
  }

  @Test func `a passphrase that looks like a raw key stays a passphrase`() throws {
    let key = DatabaseKey.passphrase("x'" + String(repeating: "ab", count: 32) + "'")
    let salt = DerivedKey.seededSalt()
    let settings = CipherSettings.default
    let derived = try #require(try DerivedKey.derive(from: key, salt: salt, settings: settings))
    #expect(!derived.key.isEqual(to: SecureBytes(copying: [UInt8](repeating: 0xab, count: 32))))
    try KeyFixtures.withFile([]) { path in
      let written = KeyFixtures.query(
        "CREATE TABLE t (a); PRAGMA user_version = 7", path: path,
        keySpec: derived.sqlcipherKeySpec(), pragmas: try settings.pragmas())
      #expect(written == .success(nil))
      #expect(CipherDiagnosis.diagnose(path: path, key: key, settings: settings) == nil)
      let asRawKey = KeyFixtures.query(
        "PRAGMA user_version", path: path, keySpec: key.bytes, pragmas: try settings.pragmas())
      #expect(asRawKey == .failure(KeyFixtures.CodeError(code: 26)))
    }
  }
}
