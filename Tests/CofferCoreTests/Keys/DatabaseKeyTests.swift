import Foundation
import Testing

@testable import CofferCore

struct DatabaseKeyTests {
  private func text(_ bytes: SecureBytes) -> String {
    bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `every description is redacted`() throws {
    struct Holder { var key: DatabaseKey? }
    let keys = [
      DatabaseKey.passphrase("hunter22"), .passphrase(bytes: Array("hunter22".utf8)),
      try .raw(Array("hunter22hunter22hunter22hunter22".utf8)),
      try .raw(
        Array("hunter22hunter22hunter22hunter22".utf8), salt: Array("hunter22hunter22".utf8)),
    ]
    for key in keys {
      var dumped = ""
      dump(key, to: &dumped)
      dump(Holder(key: key), to: &dumped)
      #expect(Mirror(reflecting: key).children.isEmpty)
      for text in [
        "\(key)", String(describing: key), String(reflecting: key), "\(Holder(key: key))",
      ] {
        #expect(text.contains("DatabaseKey(redacted)"))
        dumped += text
      }
      #expect(!dumped.contains("hunter"))
      #expect(!dumped.contains("104"))  // "h" as a number
      #expect(!dumped.contains("SecureBytes"))
    }
  }

  @Test func `raw keys of other lengths are refused`() {
    for count in [0, 1, 16, 31, 33, 48, 64, 96] {
      #expect(throws: DatabaseKeyError.wrongKeyLength(byteCount: count)) {
        try DatabaseKey.raw([UInt8](repeating: 7, count: count))
      }
      #expect(throws: DatabaseKeyError.wrongKeyLength(byteCount: count)) {
        try DatabaseKey.raw(Data(count: count), salt: Data(count: 16))
      }
    }
    for count in [0, 15, 17, 32] {
      #expect(throws: DatabaseKeyError.wrongSaltLength(byteCount: count)) {
        try DatabaseKey.raw(Data(count: 32), salt: Data(count: count))
      }
    }
  }

  @Test func `an empty passphrase is refused when it is used`() {
    for key in [DatabaseKey.passphrase(""), .passphrase(bytes: [])] {
      #expect(throws: DatabaseKeyError.emptyPassphrase) { try key.validate() }
      #expect(throws: DatabaseKeyError.emptyPassphrase) { try key.keySpec() }
      #expect(throws: DatabaseKeyError.emptyPassphrase) {
        try DerivedKey.derive(from: key, salt: KeyFixtures.salt, settings: .sqlcipher4)
      }
    }
  }

  @Test func `a passphrase reaches SQLCipher byte for byte`() throws {
    for string in ["a", "a\0b", "it's \"quoted\"", "e\u{301}", "é", "\u{1F511}", "x'00'", " "] {
      let spec = try DatabaseKey.passphrase(string).keySpec()
      #expect(spec.withUnsafeBytes { Array($0) } == Array(string.utf8))
    }
    let bytes: [UInt8] = [0xff, 0, 0xfe]
    #expect(
      try DatabaseKey.passphrase(bytes: bytes).keySpec().withUnsafeBytes { Array($0) } == bytes)
  }

  @Test func `a raw key reaches SQLCipher in hexadecimal`() throws {
    let raw = try DatabaseKey.raw(KeyFixtures.rawBytes)
    let salted = try DatabaseKey.raw(KeyFixtures.rawBytes, salt: KeyFixtures.salt)
    let digits = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
    #expect(text(try raw.keySpec()) == "x'\(digits)'")
    #expect(text(try salted.keySpec()) == "x'\(digits)f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff'")
  }

  @Test func `a passphrase that SQLCipher would take for a raw key is not handed to it`() {
    for digits in [64, 96, 160] {
      for (start, end) in [("x'", "'"), ("X'", "'"), ("x'", "\"")] {
        let key = DatabaseKey.passphrase(start + String(repeating: "aF", count: digits / 2) + end)
        #expect(throws: DatabaseKeyError.ambiguousPassphrase) { try key.keySpec() }
      }
      for string in [
        "x'" + String(repeating: "a", count: digits - 1) + "'",
        "x'" + String(repeating: "g", count: digits) + "'",
        "y'" + String(repeating: "a", count: digits) + "'",
      ] {
        #expect(throws: Never.self) { try DatabaseKey.passphrase(string).keySpec() }
      }
    }
  }

  @Test func `keys are the same if form and bytes are`() throws {
    let bytes = Array("0123456789abcdef0123456789abcdef".utf8)
    let keys = [
      DatabaseKey.passphrase(bytes: bytes), try .raw(bytes),
      try .raw(bytes, salt: KeyFixtures.salt), try .raw(bytes, salt: KeyFixtures.salt.reversed()),
      .passphrase("other"),
    ]
    for (i, first) in keys.enumerated() {
      for (j, second) in keys.enumerated() { #expect(first.isSameKey(as: second) == (i == j)) }
    }
    #expect(DatabaseKey.passphrase("é").isSameKey(as: .passphrase(bytes: Array("é".utf8))))
    #expect(!DatabaseKey.passphrase("é").isSameKey(as: .passphrase("e\u{301}")))
  }

  @Test func `random keys are raw keys that differ`() throws {
    let first = DatabaseKey.random()
    let second = DatabaseKey.random()
    #expect(first.salt == nil && !first.isPassphrase)
    #expect(first.bytes.count == 32)
    #expect(!first.isSameKey(as: second))
    let stored = try #require(first.withUnsafeRawKey { Array($0) })
    #expect(try DatabaseKey.raw(stored).isSameKey(as: first))
    #expect(DatabaseKey.passphrase("p").withUnsafeRawKey { _ in true } == nil)
  }
}

