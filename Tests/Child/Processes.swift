// Scenarios of several processes on one file, which has the tables that `ProcessFixture` makes:
//
//   CofferTestChild transfer PATH KEY HOW SECONDS NUMBER
//   CofferTestChild ledger PATH KEY HOW NAME
//   CofferTestChild hold PATH KEY HOW
//   CofferTestChild commit PATH KEY HOW SQL
//   CofferTestChild checkpoints PATH KEY HOW NAME NUMBER
//   CofferTestChild check-pages PATH KEY HOW OTHER-KEY SECONDS NUMBER
//
// HOW is "queue", which keeps the journal mode of the file, or "pool".
//
// transfer says "ready" and waits for a line; then it moves random amounts between accounts and
// reads their sum, for SECONDS seconds. NUMBER tells the processes of one test apart. At the end it
// says "commits N" and "reads N".
//
// ledger writes entries for ever, one per transaction, and says "committed N" after each; hold says
// "holding" in the middle of a transaction that has spilled to the file, and waits for a line.
//
// commit says "ready", and commits the SQL once for each line that it reads.
//
// checkpoints writes small entries like ledger, and makes a checkpoint after every few.
//
// check-pages says "ready" and waits for a line; then it writes, makes checkpoints, changes the key
// from one to the other, and checks all pages in each way, for SECONDS seconds. It says "damaged
// PAGES" for what a check reports, and at the end "checks N" and "changes N".

import CofferCore
import CofferTestSupport
import Foundation

func runProcessScenario(_ arguments: [String]) throws -> Bool {
  guard arguments.count > 3 else { return false }
  func open(preparing sql: String? = nil) throws -> any DatabaseWriter {
    var configuration = Configuration()
    configuration.key = try key(arguments[2])
    configuration.busyMode = .timeout(60)
    if let sql { configuration.prepareDatabase { try $0.execute(sql: sql) } }
    return arguments[3] == "pool"
      ? try DatabasePool(path: arguments[1], configuration: configuration)
      : try DatabaseQueue(path: arguments[1], configuration: configuration)
  }
  switch (arguments[0], arguments.count) {
  case ("transfer", 6):
    try transfer(
      open(), seconds: Double(arguments[4]) ?? 1, random: .numbered(arguments[5]))
  case ("ledger", 5):
    try keepLedger(open(preparing: "PRAGMA cache_size = 10"), name: arguments[4])
  case ("hold", 4):
    try hold(open(preparing: "PRAGMA cache_size = 10"))
  case ("commit", 5):
    let writer = try open()
    say("ready")
    while readLine() != nil {
      try writer.write { try $0.execute(sql: arguments[4]) }
      say("committed")
    }
  case ("checkpoints", 6):
    try keepSmallLedger(
      open(), name: arguments[4], random: SeededGenerator.numbered(arguments[5]))
  case ("check-pages", 7):
    var checks = try PageChecks(
      path: arguments[1], keys: [arguments[2], arguments[4]].map(key),
      usesPool: arguments[3] == "pool", random: .numbered(arguments[6]))
    try checks.run(seconds: Double(arguments[5]) ?? 1)
  default: return false
  }
  return true
}

extension SeededGenerator {
  /// That of one of several processes with the same seed.
  fileprivate static func numbered(_ number: String) -> SeededGenerator {
    SeededGenerator(state: seed &+ (UInt64(number) ?? 0))
  }
}

private func transfer(
  _ writer: any DatabaseWriter, seconds: Double, random: SeededGenerator
) throws {
  var random = random
  pause("ready")
  let end = ContinuousClock.now + .seconds(seconds)
  let process = Int(ProcessInfo.processInfo.processIdentifier)
  var commits = 0
  var reads = 0
  while ContinuousClock.now < end {
    if Int.random(in: 0..<3, using: &random) == 0 {
      let sums = try writer.read { db in
        // Two statements, which must see the same state.
        let accounts = try Int.fetchOne(db, sql: "SELECT sum(balance) FROM account") ?? 0
        let entries = try Int.fetchOne(db, sql: "SELECT sum(amount) FROM entry") ?? 0
        return (accounts, entries)
      }
      guard sums == (0, 0) else { throw ScenarioError("the sums are \(sums)") }
      reads += 1
      continue
    }
    let amount = Int.random(in: 1...100, using: &random)
    let accounts = (
      Int.random(in: 1...20, using: &random), Int.random(in: 1...20, using: &random)
    )
    try writer.write { db in
      for (account, amount) in [(accounts.0, -amount), (accounts.1, amount)] {
        let balance = try Int.fetchOne(
          db, sql: "SELECT balance FROM account WHERE id = ?", arguments: [account])
        try db.execute(
          sql: "UPDATE account SET balance = ? WHERE id = ?",
          arguments: [(balance ?? 0) + amount, account])
        try db.execute(
          sql: "INSERT INTO entry (process, number, account, amount) VALUES (?, ?, ?, ?)",
          arguments: [process, commits, account, amount])
      }
    }
    commits += 1
  }
  try writer.close()
  say("commits \(commits)")
  say("reads \(reads)")
}

