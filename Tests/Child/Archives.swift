// An archive's writer, to be killed:
//
//   CofferTestChild archive PATH KEY FOLDER SEED
//
// It writes, and archives into the folder, for ever. It says "ready", and "archived N HASH" for
// each commit that was reported archived, with a hash of the content.

import Coffer
import CofferArchive
import CofferTestSupport
import Foundation

func runArchiveScenario(_ arguments: [String]) throws -> Bool {
  guard arguments.count == 5, arguments[0] == "archive", let seed = UInt64(arguments[4]) else {
    return false
  }
  var random = SeededGenerator(state: seed)
  var configuration = Configuration()
  configuration.seedRandomFunctions(SeededGenerator(state: random.next()))
  let pages = [20, 100, 1_000].randomElement(using: &random) ?? 100
  configuration.checkpointPolicy = CheckpointPolicy(
    automaticPageCount: pages, maximumPageCount: 4 * pages)
  let pool = try DatabasePool(
    path: arguments[1], key: key(arguments[2]), configuration: configuration)
  var archiving = ArchiveConfiguration()
  archiving.interval = .milliseconds(10)
  archiving.snapshotInterval = .milliseconds(150)
  let archive = Archive(FolderDestination(path: arguments[3]), configuration: archiving)
  var session = try archive.start(pool)
  try pool.write { db in
    try db.execute(
      sql: "CREATE TABLE IF NOT EXISTS item (id INTEGER PRIMARY KEY, text TEXT, data BLOB)")
  }
  say("ready")
  while true {
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let count = Int.random(in: 0..<20, using: &random) == 0 ? 800 : 5
      let kind = Int.random(in: 0..<8, using: &random)
      try pool.write { db in
        switch kind {
        case 0: try db.execute(sql: "DELETE FROM item WHERE id % 3 = abs(random() % 3)")
        case 1: try db.execute(sql: "UPDATE item SET text = random() WHERE id % 5 = 1")
        default:
          for _ in 0..<count {
            try db.execute(
              sql: "INSERT INTO item (text, data) VALUES (random(), randomblob(?))",
              arguments: [Int.random(in: 1...3_000, using: &random)])
          }
        }
      }
    }
    let number = try session.archiveNow().number
    let hash = try pool.read { try archivedHash($0) }
    say("archived \(number) \(hash)")
    if Int.random(in: 0..<15, using: &random) == 0 {
      try session.stop()
      session = try archive.start(pool)
    }
  }
}

/// A hash of all rows, which Tests/CofferArchiveTests computes, too.
private func archivedHash(_ db: Database) throws -> String {
  var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  let rows = try Row.fetchCursor(db, sql: "SELECT id || '|' || text, data FROM item ORDER BY id")
  while let row = try rows.next() {
    let text: String = row[0]
    let data: Data = row[1]
    for byte in Array(text.utf8) + Array(data) {
      hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
  }
  return String(hash, radix: 16)
}