struct KeyFileTests {
  private func key(
    _ bytes: [UInt8], mode: mode_t = 0o600
  ) throws -> DatabaseKey {
    try KeyFixtures.withFile(bytes) { path in
      #expect(chmod(path, mode) == 0)
      return try DatabaseKey.file(path)
    }
  }

  private func key(_ text: String) throws -> DatabaseKey { try key(Array(text.utf8)) }

  @Test func `32 bytes are a raw key`() throws {
    #expect(try key(KeyFixtures.rawBytes).isSameKey(as: .raw(KeyFixtures.rawBytes)))
    let endingInNewline = Array(KeyFixtures.rawBytes.dropLast()) + [0x0a]
    #expect(try key(endingInNewline).isSameKey(as: .raw(endingInNewline)))
  }

  @Test func `32 characters are a passphrase, with or without a line end`() throws {
    let text = "correct horse battery staple 123"
    #expect(try key(text).isSameKey(as: .passphrase(text)))
    #expect(try key(text + "\n").isSameKey(as: .passphrase(text)))
    let shorter = String(text.dropLast())
    #expect(try key(shorter + "\n").isSameKey(as: .passphrase(shorter)))
  }

  @Test func `64 and 96 digits are a raw key and its salt`() throws {
    let digits = "000102030405060708090A0B0C0D0E0F101112131415161718191a1b1c1d1e1f"
    let salt = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
    for end in ["", "\n", "\r\n"] {
      #expect(try key(digits + end).isSameKey(as: .raw(KeyFixtures.rawBytes)))
      #expect(
        try key(digits + salt + end)
          .isSameKey(as: .raw(KeyFixtures.rawBytes, salt: KeyFixtures.salt)))
    }
  }

  @Test func `160 digits are told to hold an HMAC key, which Coffer derives`() throws {
    for end in ["", "\n", "\r\n"] {
      let error = #expect(throws: DatabaseKeyError.self) {
        try key(String(repeating: "aF", count: 80) + end)
      }
      #expect(error == .wrongKeyLength(byteCount: 80))
      #expect("\(error as Any)".contains("HMAC key"))
    }
    let text = String(repeating: "a", count: 159)
    #expect(try key(text).isSameKey(as: .passphrase(text)))
  }

  @Test func `other text is a passphrase without its last line end`() throws {
    for (contents, passphrase) in [
      ("secret", "secret"), ("secret\n", "secret"), ("secret\r\n", "secret"),
      ("secret\n\n", "secret\n"), (" two\nlines ", " two\nlines "), ("tab\tü👍", "tab\tü👍"),
      (String(repeating: "a", count: 63), String(repeating: "a", count: 63)),
    ] {
      #expect(try key(contents).isSameKey(as: .passphrase(passphrase)))
    }
  }

  @Test(arguments: [
    Array(KeyFixtures.rawBytes.dropLast()), KeyFixtures.rawBytes + [0x0a],
    KeyFixtures.rawBytes + KeyFixtures.salt, [0xE9, 0x74, 0xE9], [0x61, 0x00, 0x62], [0x7F],
  ])
  func `bytes that are neither text nor 32 are refused by name`(bytes: [UInt8]) throws {
    try KeyFixtures.withFile(bytes) { path in
      #expect(chmod(path, 0o600) == 0)
      let expected = DatabaseKeyError.binaryKeyFile(path: path, byteCount: bytes.count)
      #expect(throws: expected) { try DatabaseKey.file(path) }
      #expect("\(expected)".contains(path) && "\(expected)".contains("\(bytes.count) bytes"))
    }
  }

  @Test func `files without a key are refused by name`() throws {
    for contents in [[], [0x0a], [0x0d, 0x0a]] as [[UInt8]] {
      try KeyFixtures.withFile(contents) { path in
        #expect(chmod(path, 0o600) == 0)
        #expect(throws: DatabaseKeyError.emptyKeyFile(path: path)) { try DatabaseKey.file(path) }
      }
    }
    try KeyFixtures.withFile([UInt8](repeating: 1, count: DatabaseKey.largestKeyFile + 1)) { path in
      #expect(chmod(path, 0o600) == 0)
      #expect(throws: DatabaseKeyError.oversizedKeyFile(path: path)) {
        try DatabaseKey.file(path)
      }
    }
    #expect(throws: DatabaseKeyError.self) { try DatabaseKey.file("/nonexistent/key") }
    #expect(throws: DatabaseKeyError.self) { try DatabaseKey.file("/tmp") }
  }

  @Test func `a file that others may read or write is refused`() throws {
    for mode in [0o644, 0o604, 0o602, 0o666] as [mode_t] {
      #expect(throws: DatabaseKeyError.self) { try key(Array("abc".utf8), mode: mode) }
    }
    for mode in [0o600, 0o400, 0o640, 0o440] as [mode_t] {
      #expect(throws: Never.self) { try key(Array("abc".utf8), mode: mode) }
    }
  }

  @Test func `the message about an exposed file has the command that mends it`() {
    #expect("\(DatabaseKeyError.exposedKeyFile(path: "/etc/k"))".contains("chmod 600 /etc/k"))
  }
}
