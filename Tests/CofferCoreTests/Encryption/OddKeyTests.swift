import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

/// Passphrases and keys of every kind, through a queue.
@Suite struct OddKeyTests {
  /// Fewer rounds than the defaults, since these tests aren't about the derivation.
  private static let settings: CipherSettings = {
    var settings = CipherSettings.default
    settings.kdfIterations = 1000
    return settings
  }()

  private func open(_ path: String, _ key: DatabaseKey) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.cipher = Self.settings
    return try DatabaseQueue(path: path, key: key, configuration: configuration)
  }

  private func make(_ path: String, _ key: DatabaseKey) throws {
    let queue = try open(path, key)
    try queue.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES ('row')") }
    try queue.close()
  }

  private func reads(_ path: String, _ key: DatabaseKey) throws -> Bool {
    do {
      let queue = try open(path, key)
      defer { try? queue.close() }
      return try queue.read { try String.fetchOne($0, sql: "SELECT a FROM t") } == "row"
    } catch let error as DatabaseError where error.cipherDiagnosis == .wrongKey {
      return false
    }
  }

  static let oddPassphrases: [[UInt8]] = [
    Array("it's".utf8), Array("say \"x\"".utf8), Array("a\0b".utf8), [0], [0xFF, 0xFE, 0x80],
    Array("x'00'".utf8), Array("'; DROP TABLE t; --".utf8), Array("\u{1F511} \u{E9}".utf8),
    Array(" ".utf8), Array(("x'" + String(repeating: "0f", count: 32) + "'").utf8),
    Array(("x'" + String(repeating: "0f", count: 48) + "'").utf8),
    [UInt8](repeating: UInt8(ascii: "p"), count: 1 << 20),
  ]

  @Test(arguments: oddPassphrases.indices)
  func `any bytes make a passphrase, and no others open its file`(index: Int) throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("db")
    let bytes = Self.oddPassphrases[index]
    try make(path, .passphrase(bytes: bytes))
    #expect(try reads(path, .passphrase(bytes: bytes)))
    if let text = String(validating: bytes, as: UTF8.self) {
      #expect(try reads(path, .passphrase(text)))
    }
    #expect(try !reads(path, .passphrase(bytes: bytes + [0x20])))
    if bytes.count > 1 { #expect(try !reads(path, .passphrase(bytes: bytes.dropLast()))) }
    if let end = bytes.firstIndex(of: 0), end > 0 {
      #expect(try !reads(path, .passphrase(bytes: bytes[..<end])))
    }
  }

  /// HMAC pads its key with NULs: 64 bytes for SHA-1, 128 for SHA-512.
  @Test func `NULs at the end of a short passphrase make no difference`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("db")
    try make(path, .passphrase("short"))
    #expect(try reads(path, .passphrase("short\0")))
    #expect(try !reads(path, .passphrase("\0short")))
    let block = CipherSettings.default.kdfAlgorithm == .sha512 ? 128 : 64
    let long = String(repeating: "p", count: block)
    try make(folder.path("long"), .passphrase(long))
    #expect(try !reads(folder.path("long"), .passphrase(long + "\0")))
  }

  @Test func `Unicode forms of one text are different passphrases`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("db")
    let composed = "caf\u{E9}"
    let decomposed = "cafe\u{301}"
    #expect(composed == decomposed)
    try make(path, .passphrase(composed))
    #expect(try reads(path, .passphrase(composed)))
    #expect(try !reads(path, .passphrase(decomposed)))
  }

  @Test func `a passphrase that looks like a raw key is one`() throws {
    let folder = try TemporaryDirectory()
    let bytes = [UInt8](repeating: 0x0F, count: 32)
    let text = "x'" + String(repeating: "0f", count: 32) + "'"
    try make(folder.path("passphrase"), .passphrase(text))
    #expect(try !reads(folder.path("passphrase"), .raw(bytes)))
    try make(folder.path("raw"), .raw(bytes))
    #expect(try reads(folder.path("raw"), .raw(bytes)))
    #expect(try !reads(folder.path("raw"), .passphrase(text)))
    #expect(try !reads(folder.path("raw"), .passphrase(bytes: bytes)))
  }

  @Test func `an empty passphrase is refused, and makes no file to lose`() throws {
    let folder = try TemporaryDirectory()
    for key in [DatabaseKey.passphrase(""), .passphrase(bytes: [])] {
      let error = #expect(throws: DatabaseError.self) {
        _ = try open(folder.path("db"), key)
      }
      #expect(error?.resultCode == .SQLITE_MISUSE)
      #expect("\(error as Any)".contains("The passphrase is empty"))
      #expect(DatabaseFile.inspect(at: folder.path("db")).size == 0)
    }
  }

  @Test(arguments: [0, 1, 16, 31, 33, 64, 80, 96, 160])
  func `a raw key of another length than 32 bytes is refused`(count: Int) {
    #expect(throws: DatabaseKeyError.wrongKeyLength(byteCount: count)) {
      try DatabaseKey.raw([UInt8](repeating: 7, count: count))
    }
    #expect(throws: DatabaseKeyError.wrongKeyLength(byteCount: count)) {
      try DatabaseKey.raw([UInt8](repeating: 7, count: count), salt: [UInt8](1...16))
    }
  }

  @Test(arguments: [0, 15, 17, 32])
  func `a salt of another length than 16 bytes is refused`(count: Int) {
    #expect(throws: DatabaseKeyError.wrongSaltLength(byteCount: count)) {
      try DatabaseKey.raw([UInt8](1...32), salt: [UInt8](repeating: 7, count: count))
    }
  }

  @Test func `a key with a salt gives it to a new file`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("db")
    let salt = [UInt8](0xA0...0xAF)
    let key = try DatabaseKey.raw([UInt8](1...32), salt: salt)
    try make(path, key)
    #expect(try ReadOnlyFile(path: path).read(count: 16, at: 0) == salt)
    #expect(try reads(path, key))
    #expect(try reads(path, .raw([UInt8](1...32))))
    let error = #expect(throws: DatabaseError.self) {
      _ = try open(path, .raw([UInt8](1...32), salt: [UInt8](0xB0...0xBF)))
    }
    #expect(error?.cipherDiagnosis == .wrongSalt)
  }
}
