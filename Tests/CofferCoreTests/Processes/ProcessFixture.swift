import Coffer
import Foundation
import Testing

/// How the processes of a test open their file.
enum ProcessAccess: String, CaseIterable, Sendable {
  /// A rollback journal, which writers and readers lock each other with.
  case queue
  /// The write-ahead log.
  case pool
}

/// A file for several processes.
struct ProcessFixture {
  static let hexKey = String(repeating: "5a", count: 32)

  let directory: TemporaryDirectory
  let access: ProcessAccess
  let writer: any DatabaseWriter

  var path: String { directory.path("db") }

  init(_ access: ProcessAccess, configure: (inout Configuration) -> Void = { _ in }) throws {
    directory = try TemporaryDirectory()
    self.access = access
    var configuration = Configuration()
    configuration.key = try .raw(EncryptedQueue.rawKey)
    configure(&configuration)
    let path = directory.path("db")
    writer =
      access == .pool
      ? try DatabasePool(path: path, configuration: configuration)
      : try DatabaseQueue(path: path, configuration: configuration)
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

  /// Another process on the file.
  func process(_ scenario: String, _ more: String...) throws -> TestProcess {
    try TestProcess([scenario, path, ProcessFixture.hexKey, access.rawValue] + more)
  }

  /// Expects that SQLite and SQLCipher find nothing wrong.
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
  Double(ProcessInfo.processInfo.environment["COFFER_PROCESSES_SECONDS"] ?? "") ?? 8
