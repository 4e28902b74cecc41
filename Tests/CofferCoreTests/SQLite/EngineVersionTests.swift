import CSQLCipher
import Foundation
import Testing

@testable import CofferCore
@testable import CofferSQLite

/// The tests are built against, and run with, the expected library.
///
/// `.ci/run` runs the tests once per generation of SQLCipher, which it names
/// in `COFFER_EXPECT_SQLCIPHER`: a wrong search path would otherwise test one
/// of them twice.
struct EngineVersionTests {
  /// SQLCipher 3 ended with SQLite 3.20, and SQLCipher 4 began with 3.25.
  private func generation(ofSQLite version: CInt) -> String {
    version >= 3_025_000 ? "4" : "3"
  }

  /// The header is the one that Coffer was compiled with: the tests are compiled once for both.
  @Test func `the header and the library are of the same version`() {
    #expect(Int(sqlite3_libversion_number()) == SQLiteFeatures.headerVersion)
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment["COFFER_EXPECT_SQLCIPHER"] != nil))
  func `the library is of the generation that the run is for`() {
    let expected = ProcessInfo.processInfo.environment["COFFER_EXPECT_SQLCIPHER"]
    #expect(generation(ofSQLite: sqlite3_libversion_number()) == expected)
  }

  @Test func `the engine is SQLCipher and not a plain SQLite`() throws {
    var connection: OpaquePointer?
    defer { sqlite3_close_v2(connection) }
    try #require(sqlite3_open(":memory:", &connection) == SQLITE_OK)
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    try #require(
      sqlite3_prepare_v2(connection, "PRAGMA cipher_version", -1, &statement, nil) == SQLITE_OK)
    try #require(sqlite3_step(statement) == SQLITE_ROW)
    let version = String(cString: try #require(sqlite3_column_text(statement, 0)))
    #expect(version.hasPrefix(generation(ofSQLite: sqlite3_libversion_number()) + "."))
  }
}
