import CRecorder
import Coffer
import Foundation

// Changes of keys, files, schemas and slots.

extension Scenario {
  /// Makes a database with some steps.
  static func make(
    _ path: String, _ key: DatabaseKey?, steps: Int = 3, journal: JournalMode = .default
  ) throws {
    var configuration = Configuration()
    configuration.key = key
    configuration.journalMode = journal
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.write { db in
      try Content.create(db)
      for number in 1...steps { try Content.add(number, to: db) }
    }
    try queue.close()
  }

  /// A change from one key or none to another, which leaves the one or the other.
  static func change(
    _ name: String, from old: DatabaseKey?, to new: DatabaseKey?, steps: Int = 3,
    journal: JournalMode = .default,
    settings: (CipherSettings, CipherSettings) = (.default, .default),
    _ body: @escaping @Sendable (Folder) throws -> Void
  ) -> Scenario {
    Scenario(
      name: name,
      prepare: { try make($0.database, old, steps: steps, journal: journal) },
      run: { folder in try step(1) { try body(folder) } },
      check: { folder, marks in
        let before = try checkedStep(of: folder.database, key: old, settings: settings.0)
        let after = try checkedStep(of: folder.database, key: new, settings: settings.1)
        let isOld = before == steps && after == nil
        let isNew = before == nil && after == steps
        try require(
          marks.done == 1 ? isNew : marks.begun == 1 ? isOld || isNew : isOld,
          "the old key gives \(before as Any), the new one \(after as Any)")
      })
  }

  /// The making of another file, which is whole or isn't there.
  ///
  /// - Parameter key: The key of the copy.
  /// - Parameter slots: What opens the slots of the database and of the copy; nil for none.
  static func copy(
    _ name: String, key copyKey: DatabaseKey?, slots: KeyUnlocker? = nil,
    _ body: @escaping @Sendable (Folder) throws -> Void
  ) -> Scenario {
    let sourceKey = slots.map { DatabaseKey.slots(unlocker: $0) } ?? key(1)
    return Scenario(
      name: name,
      prepare: { folder in
        if let slots {
          _ = try KeySlots.create(forDatabaseAt: folder.database, unlocker: slots)
        }
        try make(folder.database, sourceKey)
      },
      run: { folder in try step(1) { try body(folder) } },
      check: { folder, marks in
        try require(
          try checkedStep(of: folder.database, key: sourceKey) == 3, "the source has changed")
        let isThere = DatabaseFile.inspect(at: folder.file("copy.db")).kind != .missing
        if isThere {
          try require(
            try checkedStep(of: folder.file("copy.db"), key: copyKey) == 3,
            "the copy isn't whole")
        }
        try require(isThere || marks.done == 0, "there is no copy")
      })
  }

  static func salvage(_ folder: Folder, _ key: DatabaseKey) throws {
    let report = try DatabaseFile.salvage(
      at: folder.database, key: key, to: folder.file("copy.db"))
    // What can't be read is lost, and is said to be.
    guard report.isComplete else {
      try FileManager.default.removeItem(atPath: folder.file("copy.db"))
      throw Violation("\(report.damagedPages.count) pages could not be read")
    }
  }

  private static func converted() -> CipherSettings {
    var settings = CipherSettings.default
    settings.pageSize = 8192
    return settings
  }

  static let changes: [Scenario] = [
    change("a change of the key", from: key(1), to: key(2)) { folder in
      let queue = try DatabaseQueue(path: folder.database, key: key(1))
      try queue.changeKey(to: key(2))
      try queue.close()
    },
    change("encryption in place", from: nil, to: key(2)) { folder in
      try DatabaseFile.encrypt(at: folder.database, to: folder.database, key: key(2))
    },
    change("decryption in place", from: key(1), to: nil) { folder in
      try DatabaseFile.decrypt(at: folder.database, key: key(1), to: folder.database)
    },
    change(
      "conversion in place", from: key(1), to: key(1), settings: (.default, converted())
    ) { folder in
      try DatabaseFile.convert(
        at: folder.database, key: key(1), from: .default, to: converted())
    },
    copy("a backup", key: key(1)) { folder in
      let queue = try DatabaseQueue(path: folder.database, key: key(1))
      try queue.backup(toPath: folder.file("copy.db"))
      try queue.close()
    },
    copy("an encryption to another file", key: key(2)) { folder in
      try DatabaseFile.convert(
        at: folder.database, key: key(1), from: .default, newKey: key(2),
        newPath: folder.file("copy.db"))
    },
    copy("a decryption to another file", key: nil) { folder in
      try DatabaseFile.decrypt(at: folder.database, key: key(1), to: folder.file("copy.db"))
    },
    copy("salvage", key: key(1)) { try salvage($0, key(1)) },
    migrations, slots, newSlots,
  ]

  static let changesBesideOthers = [changeBesideReader, changeBesideAnother]

