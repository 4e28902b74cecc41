import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

/// Cipher pragmas on files that are open: one write with other settings makes a file unreadable.
@Suite struct OpenFilePragmaTests {
  /// Pragmas of a database's encryption, with a value that differs from that of every file.
  static let pragmas: [(name: String, value: String)] = [
    ("cipher_plaintext_header_size", "32"), ("cipher_use_hmac", "0"),
    ("cipher_hmac_algorithm", "HMAC_SHA1"), ("cipher_kdf_algorithm", "PBKDF2_HMAC_SHA1"),
    ("cipher_salt", "\"x'000102030405060708090a0b0c0d0e0f'\""), ("cipher_page_size", "8192"),
    ("kdf_iter", "1000"), ("fast_kdf_iter", "7"), ("cipher_compatibility", "3"),
    ("cipher_hmac_salt_mask", "\"x'5b'\""), ("cipher_hmac_pgno", "be"),
    ("cipher_default_page_size", "8192"), ("cipher_default_use_hmac", "0"),
    ("cipher_default_kdf_iter", "1000"), ("cipher_default_plaintext_header_size", "32"),
    ("cipher_default_compatibility", "3"), ("cipher_default_hmac_algorithm", "HMAC_SHA1"),
    ("cipher_default_kdf_algorithm", "PBKDF2_HMAC_SHA1"), ("cipher_migrate", "1"),
    ("cipher", "'aes-128-cbc'"), ("page_size", "8192"),
  ]

  /// Every way to write such a pragma.
  private static func spellings(_ name: String, _ value: String, schemas: [String]) -> [String] {
    var spellings: [String] = []
    for schema in [""] + schemas {
      for name in [name, name.uppercased(), "\"\(name)\"", "[\(name)]", "`\(name)`", "'\(name)'"] {
        let name = schema.isEmpty ? name : "\(schema).\(name)"
        spellings += [
          "PRAGMA \(name) = \(value)", "PRAGMA \(name)(\(value))", "pragma/**/\(name)=\(value)",
          "PRAGMA \(name) -- x\n = /* y */ \(value);", "SELECT 1; PRAGMA \(name) = \(value)",
          "EXPLAIN PRAGMA \(name) = \(value)", ";;PRAGMA \(name)\u{0C}=\u{0C}\(value)",
        ]
      }
    }
    return spellings
  }

  private func isRefused(_ sql: String, _ db: Database) -> Bool {
    do {
      try db.execute(sql: sql)
      return false
    } catch {
      return true
    }
  }

  @Test func `no spelling changes the settings of a file that is open`() throws {
    let file = try EncryptedQueue("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    let other = try EncryptedQueue("CREATE TABLE u (a); INSERT INTO u VALUES (1)")
    try file.queue.inDatabase { db in
      try db.attach(other.path, as: "other", key: .raw(EncryptedQueue.rawKey))
      for (name, value) in Self.pragmas {
        // The migration is of the main file.
        let schemas = name == "cipher_migrate" ? [] : ["other", "[Other]", "\"OTHER\""]
        for sql in Self.spellings(name, value, schemas: ["main", "\"MAIN\""] + schemas) {
          #expect(isRefused(sql, db), "\(sql)")
        }
        // Reading them is allowed.
        for schema in ["", "main.", "other."] where !name.contains("migrate") {
          #expect(!isRefused("PRAGMA \(schema)\(name)", db), "\(schema)\(name)")
        }
        try db.execute(sql: "INSERT INTO t VALUES (2); INSERT INTO other.u VALUES (2)")
      }
      // None of them is a function.
      #expect(isRefused("SELECT * FROM pragma_cipher_use_hmac(0)", db))
      #expect(isRefused("SELECT * FROM pragma_kdf_iter('1000')", db))
    }
    try expectReadable(file.path, "t")
    try expectReadable(other.path, "u")
  }

  @Test func `readers, pools, snapshots and plaintext connections refuse them, too`() throws {
    let file = try EncryptedPool("CREATE TABLE u (a); INSERT INTO u VALUES (1)")
    let snapshot = try file.pool.makeSnapshot()
    for (name, value) in Self.pragmas {
      try file.pool.read { #expect(isRefused("PRAGMA \(name) = \(value)", $0), "\(name)") }
      try file.pool.write { #expect(isRefused("PRAGMA \(name) = \(value)", $0), "\(name)") }
      try snapshot.read { #expect(isRefused("PRAGMA \(name) = \(value)", $0), "\(name)") }
      try file.pool.write { try $0.execute(sql: "INSERT INTO u VALUES (2)") }
    }
    try expectReadable(file.path, "u")
    // The attached file counts, not the main one.
    let plain = try DatabaseQueue()
    try plain.inDatabase { db in
      try db.attach(file.path, as: "other", key: .raw(EncryptedQueue.rawKey))
      for (name, value) in Self.pragmas where !name.contains("migrate") {
        #expect(isRefused("PRAGMA other.\(name) = \(value)", db), "\(name)")
      }
    }
  }

  @Test func `an attached file that is new can still get other settings`() throws {
    let folder = try TemporaryDirectory()
    let queue = try DatabaseQueue(path: folder.path("db"), key: .raw(EncryptedQueue.rawKey))
    let path = folder.path("other")
    try queue.inDatabase { db in
      try db.execute(sql: "ATTACH ? AS other KEY ?", arguments: [path, "secret"])
      try db.execute(sql: "PRAGMA other.kdf_iter = 1000")
      try db.execute(sql: "CREATE TABLE other.u (a); INSERT INTO other.u VALUES (1)")
      #expect(isRefused("PRAGMA other.kdf_iter = 2000", db))
    }
    var configuration = Configuration()
    configuration.cipher.kdfIterations = 1000
    let again = try DatabaseQueue(
      path: path, key: .passphrase("secret"), configuration: configuration)
    #expect(try again.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM u") } == 1)
  }

  private func expectReadable(_ path: String, _ table: String) throws {
    let again = try DatabaseQueue(path: path, key: .raw(EncryptedQueue.rawKey))
    try again.read { db throws in
      let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)")
      #expect(count == 1 + Self.pragmas.count)
      #expect(try db.checkCipherIntegrity() == [])
    }
  }
}
