// Scenarios of migrations:
//
//   CofferTestChild migrate PATH KEY HOW
//
// Registers "v1", which makes a table with rows, and "v2", which replaces it. It says "ran …" at
// the end of each, and "done" at the end. HOW is
//
//   at-once    to run without a pause; it says "busy" when it first has to wait
//   pausing    to say "in v1" and "in v2" in the middle of each, and to wait for a line
//
// and may have "-wal" at its end.

import CofferCore
import CofferQuery
import Foundation
import Synchronization

func runMigrationScenario(_ arguments: [String]) throws -> Bool {
  guard arguments.first == "migrate", arguments.count == 4 else { return false }
  let isPausing = arguments[3].hasPrefix("pausing")
  var configuration = Configuration()
  configuration.key = try key(arguments[2])
  if arguments[3].hasSuffix("-wal") { configuration.journalMode = .wal }
  let wasBusy = Mutex(false)
  configuration.busyMode = .callback { _ in
    wasBusy.withLock { wasBusy in
      if !wasBusy { say("busy") }
      wasBusy = true
    }
    usleep(1000)
    return true
  }
  // Little enough that a migration writes to the file before its commit.
  configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = 10") }
  let queue = try DatabaseQueue(path: arguments[1], configuration: configuration)
  try migrator(isPausing: isPausing).migrate(queue)
  say("done")
  return true
}

private func migrator(isPausing: Bool) -> DatabaseMigrator {
  var migrator = DatabaseMigrator()
  migrator.registerMigration("v1") { db in
    try db.execute(
      sql: """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE score (playerId INTEGER NOT NULL REFERENCES player, value INTEGER);
        """)
    for id in 1...2000 {
      try db.execute(
        sql: "INSERT INTO player VALUES (?, ?)",
        arguments: [id, String(repeating: "player \(id) ", count: 20)])
      try db.execute(sql: "INSERT INTO score VALUES (?, ?)", arguments: [id, id * 10])
    }
    if isPausing { pause("in v1") }
    say("ran v1")
  }
  migrator.registerMigration("v2") { db in
    try db.execute(
      sql: """
        CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER);
        INSERT INTO person (id, name) SELECT id, name FROM player;
        DROP TABLE player;
        ALTER TABLE person RENAME TO player;
        """)
    if isPausing { pause("in v2") }
    say("ran v2")
  }
  return migrator
}
