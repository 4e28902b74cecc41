// Scenarios of several processes on one file, which has the tables that `ProcessFixture` makes:
//
//   CofferTestChild transfer PATH KEY HOW SECONDS NUMBER
//   CofferTestChild ledger PATH KEY HOW NAME
//   CofferTestChild hold PATH KEY HOW
//   CofferTestChild commit PATH KEY HOW SQL
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
    let seed = SeededGenerator.seed &+ (UInt64(arguments[5]) ?? 0)
    try transfer(open(), seconds: Double(arguments[4]) ?? 1, random: SeededGenerator(state: seed))
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
  default: return false
  }
  return true
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
