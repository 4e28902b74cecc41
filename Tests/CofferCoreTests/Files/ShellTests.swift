import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

/// Needs SQLCipher's shell, of the generation that the tests run: installed as /usr/bin/sqlcipher
/// or named by $COFFER_SQLCIPHER_SHELL.
@Suite(.enabled(if: Shell.path != nil, "no sqlcipher shell is installed"))
struct ShellTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("a.db")
  }

  func shell(_ key: String) throws -> String {
    Shell.run(path, ["PRAGMA key = \(key);", "SELECT 'rows', count(*) FROM t;"])
  }

  @Test func `files made here open in SQLCipher's shell with nothing but the key`() throws {
    let queue = try DatabaseQueue(path: path, key: .passphrase("it's \u{E9}"))
    try queue.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
    #expect(try shell("'it''s \u{E9}'").contains("rows|1"))
    try queue.changeKey(to: Hex.databaseKey(Hex.key(1)))
    #expect(try shell("\"x'\(Hex.key(1))'\"").contains("rows|1"))
    #expect(try !shell("'it''s \u{E9}'").contains("rows|1"))
    try queue.changeKey(to: .passphrase("third"))
    #expect(try shell("'third'").contains("rows|1"))
    try queue.close()
    try DatabaseFile.convert(
      at: path, key: .passphrase("third"), from: .default, newKey: .passphrase("fourth"))
    #expect(try shell("'fourth'").contains("rows|1"))
  }

  @Test func `files of the shell open here`() throws {
    let output = Shell.run(
      path,
      ["PRAGMA key = 'from the shell';", "CREATE TABLE t (a);", "INSERT INTO t VALUES (1), (2);"])
    #expect(!output.lowercased().contains("error"))
    let queue = try DatabaseQueue(path: path, key: .passphrase("from the shell"))
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 2)
  }
}