  /// The reader keeps the log from being checkpointed.
  private static let changeBesideReader = change(
    "a change of a pool's key beside a reader", from: key(1), to: key(2)
  ) { folder in
    let other = try DatabaseQueue(path: folder.database, key: key(1))
    var configuration = Configuration()
    configuration.busyMode = .immediateError
    let pool = try DatabasePool(path: folder.database, key: key(1), configuration: configuration)
    try other.read { db in
      _ = try Content.check(db)
      try pool.changeKey(to: key(2))
      // Before the reader's end lets the log be checkpointed.
      coffer_recorder_mark("done 1")
    }
  }

  /// The other connection keeps the log, so that what failed isn't found before the power is cut.
  private static let changeBesideAnother: Scenario = {
    var scenario = change(
      "a change of the key beside another connection", from: key(1), to: key(2)
    ) { folder in
      let other = try DatabaseQueue(path: folder.database, key: key(1))
      _ = try other.read { try Content.check($0) }
      let queue = try DatabaseQueue(path: folder.database, key: key(1))
      do {
        try queue.changeKey(to: key(2))
      } catch let error as DatabaseError {
        coffer_recorder_mark("promise \(error.hint ?? "")")
        throw error
      }
    }
    let check = scenario.check
    scenario.check = { folder, marks in
      try check(folder, marks)
      guard let promise = marks.promise else { return }
      let isOld = try checkedStep(of: folder.database, key: key(1)) != nil
      if promise.contains("The database has its old key.") { try require(isOld, promise) }
      if promise.contains("The database has the new key.") { try require(!isOld, promise) }
    }
    return scenario
  }()

  // MARK: Migrations

  private static func migrator() -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("content") { try Content.create($0) }
    for number in 1...6 {
      migrator.registerMigration("step \(number)") { db in
        try db.execute(sql: "ALTER TABLE item ADD COLUMN added\(number) TEXT")
        try Content.add(number, to: db)
      }
    }
    return migrator
  }

  private static let migrations = Scenario(
    name: "migrations",
    prepare: { try DatabaseQueue(path: $0.database, key: key(1)).close() },
    run: { folder in
      let queue = try DatabaseQueue(path: folder.database, key: key(1))
      for number in 1...6 {
        try step(number) { try migrator().migrate(queue, upTo: "step \(number)") }
      }
      try queue.close()
    },
    check: { folder, marks in
      let queue = try DatabaseQueue(path: folder.database, key: key(1))
      let found = try queue.checkedStep()
      let applied = try queue.read { db in try migrator().appliedIdentifiers(db) }
      let columns = try queue.read { db in
        try db.tableExists("item") ? try db.columns(in: "item").count - 3 : 0
      }
      try queue.close()
      try require(
        applied.count == found + 1 && columns == max(found, 0), "a migration in part: \(applied)")
      try require(
        (marks.done == 0 ? -1...marks.begun : marks.done...marks.begun).contains(found),
        "the database is at step \(found)")
    })

  // MARK: Key slots

  /// Which unlockers open a database.
  private static func openers(_ folder: Folder) throws -> Set<UInt8> {
    var openers: Set<UInt8> = []
    for number in UInt8(1)...4 {
      do {
        let queue = try DatabaseQueue(
          path: folder.database, key: .slots(unlocker: unlocker(number)))
        try require(try queue.checkedStep() == 1, "the content has changed")
        try queue.close()
        openers.insert(number)
      } catch KeySlotsError.noSlot {}
    }
    return openers
  }

  private static let slots = Scenario(
    name: "changes of key slots",
    prepare: { folder in
      _ = try KeySlots.create(forDatabaseAt: folder.database, unlocker: unlocker(1))
      try make(folder.database, .slots(unlocker: unlocker(1)), steps: 1)
    },
    run: { folder in
      let slots = try KeySlots.open(forDatabaseAt: folder.database)
      var added = 0
      try step(1) {
        try slots.add(unlocker(2), authorizedBy: unlocker(1))
        added = slots.all.last?.id ?? 0
      }
      try step(2) { try slots.change(added, to: unlocker(3), authorizedBy: unlocker(1)) }
      try step(3) {
        try slots.add(unlocker(4), authorizedBy: unlocker(3))
      }
      try step(4) { try slots.remove(added, authorizedBy: unlocker(1)) }
    },
    check: { folder, marks in
      let states: [Set<UInt8>] = [[1], [1, 2], [1, 3], [1, 3, 4], [1, 4]]
      let found = try openers(folder)
      try require(
        (marks.done...marks.begun).contains { states[$0] == found },
        "the unlockers \(found.sorted()) open it")
    })

  private static let newSlots = Scenario(
    name: "a new data key",
    prepare: { folder in
      _ = try KeySlots.create(forDatabaseAt: folder.database, unlocker: unlocker(1))
      try make(folder.database, .slots(unlocker: unlocker(1)), steps: 1)
    },
    run: { folder in
      let queue = try DatabaseQueue(path: folder.database, key: .slots(unlocker: unlocker(1)))
      try step(1) { try queue.changeKey(to: .slots(unlocker: unlocker(2))) }
      try queue.close()
    },
    check: { folder, marks in
      let found = try openers(folder)
      try require(
        (marks.done...marks.begun).contains { found == [UInt8($0 + 1)] },
        "the unlockers \(found.sorted()) open it")
    })
}
