import Coffer
import CofferTestSupport
import Foundation
import Testing

/// A file that several processes open: as queues with a rollback journal, whose readers and writers
/// lock each other out, or as pools with a write-ahead log.
struct ProcessFixture {
  static let hexKey = String(repeating: "5a", count: 32)

  let access: EncryptedDatabase.Kind
  let database: EncryptedDatabase

  var path: String { database.path }
  var writer: any DatabaseWriter { database.writer }

  init(
    _ access: EncryptedDatabase.Kind, configure: (inout Configuration) -> Void = { _ in }
  ) throws {
    self.access = access
    database = try EncryptedDatabase(access) { configuration in
      // Another process that writes all the time leaves a busy machine few moments.
      configuration.busyMode = .timeout(60)
      configure(&configuration)
    }
    try writer.write { db in
      try db.execute(
        sql: """
          CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL);
          CREATE TABLE entry (
            process INTEGER, number INTEGER, account REFERENCES account, amount INTEGER);
          CREATE TABLE ledger (
            name TEXT, number INTEGER, part INTEGER, text TEXT, UNIQUE (name, number, part));
          """)
      for id in 1...20 {
        try db.execute(sql: "INSERT INTO account VALUES (?, 0)", arguments: [id])
      }
    }
  }

  /// A process that opens the file.
  func process(_ scenario: String, _ more: String...) throws -> TestProcess {
    try TestProcess([scenario, path, ProcessFixture.hexKey, access.rawValue] + more)
  }

  /// Expects that SQLite and SQLCipher find no damage.
  func expectIntegrity(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try writer.read { db throws in
      #expect(
        try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"],
        sourceLocation: sourceLocation)
    }
    try writer.barrierWriteWithoutTransaction { db throws in
      #expect(try db.checkCipherIntegrity().isEmpty, sourceLocation: sourceLocation)
    }
  }
}

/// How long the processes of a test work: `$COFFER_PROCESSES_SECONDS`.
let processesSeconds =
  Double(ProcessInfo.processInfo.environment["COFFER_PROCESSES_SECONDS"] ?? "") ?? 3

/// How long processes make checkpoints in a test: `$COFFER_CHECKPOINTS_SECONDS`.
let checkpointsSeconds =
  Double(ProcessInfo.processInfo.environment["COFFER_CHECKPOINTS_SECONDS"] ?? "") ?? 10
