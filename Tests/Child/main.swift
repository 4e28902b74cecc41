// Runs the scenario that its arguments name until it is done or killed, and prints its progress:
//
//   CofferTestChild insert-batches PATH KEY
//   CofferTestChild change-key PATH KEY NEW-KEY
//   CofferTestChild convert PATH KEY PAGE-SIZE NEW-PAGE-SIZE
//
// and the scenarios of the other files here.
//
// Keys are 64 hexadecimal digits. One line "ready" comes before the work, "done" after it;
// insert-batches never ends, and says "committed N" after each transaction of ten rows.

import CofferCore
import Foundation

func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

func key(_ hex: String) throws -> DatabaseKey {
  let digits = Array(hex)
  return try .raw(
    stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(digits[$0...($0 + 1)]), radix: 16)
    })
}

func run(_ arguments: [String]) throws {
  switch (arguments.first, arguments.count) {
  case ("insert-batches", 3):
    var configuration = Configuration()
    configuration.journalMode = .wal
    let queue = try DatabaseQueue(
      path: arguments[1], key: key(arguments[2]), configuration: configuration)
    try queue.write { db in
      try db.execute(
        sql: "CREATE TABLE IF NOT EXISTS batch (id INTEGER PRIMARY KEY, number INT, text TEXT)")
    }
    say("ready")
    var number = 0
    while true {
      number += 1
      try queue.write { db in
        for _ in 0..<10 {
          try db.execute(
            sql: "INSERT INTO batch (number, text) VALUES (?, ?)",
            arguments: [number, String(repeating: "batch \(number) ", count: 20)])
        }
      }
      say("committed \(number)")
    }
  case ("change-key", 4):
    let queue = try DatabaseQueue(path: arguments[1], key: key(arguments[2]))
    say("ready")
    try queue.changeKey(to: key(arguments[3]))
    say("done")
  case ("convert", 5):
    var old = CipherSettings.default
    old.pageSize = Int(arguments[3]) ?? 0
    var new = old
    new.pageSize = Int(arguments[4]) ?? 0
    say("ready")
    try DatabaseFile.convert(at: arguments[1], key: key(arguments[2]), from: old, to: new)
    say("done")
  default:
    if try runEncryptionScenario(arguments) || runMigrationScenario(arguments)
      || runProcessScenario(arguments) || runDocumentScenario(arguments)
      || runKeySlotsScenario(arguments) || runFreshnessScenario(arguments)
      || runSecretServiceScenario(arguments) || runFaultScenario(arguments)
      || runArchiveScenario(arguments) || runRaceScenario(arguments)
    {
      return
    }
    FileHandle.standardError.write(Data("unknown scenario\n".utf8))
    exit(64)
  }
}

do {
  try run(Array(CommandLine.arguments.dropFirst()))
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
