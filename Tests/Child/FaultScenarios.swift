// The scenarios of Faults.swift.

import Coffer
import CofferCore
import CofferQuery
import Foundation
import Synchronization

private struct Note: Codable, Identifiable, Equatable {
  var id: String
  @Index var author: String
  var tags: [String] = []
}

var faultScenarios: [FaultScenario] {
  openingScenarios + transactionScenarios + readingScenarios + observationScenarios
    + fileScenarios + copyScenarios + inPlaceScenarios + [freshness]
}

private func useWAL(_ configuration: inout Configuration) { configuration.journalMode = .wal }

/// Changes of many pages, and of the index.
private func change(_ db: Database) throws {
  try db.execute(sql: "DELETE FROM item WHERE id % 3 = 0")
  for number in 100..<110 {
    try db.execute(
      sql: "INSERT INTO item (id, number, text) VALUES (?, ?, ?)",
      arguments: [number, number % 7, String(repeating: "row \(number) ", count: 200)])
  }
  try db.execute(sql: "UPDATE item SET number = number + 1")
}

private var openingScenarios: [FaultScenario] {
  [
    FaultScenario(name: "open-new", sql: nil, opensBefore: false, steps: [{ try $0.open() }]),
    FaultScenario(
      name: "open-new-wal", sql: nil, opensBefore: false, configure: useWAL,
      steps: [{ try $0.open() }]),
    FaultScenario(
      name: "open", opensBefore: false,
      configure: { configuration in
        configuration.prepareDatabase { db in
          db.add(
            function: DatabaseFunction("twice", argumentCount: 1, pure: true) { values in
              (Int.fromDatabaseValue(values[0]) ?? 0) * 2
            })
          db.add(function: DatabaseFunction("total", argumentCount: 1, aggregate: Total.self))
          db.add(
            collation: DatabaseCollation("backwards") {
              $0 == $1 ? .orderedSame : $1 < $0 ? .orderedAscending : .orderedDescending
            })
        }
      },
      steps: [
        { run in
          try run.open()
          try run.read { db in
            let row = try Row.fetchOne(
              db, sql: "SELECT twice(max(id)), total(id) FROM item ORDER BY 1 COLLATE backwards")
            guard row?[0] == 120, row?[1] == 1830 else { throw ScenarioError("read \(row as Any)") }
          }
        }
      ]),
    FaultScenario(
      name: "open-pool", isPool: true, opensBefore: false,
      steps: [
        { try $0.open() }, { try $0.read { _ = try Row.fetchAll($0, sql: "SELECT * FROM item") } },
      ]),
    FaultScenario(
      name: "open-as-pool", configure: { $0.journalMode = .delete },
      steps: [
        { run in
          let queue = try run.opened()
          run.writer = nil
          try queue.close()
          let pool = try DatabasePool(path: run.path, configuration: run.configuration())
          run.writer = pool
          // A pool that is open has a log, whatever has failed.
          let mode = try pool.unsafeRead { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
          guard mode == "wal" else { throw ScenarioError("the pool's mode is \(mode ?? "none")") }
        }
      ]),
    FaultScenario(
      name: "functions",
      steps: [
        { run in
          try run.read { db in
            db.add(
              function: DatabaseFunction("thrice", argumentCount: 1, pure: true) { values in
                (Int.fromDatabaseValue(values[0]) ?? 0) * 3
              })
            db.add(
              collation: DatabaseCollation("backwards") {
                $0 == $1 ? .orderedSame : $1 < $0 ? .orderedAscending : .orderedDescending
              })
            let largest = try Int.fetchOne(
              db, sql: "SELECT thrice(id) FROM item ORDER BY id || '' COLLATE backwards")
            guard largest == 27 else { throw ScenarioError("read \(largest as Any)") }
          }
        }
      ],
      check: { run in
        // What was added is there, even if memory had run out.
        try run.read { db in
          _ = try Int.fetchOne(db, sql: "SELECT thrice(id) FROM item LIMIT 1")
        }
      }),
  ]
}

private struct Total: DatabaseAggregate {
  var sum = 0
  mutating func step(_ values: [DatabaseValue]) { sum += Int.fromDatabaseValue(values[0]) ?? 0 }
  func finalize() -> (any DatabaseValueConvertible)? { sum }
}

/// An error that ends a transaction.
private struct Refusal: Error {}

private var transactionScenarios: [FaultScenario] {
  func small(_ configuration: inout Configuration) {
    // Little enough that a transaction writes to the file before its commit.
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = 5") }
  }
  return [
    FaultScenario(name: "write", steps: [{ try $0.write(change) }]),
    FaultScenario(
      name: "write-wal", configure: useWAL,
      steps: [
        { try $0.write(change) }, { try $0.write { try $0.execute(sql: "DELETE FROM item") } },
      ]),
    FaultScenario(name: "write-spilling", configure: small, steps: [{ try $0.write(change) }]),
    FaultScenario(
      name: "write-spilling-wal",
      configure: {
        useWAL(&$0)
        small(&$0)
      }, steps: [{ try $0.write(change) }]),
    FaultScenario(
      name: "abort", configure: small,
      steps: [
        { run in
          do {
            try run.write { db in
              try change(db)
              throw Refusal()
            }
          } catch is Refusal {}
        }
      ]),
    FaultScenario(
      name: "savepoint", configure: useWAL,
      // The caller goes on after the savepoint, which has ended the transaction.
      tolerated: [.SQLITE_ABORT],
      steps: [
        { run in
          try run.write { db in
            try db.execute(sql: "UPDATE item SET number = 1 WHERE id < 10")
            do {
              try db.inSavepoint {
                try change(db)
                throw Refusal()
              }
            } catch is Refusal {}
          }
        }
      ]),
    FaultScenario(
      name: "migration",
      steps: [
        { try migrator.migrate($0.opened(), upTo: "first") },
        { try migrator.migrate($0.opened()) },
      ]),
    FaultScenario(
      name: "checkpoint", configure: useWAL, prepare: { try $0.write(change) },
      steps: [{ _ = try $0.opened().writeWithoutTransaction { try $0.checkpoint(.truncate) } }]),
  ]
}

private var migrator: DatabaseMigrator {
  var migrator = DatabaseMigrator()
  migrator.registerMigration("first") { db in
    try db.create(table: "author") { table in
      table.autoIncrementedPrimaryKey("id")
      table.column("name", .text).notNull()
    }
    try db.execute(sql: "INSERT INTO author (name) SELECT text FROM item WHERE id < 20")
  }
  migrator.registerMigration("second") { db in
    try db.alter(table: "author") { $0.add(column: "age", .integer) }
    try db.execute(sql: "UPDATE author SET age = id; DELETE FROM item")
  }
  return migrator
}

/// A row, whose number is read as text: SQLite needs memory for it.
private struct Item: Codable, Equatable, FetchableRecord, TableRecord {
  var id: Int
  var number: String?
  var text: String

  init(_ id: Int) {
    self.id = id
    number = "\(id * 7 % 31)"
    text = "text \(id)" + String(repeating: "00", count: id * 4)
  }
}

private var readingScenarios: [FaultScenario] {
  func isRight<T: Equatable>(_ value: T, _ expected: T) throws {
    guard value == expected else { throw ScenarioError("read \(value), not \(expected)") }
  }
  let read: FaultScenario.Step = { run in
    try run.read { db in
      try isRight(try Int.fetchOne(db, sql: "SELECT count(*) FROM item"), 60)
      // Values that SQLite makes when they are asked for.
      try isRight(try String.fetchOne(db, sql: "SELECT 12345 + 0"), "12345")
      try isRight(
        try String.fetchAll(db, sql: "SELECT id FROM item ORDER BY id"), (1...60).map { "\($0)" })
      try isRight(try Data.fetchOne(db, sql: "SELECT zeroblob(50)")?.count, 50)
      let rows = try Row.fetchAll(db, sql: "SELECT *, zeroblob(id) z FROM item ORDER BY id")
      try isRight(
        rows.map { ($0["text"] as String).utf8.count }, (1...60).map { "text \($0)".count + $0 * 8 }
      )
      try isRight(rows.map { ($0["data"] as Data).count }, (1...60).map { $0 * 9 })
      try isRight(rows.map { ($0["z"] as Data).count }, Array(1...60))
    }
  }
  let arrays: FaultScenario.Step = { run in
    try run.read { db in
      let ids = try Int.fetchAll(
        db, sql: "SELECT id FROM item WHERE id IN (?) AND text NOT IN (?) ORDER BY id",
        arguments: [[3, 5, 8], ["x", "y"]])
      try isRight(ids, [3, 5, 8])
      let count = try Int.fetchOne(
        db, sql: "SELECT count(*) FROM item WHERE id IN (:ids)", arguments: ["ids": Set(1...40)])
      try isRight(count, 40)
    }
  }
  let arguments: FaultScenario.Step = { run in
    try run.read { db in
      let statement = try db.makeStatement(
        sql: "SELECT count(*) FROM item WHERE text > ? AND id IN (?)")
      // The setters can't throw: the execution does.
      statement.arguments = [String(repeating: "a", count: 500), [1, 2, 3]]
      try isRight(try Int.fetchOne(statement), 3)
      statement.setUncheckedArguments([String(repeating: "b", count: 700), [4, 5]])
      try isRight(try Int.fetchOne(statement), 2)
    }
  }
  let records: FaultScenario.Step = { run in
    try run.read { db in
      try isRight(try Item.fetchOne(db, key: 7), Item(7))
      try isRight(try Item.filter(key: 8).fetchOne(db), Item(8))
      try isRight(try Item.order(Column("id")).fetchAll(db), (1...60).map(Item.init))
      try isRight(
        try Item.select(Column("number"), as: String.self).order(Column("id")).fetchOne(db), "7")
    }
  }
  return [
    FaultScenario(name: "read", steps: [read]),
    FaultScenario(
      name: "read-utf16", sql: "PRAGMA encoding = 'UTF-16'; " + FaultScenario.table, steps: [read]),
    FaultScenario(name: "read-pool", isPool: true, steps: [read]),
    FaultScenario(name: "arrays", steps: [arrays]),
    FaultScenario(name: "arguments", steps: [arguments]),
    FaultScenario(name: "records", steps: [records]),
    FaultScenario(
      name: "documents",
      steps: [
        { run in
          let notes = try DocumentStore(run.opened()).collection(Note.self)
          run.kept = notes
        },
        { run in
          guard let notes = run.kept as? DocumentCollection<Note> else { return }
          try notes.insert((0..<5).map { Note(id: "n\($0)", author: "Ada", tags: ["a"]) })
        },
        { run in
          guard let notes = run.kept as? DocumentCollection<Note> else { return }
          let found = try notes.filter(\.author, equalTo: "Ada").fetchMany()
          try isRight(found.count, 5)
          try notes.save(Note(id: "n1", author: "Grace"))
        },
      ]),
  ]
}

/// The values that an observation has delivered.
private final class Delivered: Sendable {
  let values = Mutex<(counts: [Int], errors: Int)>(([], 0))
}

private var observationScenarios: [FaultScenario] {
  func scenario(_ name: String, isPool: Bool) -> FaultScenario {
    FaultScenario(
      name: name, isPool: isPool,
      steps: [
        { run in
          let delivered = Delivered()
          let cancellable = ValueObservation.tracking { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM item") ?? -1
          }.start(
            in: try run.opened(), scheduling: .async(onQueue: DispatchQueue(label: "values")),
            onError: { _ in delivered.values.withLock { $0.errors += 1 } },
            onChange: { count in delivered.values.withLock { $0.counts.append(count) } })
          run.kept = (delivered, cancellable)
        },
        { try $0.write { try $0.execute(sql: "DELETE FROM item WHERE id > 30") } },
        { try $0.write { try $0.execute(sql: "DELETE FROM item WHERE id > 20") } },
      ],
      check: { run in
        guard let (delivered, cancellable) = run.kept as? (Delivered, AnyDatabaseCancellable)
        else { return }
        try run.write { try $0.execute(sql: "INSERT INTO item (id) VALUES (1000)") }
        let count = try run.opened().read {
          try Int.fetchOne($0, sql: "SELECT count(*) FROM item") ?? -2
        }
        // An observation that hasn't told an error goes on, and misses nothing.
        var waits = 0
        while delivered.values.withLock({ $0.errors == 0 && $0.counts.last != count }) {
          waits += 1
          guard waits < 30_000 else {
            throw ScenarioError("\(delivered.values.withLock { $0 }) is not \(count)")
          }
          usleep(1000)
        }
        cancellable.cancel()
        try run.write { try $0.execute(sql: "DELETE FROM item WHERE id = 1000") }
      })
  }
  return [
    scenario("observation", isPool: false), scenario("observation-pool", isPool: true),
    FaultScenario(
      name: "pool", isPool: true,
      steps: [
        { run in try run.read { _ = try Row.fetchAll($0, sql: "SELECT * FROM item") } },
        { try $0.write(change) },
        { run in
          let pool = try run.opened()
          try pool.read { _ = try Row.fetchAll($0, sql: "SELECT * FROM item") }
          if let pool = pool as? DatabasePool {
            let snapshot = try pool.makeSnapshot()
            _ = try snapshot.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM item") }
          }
        },
      ]),
  ]
}

private var fileScenarios: [FaultScenario] {
  [
    FaultScenario(
      name: "backup",
      // SQLite's quick check tells of a page that couldn't be read.
      tolerated: [.SQLITE_CORRUPT],
      prepare: { run in
        let target = try DatabaseQueue(path: run.folder + "/copy", key: FaultRun.key())
        try target.write { try $0.execute(sql: "CREATE TABLE old (x); INSERT INTO old VALUES (1)") }
        run.kept = target
      },
      steps: [
        { run in
          guard let target = run.kept as? DatabaseQueue else { return }
          try run.opened().backup(to: target)
        }
      ],
      check: { run in
        guard let target = run.kept as? DatabaseQueue else { return }
        let copied = try target.read { db in
          guard try db.tableExists("item") else { return try db.tableExists("old") }
          return try Int.fetchOne(db, sql: "SELECT count(*) FROM item") == 60
        }
        guard copied else { throw ScenarioError("the copy is neither old nor new") }
        let integrity = try target.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
        guard integrity == ["ok"] else { throw ScenarioError("the copy: \(integrity)") }
        try target.close()
      }),
    FaultScenario(
      name: "change-key", tolerated: [.SQLITE_ERROR],
      steps: [
        { run in
          let new = try FaultRun.key(0xA5)
          run.keys.append(new)
          guard let queue = run.writer as? DatabaseQueue else { return }
          do { try queue.changeKey(to: new) } catch { throw run.closingIfClosed(error) }
        }
      ]),
    FaultScenario(
      // SQLCipher can report success after doing nothing.
      name: "change-key-wal", isPool: true, tolerated: [.SQLITE_ERROR],
      prepare: { try $0.write(change) },
      steps: [
        { run in
          let new = try FaultRun.key(0xA5)
          run.keys.append(new)
          guard let pool = run.writer as? DatabasePool else { return }
          do { try pool.changeKey(to: new) } catch { throw run.closingIfClosed(error) }
        }
      ]),
  ]
}

// MARK: Copies and conversions

/// Opens a file, which must have the template's rows and be sound.
private func requireWhole(
  _ path: String, _ key: DatabaseKey?, _ settings: CipherSettings = .default
) throws {
  var configuration = Configuration()
  configuration.key = key
  configuration.cipher = settings
  let queue = try DatabaseQueue(path: path, configuration: configuration)
  let (count, integrity) = try queue.read { db in
    (
      try Int.fetchOne(db, sql: "SELECT count(*) FROM item"),
      try String.fetchAll(db, sql: "PRAGMA integrity_check")
    )
  }
  guard count == 60, integrity == ["ok"] else {
    throw ScenarioError("\(path): \(count ?? -1) rows, \(integrity)")
  }
  let damaged = key == nil ? [] : try queue.checkCipherIntegrity()
  guard damaged.isEmpty else { throw ScenarioError("\(path): damaged pages \(damaged)") }
  try queue.close()
}

private var copyScenarios: [FaultScenario] {
  func scenario(
    _ name: String, key: DatabaseKey?, opensBefore: Bool = false, tolerated: Set<ResultCode> = [],
    _ copy: @escaping (FaultRun, String) throws -> Void
  ) -> FaultScenario {
    FaultScenario(
      name: name, opensBefore: opensBefore, tolerated: tolerated,
      steps: [
        { run in
          try copy(run, run.folder + "/copy")
          run.kept = true
        }
      ],
      check: { run in
        // A copy is there as a whole, or not at all.
        let path = run.folder + "/copy"
        if FileManager.default.fileExists(atPath: path) {
          try requireWhole(path, key)
        } else if run.kept != nil {
          throw ScenarioError("there is no copy")
        }
      })
  }
  let (own, other) = (try? FaultRun.key(), try? FaultRun.key(0xA5))
  // SQLite takes a failure to ask for the target's size for a file that is there already.
  let vacuumInto = scenario(
    "vacuum-into", key: own, opensBefore: true, tolerated: [.SQLITE_ERROR]
  ) { run, path in
    try run.opened().vacuum(into: path)
  }
  return [
    scenario("backup-to-path", key: own, opensBefore: true) { run, path in
      try run.opened().backup(toPath: path)
    },
    scenario("decrypt", key: nil) { run, path in
      try DatabaseFile.decrypt(at: run.path, key: run.keys[0], to: path)
    },
    scenario("convert", key: other) { run, path in
      try DatabaseFile.convert(
        at: run.path, key: run.keys[0], from: .default, newKey: other, newPath: path)
    },
    scenario("salvage", key: own) { run, path in
      let report = try DatabaseFile.salvage(at: run.path, key: run.keys[0], to: path)
      guard !report.isComplete else { return }
      // What can't be read is lost, and is said to be.
      try FileManager.default.removeItem(atPath: path)
      throw DatabaseError(resultCode: .SQLITE_IOERR, message: "\(report)")
    },
  ] + (SQLCipherGeneration.linked >= .four ? [vacuumInto] : [])
}

private var inPlaceScenarios: [FaultScenario] {
  typealias State = (key: DatabaseKey?, settings: CipherSettings)
  func scenario(
    _ name: String, from old: State, to new: State, _ change: @escaping (String) throws -> Void
  ) -> FaultScenario {
    FaultScenario(
      name: name,
      prepare: { run in
        let path = run.folder + "/other"
        let template = run.folder + "/../template/db"
        try DatabaseFile.decrypt(at: template, key: run.keys[0], to: path)
        if let key = old.key { try DatabaseFile.encrypt(at: path, to: path, key: key) }
      },
      steps: [
        { run in
          try change(run.folder + "/other")
          run.kept = true
        }
      ],
      check: { run in
        let path = run.folder + "/other"
        // After a failure, the file is in nearly all cases what it was. SQLCipher 3 can crash where
        // the settings have larger pages than the file.
        if run.kept == nil {
          do { return try requireWhole(path, old.key, old.settings) } catch {}
        }
        try requireWhole(path, new.key, new.settings)
      })
  }
  let (one, two) = (try? FaultRun.key(1), try? FaultRun.key(2))
  var large = CipherSettings.default
  large.pageSize = 8192
  let (plaintext, first) = ((nil, .default) as State, (one, .default) as State)
  return [
    scenario("encrypt-in-place", from: plaintext, to: (two, .default)) { path in
      if let two { try DatabaseFile.encrypt(at: path, to: path, key: two) }
    },
    scenario("decrypt-in-place", from: first, to: plaintext) { path in
      if let one { try DatabaseFile.decrypt(at: path, key: one, to: path) }
    },
    scenario("convert-in-place", from: first, to: (one, large)) { path in
      if let one { try DatabaseFile.convert(at: path, key: one, from: .default, to: large) }
    },
  ]
}

/// What fails must not look like a file that was put back.
private var freshness: FaultScenario {
  FaultScenario(
    name: "freshness", opensBefore: false, isFresh: true,
    steps: [
      { try $0.open() },
      { try $0.write(change) },
      { run in
        try run.opened().writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
      },
      { try $0.write { try $0.execute(sql: "DELETE FROM item WHERE id < 20") } },
      { run in
        let queue = try run.opened()
        run.writer = nil
        try queue.close()
      },
    ])
}
