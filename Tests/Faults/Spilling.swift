import Coffer
import Foundation

// Changes of all pages with a cache that is smaller than the file, and copies with their slots.

extension Scenario {
  typealias JournalMode = Configuration.JournalModeConfiguration

  /// With these, the file has twice as many pages as the cache.
  private static let manySteps = 12

  /// Calls `body` with a pool or a queue whose cache has ten pages.
  private static func withSmallCache(
    _ folder: Folder, isPool: Bool, _ body: (any DatabaseWriter) throws -> Void
  ) throws {
    var configuration = Configuration()
    configuration.key = key(1)
    configuration.cacheSize = 40_960
    // As the file is.
    let writer: any DatabaseWriter =
      isPool
      ? try DatabasePool(path: folder.database, configuration: configuration)
      : try DatabaseQueue(path: folder.database, configuration: configuration)
    try body(writer)
    try writer.close()
  }

  private static func vacuum(
    _ name: String, journal: JournalMode = .default, isPool: Bool = false
  ) -> Scenario {
    Scenario(
      name: name,
      prepare: { folder in
        try make(folder.database, key(1), steps: manySteps, journal: journal)
        // Free pages, so that others change their places.
        try withSmallCache(folder, isPool: isPool) { writer in
          try writer.write { db in
            try db.execute(
              sql: """
                CREATE TABLE filler AS SELECT * FROM item;
                CREATE TABLE behind AS SELECT * FROM item;
                DROP TABLE filler;
                """)
          }
        }
      },
      run: { folder in
        try withSmallCache(folder, isPool: isPool) { writer in
          try step(1) { try writer.vacuum() }
        }
      },
      check: { folder, _ in
        let found = try checkedStep(of: folder.database, key: key(1))
        try require(found == manySteps, "the database is at step \(found as Any)")
      })
  }

  private static let unlockerOfCopies = unlocker(1)

  static let spilling: [Scenario] = [
    change("a change of the key that spills to the log", from: key(1), to: key(2), steps: manySteps)
    {
      try withSmallCache($0, isPool: true) { try $0.changeKey(to: key(2)) }
    },
    change(
      "a change of the key that spills, with a rollback journal", from: key(1), to: key(2),
      steps: manySteps, journal: .delete
    ) {
      try withSmallCache($0, isPool: false) { try $0.changeKey(to: key(2)) }
    },
    vacuum("a VACUUM that spills to the log", isPool: true),
    vacuum("a VACUUM that spills, with a rollback journal", journal: .delete),
  ]

  static let copies: [Scenario] = [
    copy(
      "a backup with its slots", key: .slots(unlocker: unlockerOfCopies), slots: unlockerOfCopies
    ) { folder in
      let queue = try DatabaseQueue(
        path: folder.database, key: .slots(unlocker: unlockerOfCopies))
      try queue.backup(toPath: folder.file("copy.db"))
      try queue.close()
    },
    copy(
      "a conversion with its slots", key: .slots(unlocker: unlockerOfCopies),
      slots: unlockerOfCopies
    ) { folder in
      try DatabaseFile.convert(
        at: folder.database, key: .slots(unlocker: unlockerOfCopies), from: .default,
        newPath: folder.file("copy.db"))
    },
    copy(
      "salvage with its slots", key: .slots(unlocker: unlockerOfCopies), slots: unlockerOfCopies
    ) { folder in
      try salvage(folder, .slots(unlocker: unlockerOfCopies))
    },
    copy("a plaintext export", key: nil) { folder in
      let queue = try DatabaseQueue(path: folder.database, key: key(1))
      try queue.exportPlaintext(to: folder.file("copy.db"))
      try queue.close()
    },
  ]

  static let vacuumInto = copy("a VACUUM INTO another file", key: key(1)) { folder in
    let queue = try DatabaseQueue(path: folder.database, key: key(1))
    try queue.vacuum(into: folder.file("copy.db"))
    try queue.close()
  }
}
