// Scenarios about the files on disk:
//
//   CofferTestChild markers PATH KEY-OR-MINUS JOURNAL-MODE TEMP-STORE
//   CofferTestChild append PATH KEY JOURNAL-MODE
//   CofferTestChild create-together PATH PASSPHRASE ROWS [ITERATIONS]
//   CofferTestChild open PATH PASSPHRASE [readonly]
//   CofferTestChild foreign-defaults PATH KEY
//   CofferTestChild as-nobody SCENARIO…
//   CofferTestChild memory-scan PATH HOW
//   CofferTestChild dump-scan PATH
//   CofferTestChild log PATH PASSPHRASE CONTROL
//   CofferTestChild provider
//   CofferTestChild read-ahead
//   CofferTestChild fork-scan PATH
//   CofferTestChild salvage PATH KEY-OR-MINUS TARGET
//
// After "at …", "ready" or "full", a scenario waits for a line.

import CofferCore
import CofferTestSupport
import CofferVault
import Foundation

func runEncryptionScenario(_ arguments: [String]) throws -> Bool {
  switch (arguments.first, arguments.count) {
  case ("markers", 5):
    try writeMarkers(
      arguments[1], key: arguments[2] == "-" ? nil : key(arguments[2]),
      journalMode: arguments[3], tempStore: arguments[4])
  case ("append", 4):
    try append(arguments[1], key: key(arguments[2]), journalMode: arguments[3])
  case ("create-together", 4), ("create-together", 5):
    var configuration = Configuration()
    configuration.key = .passphrase(arguments[2])
    if let count = arguments.dropFirst(4).first.flatMap({ Int($0) }) {
      configuration.cipher.kdfIterations = count
    }
    try createTogether(arguments[1], configuration, rows: Int(arguments[3]) ?? 0)
  case ("open", 3), ("open", 4):
    var configuration = Configuration()
    configuration.readonly = arguments.last == "readonly"
    if arguments[2] != "-" { configuration.key = .passphrase(arguments[2]) }
    let queue = try DatabaseQueue(path: arguments[1], configuration: configuration)
    let count = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") }
    say("opened \(count ?? -1)")
    try queue.write { try $0.execute(sql: "CREATE TABLE written (id INTEGER PRIMARY KEY)") }
    say("written")
  case ("foreign-defaults", 3):
    try openWithForeignDefaults(arguments[1], key: key(arguments[2]))
  case ("as-nobody", 2...):
    let nobody: uid_t = 65534
    guard setgid(nobody) == 0, setuid(nobody) == 0 else { throw ScenarioError("setuid failed") }
    return try runEncryptionScenario(Array(arguments.dropFirst()))
  case ("memory-scan", 3):
    try scanMemory(arguments[1], how: arguments[2])
  case ("dump-scan", 2):
    try scanDump(arguments[1])
  case ("log", 4):
    try logFailures(arguments[1], passphrase: arguments[2], control: arguments[3])
  case ("salvage", 4):
    // A hostile file takes no longer than this.
    var limit = rlimit(rlim_cur: 20, rlim_max: 20)
    guard setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &limit) == 0 else {
      throw ScenarioError("setrlimit failed")
    }
    do {
      let report = try DatabaseFile.salvage(
        at: arguments[1], key: arguments[2] == "-" ? nil : key(arguments[2]), to: arguments[3])
      for limit in report.reachedLimits { say("reached \(limit.rawValue)") }
      say(report.isComplete ? "complete" : "incomplete")
    } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
      say("full")
    }
    say("bytes \(peakMemory())")
  case ("provider", 1): say(Database.cipherProviderDescription)
  case ("read-ahead", 1): say("\(Configuration().readsAhead)")
  case ("fork-scan", 2): try forkInScan(arguments[1])
  case ("interop", 3), ("interop", 4):
    try runInterop(Array(arguments.dropFirst()))
  case ("matrix", 2), ("matrix", 3), ("matrix", 5):
    try runMatrix(Array(arguments.dropFirst()))
  default:
    return false
  }
  return true
}

