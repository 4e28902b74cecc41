import CSQLCipher
import CofferTestSupport
import Foundation
import Testing

/// The fixtures are as their README says, read through SQLCipher's C API alone.
struct FixturesTests {
  static let encrypted = [
    "v3-passphrase.db", "v3-raw-key.db", "v3-page-size-4096.db", "v4-passphrase.db",
    "v4-raw-key.db", "v4-raw-key-salt.db", "v4-odd-passphrase.db", "v4-compatibility-3.db",
    "v4-page-8192-kdf-10000.db", "v4-wal.db", "v4-wal-killed.db",
  ]
  static let plain = ["plain.db", "plain-wal.db"]
  static let withPlainHeader = ["v4-plaintext-header-32.db"]

  static let magic = Data("SQLite format 3\0".utf8)
  static let marker = Data("COFFER-MARKER".utf8)

  @Test(arguments: encrypted)
  func `an encrypted fixture has no readable byte`(name: String) throws {
    let path = try Fixtures.temporaryCopy(name)
    let content = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(content.prefix(16) != Self.magic)
    #expect(content.range(of: Self.marker) == nil)
  }

  @Test(arguments: withPlainHeader)
  func `a plaintext header is all that is readable`(name: String) throws {
    let content = try Data(contentsOf: URL(fileURLWithPath: Fixtures.path(name)))
    #expect(content.prefix(16) == Self.magic)
    #expect(content.range(of: Self.marker) == nil)
  }

  @Test func `the log that a killed process left is encrypted as well`() throws {
    let path = try Fixtures.temporaryCopy("v4-wal-killed.db") + "-wal"
    let content = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(content.count > 4096)
    #expect(content.range(of: Self.marker) == nil)
  }

  @Test(arguments: plain)
  func `a plain fixture has the rows of all fixtures`(name: String) throws {
    let path = try Fixtures.temporaryCopy(name)
    let content = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(content.prefix(16) == Self.magic)

    var connection: OpaquePointer?
    defer { sqlite3_close_v2(connection) }
    try #require(sqlite3_open(path, &connection) == SQLITE_OK)
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let sql = "SELECT name, price, data FROM items ORDER BY id"
    try #require(sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK)
    var count = 0
    while sqlite3_step(statement) == SQLITE_ROW {
      count += 1
      #expect(
        String(cString: try #require(sqlite3_column_text(statement, 0)))
          == Fixtures.name(ofRow: count))
      #expect(sqlite3_column_double(statement, 1) == Fixtures.price(ofRow: count))
      let bytes = UnsafeRawBufferPointer(
        start: sqlite3_column_blob(statement, 2), count: Int(sqlite3_column_bytes(statement, 2)))
      #expect(Array(bytes) == Fixtures.data(ofRow: count))
    }
    #expect(count == Fixtures.rowCount)
  }

  @Test func `a temporary directory goes with its last reference`() throws {
    var directory: TemporaryDirectory? = try TemporaryDirectory()
    let path = try #require(directory?.path)
    try Data("x".utf8).write(to: URL(fileURLWithPath: try #require(directory?.path("file"))))
    #expect(try directory?.contents() == ["file"])
    directory = nil
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
