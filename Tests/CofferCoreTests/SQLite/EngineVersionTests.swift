import CSQLCipher
import Foundation
import Testing

@testable import CofferCore
@testable import CofferSQLite

/// The tests run with the expected library.
///
/// Each run names its generation of SQLCipher, or its version, in `COFFER_EXPECT_SQLCIPHER`: a wrong
/// search path would otherwise test one of them twice.
struct EngineVersionTests {
  /// SQLCipher 3 ended with SQLite 3.20, and SQLCipher 4 began with 3.25.
  private func generation(ofSQLite version: CInt) -> String {
    version >= 3_025_000 ? "4" : "3"
  }

  @Test func `the library has what the header has promised`() {
    #expect(SQLiteFeatures.mismatch() == nil)
  }

  @Test func `a library that doesn't fit the header is named with it`() {
    for (header, library) in [
      (3_046_001, 3_015_002), (3_046_001, 3_036_000), (3_037_000, 3_036_000),
      (3_020_001, 3_015_002),
    ] {
      let mismatch = SQLiteFeatures.mismatch(header: header, library: library)
      for version in [header, library] {
        #expect(mismatch?.contains(SQLiteFeatures(version: version).name) == true, "\(version)")
      }
    }
    // Later ones keep all functions, and so do those before that have no fewer.
    for (header, library) in [
      (3_046_001, 3_046_001), (3_046_001, 3_053_004), (3_046_001, 3_044_002),
      (3_015_002, 3_046_001),
    ] {
      #expect(SQLiteFeatures.mismatch(header: header, library: library) == nil)
    }
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment["COFFER_EXPECT_SQLCIPHER"] != nil))
  func `the library is the one that the run is for`() throws {
    let expected = try #require(ProcessInfo.processInfo.environment["COFFER_EXPECT_SQLCIPHER"])
    #expect(
      generation(ofSQLite: sqlite3_libversion_number()) == expected
        || Database.engine.cipherVersion.hasPrefix(expected + " "))
  }

  @Test func `the faults of an engine follow from its versions`() {
    func links(_ sqlite: Int, _ cipher: String) -> String {
      Database.Engine.faults(of: SQLiteFeatures(version: sqlite), cipherVersion: cipher)
        .map { String($0.link.split(separator: "/").last ?? "") }.joined(separator: " ")
    }
    let race = "wal.html#walresetbug", texts = "CVE-2026-11822 CVE-2026-11824"
    let journal = "cc920f9b5d957059ff73ff5600f8c80ef440d3af", pages = "sqlcipher.c"
    #expect(links(3_015_002, "3.4.1") == race)
    #expect(links(3_044_002, "4.5.6 community") == "\(race) \(texts)")
    #expect(links(3_046_001, "4.6.1 community") == "\(race) \(texts)")
    #expect(links(3_051_001, "4.12.0 community") == "\(race) \(texts) \(pages)")
    #expect(links(3_051_003, "4.14.0 community") == "\(texts) \(pages)")
    #expect(links(3_053_001, "4.16.0 community") == "\(journal) \(texts) \(pages)")
    #expect(links(3_053_003, "4.17.0 community") == "\(journal) \(pages)")
    #expect(links(3_053_004, "4.18.0 community") == pages)
    #expect(links(3_053_004, "4.19.0 community") == "\(pages) \(pages)")
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