/// Copies the process several times in a scan that reads ahead; the copies go on with the scan.
private func forkInScan(_ path: String) throws {
  var configuration = Configuration()
  configuration.key = try .raw(
    [UInt8](repeating: 0x3C, count: 32), salt: [UInt8](repeating: 0x71, count: 16))
  configuration.cipher = .sqlcipher4
  configuration.readsAhead = true
  configuration.cacheSize = 0
  let queue = try DatabaseQueue(path: path, configuration: configuration)
  try queue.inDatabase { db in
    let expected = try Int.fetchOne(db, sql: "SELECT count(*) FROM t NOT INDEXED")
    let cursor = try Row.fetchCursor(db, sql: "SELECT data FROM t NOT INDEXED")
    var rows = 0
    for number in 1...10 {
      for _ in 0..<200 where try cursor.next() != nil { rows += 1 }
      let child = childFork()
      if child == 0 {
        while let next = try? cursor.next(), next.count == 1 { rows += 1 }
        _exit(rows == expected ? 0 : 1)
      }
      let status = try status(ofEnded: child)
      guard status == 0 else { throw ScenarioError("copy \(number) ended with \(status)") }
    }
    say("copies ended")
    while try cursor.next() != nil { rows += 1 }
    say(rows == expected ? "parent rows same" : "parent rows differ")
  }
}

/// Waits for the end of a child.
private func status(ofEnded child: pid_t) throws -> CInt {
  var status: CInt = 0
  let end = Date() + 60
  while waitpid(child, &status, WNOHANG) == 0 {
    guard Date() < end else {
      kill(child, SIGKILL)
      throw ScenarioError("the copy hangs")
    }
    usleep(1000)
  }
  return status
}

/// Opens a file, and creates another one, after other code of the process has changed the settings
/// that SQLCipher gives to files of which nobody says more.
private func openWithForeignDefaults(_ path: String, key: DatabaseKey) throws {
  let foreign = try FileConnection(path: ":memory:", key: nil)
  for setting in [
    "kdf_iter = 4000", "page_size = 8192", "use_hmac = OFF", "hmac_algorithm = HMAC_SHA1",
    "kdf_algorithm = PBKDF2_HMAC_SHA1", "plaintext_header_size = 32",
  ] {
    try foreign.run("PRAGMA cipher_default_\(setting)")
  }
  for path in [path, path + "-new"] {
    let queue = try DatabaseQueue(path: path, key: key)
    try queue.write { try $0.execute(sql: "CREATE TABLE made (a)") }
    say("written")
  }
}

/// Swift doesn't import `fork`.
@_silgen_name("fork") private func childFork() -> pid_t

struct ScenarioError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Prints the label, and waits for a line.
func pause(_ label: String) {
  say(label)
  _ = readLine()
}

// MARK: Markers

/// Work that fills the journal, the log, sorters and temporary tables with a text.
private func writeMarkers(
  _ path: String, key: DatabaseKey?, journalMode: String, tempStore: String
) throws {
  var configuration = Configuration()
  configuration.key = key
  configuration.prepareDatabase { db in
    try db.execute(sql: "PRAGMA journal_mode = \(journalMode)")
    try db.execute(sql: "PRAGMA cache_size = 20")
    try db.execute(sql: "PRAGMA wal_autocheckpoint = 50")
    if tempStore != "DEFAULT" { try db.execute(sql: "PRAGMA temp_store = \(tempStore)") }
  }
  let queue = try DatabaseQueue(path: path, configuration: configuration)
  // The marker is set by the parent process, which looks for it.
  let marker = ProcessInfo.processInfo.environment["COFFER_TEST_MARKER"] ?? "MARKER"
  let filler = String(repeating: marker + " ", count: 12)

  try queue.write { db in
    try db.execute(
      sql: """
        CREATE TABLE item (id INTEGER PRIMARY KEY, number INT, text TEXT);
        CREATE VIRTUAL TABLE words USING fts4(content);
        """)
    for number in 0..<3000 {
      try db.execute(
        sql: "INSERT INTO item (number, text) VALUES (?, ?)",
        arguments: [number * 7919 % 3000, "\(number * 31 % 997) \(filler)"])
    }
    pause("at insertion")
  }
  pause("at first commit")
  try queue.write { db in
    try db.execute(sql: "UPDATE item SET number = number + 1, text = text || '\(marker)'")
    pause("at update")
    try db.execute(sql: "SAVEPOINT s")
    try db.execute(sql: "DELETE FROM item WHERE number % 2 = 0")
    try db.execute(sql: "UPDATE item SET text = 'b' || text")
    pause("at savepoint")
    try db.execute(sql: "ROLLBACK TO s; RELEASE s")
    pause("at savepoint's end")
  }
  try queue.inTransaction { db in
    try db.execute(sql: "UPDATE item SET text = 'c' || text")
    pause("at rollback")
    return .rollback
  }
  try queue.inDatabase { db in
    try db.execute(sql: "CREATE TEMP TABLE copy AS SELECT * FROM item")
    try db.execute(sql: "CREATE INDEX temp.copy_text ON copy (text)")
    try db.execute(sql: "UPDATE copy SET text = text || number")
    pause("at temporary table")
    let sorted = try String.fetchCursor(db, sql: "SELECT text FROM item ORDER BY text DESC, number")
    _ = try sorted.next()
    pause("at sort")
    let distinct = try String.fetchCursor(
      db,
      sql: "SELECT DISTINCT text || id FROM item UNION SELECT text FROM copy ORDER BY 1")
    _ = try distinct.next()
    pause("at union")
  }
  try queue.write { db in
    try db.execute(sql: "CREATE INDEX item_text ON item (text, number)")
    pause("at index")
    try db.execute(sql: "INSERT INTO words SELECT text FROM item LIMIT 500")
    try db.execute(sql: "INSERT INTO words (words) VALUES ('optimize')")
    pause("at full text")
  }
  try queue.vacuum()
  pause("at vacuum")
  try queue.write { db in try db.execute(sql: "DROP TABLE copy; DELETE FROM item") }
  pause("at deletion")
  try queue.close()
  say("done")
}

