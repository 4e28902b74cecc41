import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

struct JournalModeTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func open(
    _ name: String = "db", isKeyed: Bool = true,
    configure: (inout Configuration) -> Void = { _ in }
  ) throws -> DatabaseQueue {
    var configuration = Configuration()
    if isKeyed { configuration.key = try .raw(EncryptedQueue.rawKey) }
    configure(&configuration)
    return try DatabaseQueue(path: folder.path(name), configuration: configuration)
  }

  /// The journal mode and `synchronous` of a connection, which is closed then.
  private func modes(_ queue: DatabaseQueue) throws -> [String] {
    defer { try? queue.close() }
    return try queue.inDatabase { db in
      try [
        String.fetchOne(db, sql: "PRAGMA journal_mode") ?? "",
        String.fetchOne(db, sql: "PRAGMA synchronous") ?? "",
      ]
    }
  }

  private let full = "2"
  private let extra = "3"
  private let normal = "1"

  @Test func `a new encrypted file has a log whose commits wait for the disk`() throws {
    #expect(try modes(open()) == ["wal", full])
    #expect(try folder.contents() == ["db"])
    #expect(try modes(open()) == ["wal", full])
    #expect(try modes(open("pool") { $0.journalMode = .wal }) == ["wal", normal])
  }

  @Test func `a rollback journal can be chosen, also for a file with a log`() throws {
    #expect(try modes(open { $0.journalMode = .delete }) == ["delete", extra])
    #expect(try modes(open()) == ["delete", extra])
    #expect(try modes(open { $0.journalMode = .wal }) == ["wal", normal])
    #expect(try modes(open { $0.journalMode = .delete }) == ["delete", extra])
  }

  @Test(arguments: ["DELETE", "TRUNCATE", "PERSIST", "MEMORY"])
  func `what a preparation chooses stays`(mode: String) throws {
    let queue = try open {
      $0.prepareDatabase { try $0.execute(sql: "PRAGMA journal_mode = \(mode)") }
    }
    #expect(try modes(queue)[0] == mode.lowercased())
    let other = try open("other") {
      $0.journalMode = .delete
      $0.prepareDatabase {
        try $0.execute(sql: "PRAGMA journal_mode = \(mode); PRAGMA synchronous = NORMAL")
      }
    }
    #expect(try modes(other) == [mode.lowercased(), normal])
  }

  @Test func `plaintext files and attached ones keep SQLite's default`() throws {
    #expect(try modes(open("plain", isKeyed: false)) == ["delete", extra])
    let queue = try open()
    try queue.inDatabase { db in
      try db.attach(folder.path("attached"), as: "attached", key: .raw(EncryptedQueue.rawKey))
      #expect(
        try String.fetchOne(db, sql: "PRAGMA attached.journal_mode") == "delete")
    }
    try queue.close()
  }

  @Test func `many connections that make a file at once agree on its journal`() throws {
    let failures = Locked<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      do {
        let queue = try open()
        try queue.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS t (a)") }
        try queue.close()
      } catch {
        failures.append("\(error)")
      }
    }
    #expect(failures.value == [])
    // Two that close at the same moment may each leave the log to the other one, as SQLite does.
    #expect(try modes(open()) == ["wal", full])
    #expect(try folder.contents() == ["db"])
  }
}
