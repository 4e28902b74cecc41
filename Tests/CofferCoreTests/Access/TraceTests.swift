import CofferExpectations
import CofferTestSupport
import Foundation
import Synchronization
import Testing

@testable import Coffer
@testable import CofferCore

struct TraceTests {
  let database: EncryptedQueue
  var queue: DatabaseQueue { database.queue }

  init() throws {
    database = try EncryptedQueue("CREATE TABLE t (x)")
  }

  @Test func `statements are traced without their values`() throws {
    var events: [String] = []
    var expanded: [String] = []
    try queue.inDatabase { db in
      db.trace {
        events.append($0.description)
        expanded.append($0.expandedDescription)
      }
      try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: ["secret"])
      db.trace(nil)
      try db.execute(sql: "DELETE FROM t")
    }
    #expect(events == ["INSERT INTO t VALUES (?)"])
    #expect(expanded == ["INSERT INTO t VALUES ('secret')"])
  }

  @Test func `statements of one text are traced without what is between them`() throws {
    var events: [String] = []
    var expanded: [String] = []
    try queue.inDatabase { db in
      db.trace {
        events.append($0.description)
        expanded.append($0.expandedDescription)
      }
      try db.execute(sql: "  INSERT INTO t VALUES (1);\n\n  DELETE FROM t ;\n")
      db.trace()
      let statement = try db.makeStatement(sql: " SELECT 1 ;\n")
      #expect(statement.sql == "SELECT 1")
    }
    #expect(events == ["INSERT INTO t VALUES (1)", "DELETE FROM t"])
    #expect(expanded == events)
  }

  @Test func `public arguments are traced`() throws {
    var configuration = Configuration()
    configuration.publicStatementArguments = true
    let events = Mutex<[String]>([])
    configuration.prepareDatabase { db in
      db.trace { event in events.withLock { $0.append(event.description) } }
    }
    let queue = try DatabaseQueue(configuration: configuration)
    try queue.inDatabase { db in try db.execute(sql: "SELECT ?", arguments: ["public"]) }
    #expect(events.withLock { $0.last } == "SELECT 'public'")
  }

  @Test func `a profile has a duration`() throws {
    var events: [(String, Double)] = []
    try queue.inDatabase { db in
      db.trace(options: .profile) { event in
        guard case .profile(let statement, let duration) = event else { return }
        events.append((statement.sql, duration))
        #expect(event.description.hasSuffix("s SELECT * FROM t"))
      }
      _ = try Row.fetchAll(db, sql: "SELECT * FROM t")
      db.trace()
    }
    #expect(events.map(\.0) == ["SELECT * FROM t"])
    #expect(events.allSatisfy { $0.1 >= 0 })
  }

  @Test func `an event that is kept has no values`() throws {
    var kept: [Database.TraceEvent] = []
    try queue.inDatabase { db in
      db.trace { kept.append($0) }
      try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: ["secret"])
      db.trace()
    }
    #expect(kept.map(\.expandedDescription) == ["INSERT INTO t VALUES (?)"])
  }

  @Test func `a trace shows no key`() throws {
    var events: [String] = []
    try DatabaseQueue().inDatabase { db in
      db.trace { event in events += [event.description, event.expandedDescription] }
      let path = database.directory.path("new.db")
      try? db.execute(sql: "ATTACH ? AS other KEY ?", arguments: [path, "secret"])
      try? db.execute(sql: "DETACH other")
      try? db.execute(sql: "PRAGMA key = 'secret'")
      db.trace()
    }
    #expect(events.contains("ATTACH …(redacted)"))
    #expect(!events.contains { $0.contains("secret") })
  }

  @Test(arguments: [
    ("PRAGMA key = 'x'", "PRAGMA key …(redacted)"),
    ("/* c */ pragma main . \"HexKey\"='x'", "PRAGMA hexkey …(redacted)"),
    ("PRAGMA rekey('x')", "PRAGMA rekey …(redacted)"),
    ("SELECT 1; PRAGMA\nother.hexrekey = 1", "PRAGMA hexrekey …(redacted)"),
    ("explain attach 'f' as x key 'y'", "ATTACH …(redacted)"),
    ("ATTACH DATABASE 'f' AS x KEY ?", "ATTACH …(redacted)"),
    ("ATTACH 'f' AS x", "ATTACH 'f' AS x"),
    ("ATTACH 'file:f?key=x AS y", "ATTACH …(redacted)"),
    ("SELECT 1\0; PRAGMA key = 'x'", "SELECT 1"), ("SELECT 'x", "SELECT 'x"),
    ("PRAGMA user_version = 3", "PRAGMA user_version = 3"),
    ("SELECT key FROM pragma", "SELECT key FROM pragma"),
    ("INSERT INTO attach (key) VALUES (1)", "INSERT INTO attach (key) VALUES (1)"),
  ])
  func `keys are redacted`(sql: String, shown: String) {
    #expect(SQLString(sql).redacted == shown)
  }

  @Test func `a checkpoint tells how far it went`() throws {
    let queue = try database.other { $0.journalMode = .wal }
    try queue.inDatabase { db in
      try db.execute(sql: "INSERT INTO t VALUES (1)")
      let passive = try db.checkpoint()
      #expect(passive.walFrameCount > 0)
      #expect(passive.walFrameCount == passive.checkpointedFrameCount)
      let truncate = try db.checkpoint(.truncate)
      #expect(truncate.walFrameCount == 0)
      expectFailure(.SQLITE_LOCKED) {
        try db.inTransaction {
          try db.execute(sql: "INSERT INTO t VALUES (1)")
          try db.checkpoint(.full)
          return .commit
        }
      }
    }
    let plain = try DatabaseQueue()
    let none = try plain.inDatabase { try $0.checkpoint() }
    #expect(none == (-1, -1))
  }

  @Test func `SQLite's log is handed over without keys`() async {
    await #expect(processExitsWith: .success) {
      nonisolated(unsafe) var messages: [String] = []
      Database.logError = { code, message in messages.append("\(code.rawValue) \(message)") }
      let queue = try DatabaseQueue()
      try queue.inDatabase { db in
        try? db.execute(sql: "SELECT * FROM missing")
        try? db.execute(sql: "PRAGMA key = 'secret' oops")
      }
      let hasMissing = messages.contains { $0.contains("no such table: missing") }
      let hasSecret = messages.contains { $0.contains("secret") }
      exit(hasMissing && !hasSecret && messages.count == 2 ? 0 : 1)
    }
  }
}