// MARK: Crashes and races

/// Appends batches of rows until it is killed; each batch is a transaction, which overflows the
/// cache.
private func append(_ path: String, key: DatabaseKey, journalMode: String) throws {
  var configuration = Configuration()
  configuration.key = key
  configuration.prepareDatabase { db in
    try db.execute(sql: "PRAGMA journal_mode = \(journalMode)")
    try db.execute(sql: "PRAGMA cache_size = 10")
    try db.execute(sql: "PRAGMA wal_autocheckpoint = 40")
  }
  let queue = try DatabaseQueue(path: path, configuration: configuration)
  try queue.write { db in
    try db.execute(
      sql: "CREATE TABLE IF NOT EXISTS batch (id INTEGER PRIMARY KEY, number INT, text TEXT)")
    try db.execute(sql: "CREATE INDEX IF NOT EXISTS batch_number ON batch (number, text)")
  }
  var number = try queue.read { try Int.fetchOne($0, sql: "SELECT max(number) FROM batch") } ?? 0
  say("started after \(number)")
  while true {
    number += 1
    try queue.write { db in
      for row in 0..<100 {
        try db.execute(
          sql: "INSERT INTO batch (number, text) VALUES (?, ?)",
          arguments: [number, String(repeating: "\(row) of \(number) ", count: 30)])
      }
      // Rewrites pages, of which the journal has to keep the old content.
      try db.execute(
        sql: "UPDATE batch SET text = text || '.' WHERE id % 17 = ?", arguments: [number % 17])
    }
    say("committed \(number)")
  }
}

private func createTogether(_ path: String, _ configuration: Configuration, rows: Int) throws {
  pause("ready")
  let queue = try DatabaseQueue(path: path, configuration: configuration)
  try queue.write { db in
    try db.execute(sql: "CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, pid INT)")
  }
  for _ in 0..<rows {
    try queue.write { db in
      try db.execute(
        sql: "INSERT INTO t (pid) VALUES (?)",
        arguments: [Int(ProcessInfo.processInfo.processIdentifier)])
    }
  }
  try queue.close()
  say("done")
}

/// Prints SQLite's log of failing statements that have a passphrase in them.
private func logFailures(_ path: String, passphrase: String, control: String) throws {
  Database.logError = { code, message in say("log \(code): \(message)") }
  let queue = try DatabaseQueue(path: path, key: .passphrase(passphrase))
  for sql in [
    "SELECT * FROM \"\(control)\"", "ATTACH '/no/such/file' AS x KEY '\(passphrase)'",
    "ATTACH '/no/such/file' AS x KEY \(passphrase)", "PRAGMA key = '\(passphrase)'",
    "PRAGMA rekey = '\(passphrase)'", "PRAGMA key '\(passphrase)'",
  ] {
    do {
      try queue.inDatabase { try $0.execute(sql: sql) }
    } catch { say("refused \(sql.prefix { $0 != " " }): \(error)") }
  }
  do {
    try queue.inDatabase { db in
      try db.execute(sql: "ATTACH ? AS x KEY ?", arguments: ["/no/such/file", passphrase])
    }
  } catch { say("refused: \(error)") }
  _ = try? DatabaseQueue(path: path, key: .passphrase(passphrase + "?"))
}