private func keepLedger(_ writer: any DatabaseWriter, name: String) throws {
  var number =
    try writer.read {
      try Int.fetchOne($0, sql: "SELECT max(number) FROM ledger WHERE name = ?", arguments: [name])
    } ?? 0
  say("ready")
  while true {
    number += 1
    try writer.write { db in
      for part in 0..<10 {
        try db.execute(
          sql: "INSERT INTO ledger (name, number, part, text) VALUES (?, ?, ?, ?)",
          arguments: [name, number, part, String(repeating: "\(number) ", count: 100)])
      }
    }
    say("committed \(number)")
  }
}

private func keepSmallLedger(
  _ writer: any DatabaseWriter, name: String, random: SeededGenerator
) throws {
  var random = random
  var number =
    try writer.read {
      try Int.fetchOne($0, sql: "SELECT max(number) FROM ledger WHERE name = ?", arguments: [name])
    } ?? 0
  let modes: [Database.CheckpointMode] = [.passive, .full, .restart, .truncate]
  say("ready")
  while true {
    number += 1
    try writer.write { db in
      try db.execute(
        sql: "INSERT INTO ledger (name, number, part, text) VALUES (?, ?, 0, ?)",
        arguments: [name, number, String(repeating: "\(number) ", count: number % 60)])
    }
    say("committed \(number)")
    guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
    do {
      let mode = modes.randomElement(using: &random) ?? .passive
      try writer.writeWithoutTransaction { _ = try $0.checkpoint(mode) }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
      // Another process writes.
    }
  }
}

/// Writes to a file, changes its key, and checks its pages, while other processes do so, too.
private struct PageChecks {
  let path: String
  /// The keys that the file can have, beginning with the one that it had last.
  var keys: [DatabaseKey]
  let usesPool: Bool
  var random: SeededGenerator
  private var checks = 0
  private var changes = 0

  init(path: String, keys: [DatabaseKey], usesPool: Bool, random: SeededGenerator) {
    (self.path, self.keys, self.usesPool, self.random) = (path, keys, usesPool, random)
  }

  mutating func run(seconds: Double) throws {
    pause("ready")
    let end = ContinuousClock.now + .seconds(seconds)
    var writer = try open()
    while ContinuousClock.now < end {
      do {
        try work(writer)
      } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
        // Another process has changed the key, and may have changed it back since.
        try? writer.close()
        writer = try open()
      } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
        // Another process uses the file.
      }
    }
    try writer.close()
    say("checks \(checks)")
    say("changes \(changes)")
  }

  private mutating func open() throws -> any DatabaseWriter {
    while true {
      var configuration = Configuration()
      configuration.key = keys[0]
      configuration.busyMode = .timeout(10)
      do {
        return usesPool
          ? try DatabasePool(path: path, configuration: configuration)
          : try DatabaseQueue(path: path, configuration: configuration)
      } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
        keys.reverse()
      } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
        continue
      }
    }
  }

  private mutating func work(_ writer: any DatabaseWriter) throws {
    let delay = UInt32.random(in: 0...2000, using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0:
      try writer.changeKey(to: keys[1])
      keys.reverse()
      changes += 1
    case 1:
      let modes: [Database.CheckpointMode] = [.passive, .full, .restart, .truncate]
      let mode = modes.randomElement(using: &random) ?? .passive
      if usesPool { try writer.writeWithoutTransaction { _ = try $0.checkpoint(mode) } }
    case 2...5:
      let (first, count) = (
        Int.random(in: 1...200, using: &random), Int.random(in: 1...40, using: &random)
      )
      try writer.write { db in
        for number in first..<(first + count) {
          try db.execute(
            sql: "REPLACE INTO ledger VALUES ('checks', ?, 0, ?)",
            arguments: [number, String(repeating: "\(first) ", count: 500)])
        }
        try db.execute(
          sql: "DELETE FROM ledger WHERE number > ?", arguments: [240 - count])
      }
    case 6...7:
      // What it sees is fixed before the others go on.
      try report(
        writer.read { db in
          _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM ledger")
          usleep(delay)
          return try db.checkCipherIntegrity()
        })
    case 8:
      try report(writer.writeWithoutTransaction { try $0.checkCipherIntegrity() })
    case 9:
      guard let pool = writer as? DatabasePool else { break }
      let snapshot = try pool.makeSnapshot()
      usleep(delay)
      try report(snapshot.read { try $0.checkCipherIntegrity() })
      try snapshot.close()
    default:
      try report(writer.checkCipherIntegrity())
    }
  }

  private mutating func report(_ pages: [Int]) {
    checks += 1
    if !pages.isEmpty { say("damaged \(pages)") }
  }
}

private func hold(_ writer: any DatabaseWriter) throws {
  try writer.write { db in
    for part in 0..<500 {
      try db.execute(
        sql: "INSERT INTO ledger (name, number, part, text) VALUES ('hold', 0, ?, ?)",
        arguments: [part, String(repeating: "\(part) ", count: 200)])
    }
    pause("holding")
  }
  say("done")
}
