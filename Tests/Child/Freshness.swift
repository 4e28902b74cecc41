// Scenarios of a database with freshness:
//
//   CofferTestChild keep-fresh PATH KEY HOW ANCHOR SEED
//
//   CofferTestChild rekey-fresh PATH KEY ANCHOR NEW-KEY
//
// keep-fresh opens the database, says "ready", and changes it in all ways for ever. HOW is "queue"
// or "pool". rekey-fresh says "ready", and changes the key to the new one.

import CofferCore
import CofferTestSupport
import Foundation

func runFreshnessScenario(_ arguments: [String]) throws -> Bool {
  if arguments.first == "rekey-fresh", arguments.count == 5 {
    var configuration = Configuration()
    configuration.key = try key(arguments[2])
    configuration.freshness = Freshness(anchor: FileAnchor(path: arguments[3]))
    let queue = try DatabaseQueue(path: arguments[1], configuration: configuration)
    say("ready")
    try queue.changeKey(to: key(arguments[4]))
    say("done")
    try queue.close()
    return true
  }
  guard arguments.first == "keep-fresh", arguments.count == 6 else { return false }
  var random = SeededGenerator(state: UInt64(arguments[5]) ?? 0)
  var configuration = Configuration()
  configuration.key = try key(arguments[2])
  var freshness = Freshness(anchor: FileAnchor(path: arguments[4]))
  freshness.minimumInterval = .milliseconds(Int.random(in: 0...20, using: &random))
  configuration.freshness = freshness
  // Transactions spill, and the log starts again often.
  configuration.cacheSize = 40_960
  configuration.checkpointPolicy = CheckpointPolicy(
    automaticPageCount: Int.random(in: 10...100, using: &random), maximumPageCount: 200)
  while true {
    let writer: any DatabaseWriter =
      arguments[3] == "pool"
      ? try DatabasePool(path: arguments[1], configuration: configuration)
      : try DatabaseQueue(path: arguments[1], configuration: configuration)
    try writer.write { db in
      try db.execute(sql: "CREATE TABLE IF NOT EXISTS note (id INTEGER PRIMARY KEY, text TEXT)")
    }
    say("ready")
    for _ in 0..<Int.random(in: 0...200, using: &random) {
      try change(writer, arguments[4], &random)
    }
    try writer.close()
    say("closed")
  }
}

private func change(
  _ writer: any DatabaseWriter, _ anchor: String, _ random: inout SeededGenerator
) throws {
  let number = Int.random(in: 1...400, using: &random)
  let text = String(repeating: "text \(number) ", count: Int.random(in: 1...300, using: &random))
  switch Int.random(in: 0..<40, using: &random) {
  case 0: try writer.vacuum()
  case 1: try writer.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
  case 2: try writer.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
  case 3: try writer.check(against: FileAnchor(path: anchor))
  case 4:
    // A transaction that is rolled back after it has spilled.
    try? writer.write { db in
      for id in 0..<40 {
        try db.execute(sql: "UPDATE note SET text = ? WHERE id > ?", arguments: [text, id])
      }
      throw CancellationError()
    }
  case 5:
    try writer.write { db in
      for _ in 0..<60 {
        try db.execute(sql: "INSERT INTO note (text) VALUES (?)", arguments: [text])
      }
      try db.execute(sql: "DELETE FROM note WHERE id % 3 = 0")
    }
  case 6...15:
    try writer.write {
      try $0.execute(sql: "DELETE FROM note WHERE id % 7 = ?", arguments: [number % 7])
    }
  default:
    try writer.write { db in
      try db.execute(sql: "INSERT INTO note (text) VALUES (?)", arguments: [text])
    }
  }
}
