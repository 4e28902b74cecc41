import CofferTestSupport
import Testing

@testable import CofferCore

struct ChangeKeyWithoutHMACTests {
  /// With the old key, page 1 is a header and noise, which SQLite calls one of two things.
  @Test func `the key of a file with a plaintext header and no HMAC changes each time`() throws {
    let directory = try TemporaryDirectory()
    let salt = [UInt8](0xA0..<0xB0)
    var configuration = Configuration()
    configuration.key = try .raw([UInt8](repeating: 1, count: 32), salt: salt)
    configuration.cipher = CipherSettings(
      pageSize: 1024, usesHMAC: false, plaintextHeaderSize: 32)
    // SQLCipher 3 has no plaintext header.
    guard SQLCipherGeneration.linked == .four else { return }
    let queue = try DatabaseQueue(path: directory.path("db"), configuration: configuration)
    try queue.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
    for number in 0..<200 {
      try queue.changeKey(to: .raw([UInt8](repeating: UInt8(number) ^ 2, count: 32), salt: salt))
    }
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT a FROM t") } == 1)
    try queue.close()
  }
}
