import Coffer

extension Scenario {
  /// When what was committed has to be on the disk.
  private enum Durability {
    case atCommit
    /// At the checkpoint that follows the commit.
    case atCheckpoint
    case never
  }

  private static func commits(
    _ name: String, durability: Durability = .atCommit, isNew: Bool = false, isPool: Bool = false,
    steps: Int = 10, undoing: Bool = false,
    configuration make: @escaping @Sendable () -> Configuration
  ) -> Scenario {
    @Sendable func open(_ folder: Folder) throws -> any DatabaseWriter {
      var configuration = make()
      configuration.key = key(1)
      return isPool
        ? try DatabasePool(path: folder.database, configuration: configuration)
        : try DatabaseQueue(path: folder.database, configuration: configuration)
    }
    @Sendable func create(_ folder: Folder) throws {
      let writer = try open(folder)
      try writer.write { try Content.create($0) }
      try writer.close()
    }
    let kinds: [Database.CheckpointMode] = [.passive, .full, .restart, .truncate]
    return Scenario(
      name: name,
      prepare: { if !isNew { try create($0) } },
      run: { folder in
        if isNew { try create(folder) }
        let writer = try open(folder)
        for number in 1...steps {
          try step(number) {
            try writer.write { db in
              try Content.add(number, to: db)
              if undoing { try Content.undoChanges(of: db) }
            }
            guard durability == .atCheckpoint else { return }
            try writer.writeWithoutTransaction { _ = try $0.checkpoint(kinds[number % 4]) }
          }
        }
        try writer.close()
      },
      check: { folder, marks in
        let found = try checkedStep(of: folder.database, key: key(1)) ?? -2
        // A file that is being made can be empty.
        let least = durability == .never ? 0 : isNew && marks.begun == 0 ? -1 : marks.done
        try require((least...marks.begun).contains(found), "the database is at step \(found)")
      })
  }

  private static func hidingReadFailures(_ scenario: Scenario) -> Scenario {
    var scenario = scenario
    scenario.hidesReadFailures = true
    return scenario
  }

  private static func journal(_ mode: String, cachePages: Int = 2000) -> Configuration {
    var configuration = Configuration()
    configuration.journalMode = .delete
    configuration.cacheSize = cachePages * 4096
    configuration.prepareDatabase { db in
      _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = \(mode)")
    }
    return configuration
  }

  static let commits: [Scenario] = [
    hidingReadFailures(commits("commits of a new database", isNew: true) { Configuration() }),
    commits("commits of a queue") { Configuration() },
    commits("commits of a queue, each with a checkpoint", durability: .atCheckpoint) {
      Configuration()
    },
    commits("commits that are larger than the cache") {
      var configuration = Configuration()
      configuration.cacheSize = 40_960
      return configuration
    },
    commits("commits whose pages are written before", undoing: true) {
      var configuration = Configuration()
      configuration.cacheSize = 40_960
      configuration.changedPagesSize = 0
      return configuration
    },
    commits("commits of a pool", durability: .never, isPool: true) { Configuration() },
    commits(
      "commits of a pool, each with a checkpoint", durability: .atCheckpoint, isPool: true
    ) { Configuration() },
    commits("commits with a rollback journal") { journal("DELETE") },
    commits("commits with a truncated journal") { journal("TRUNCATE") },
    hidingReadFailures(commits("commits with a persistent journal") { journal("PERSIST") }),
    hidingReadFailures(
      commits("commits that spill, with a rollback journal") { journal("DELETE", cachePages: 10) }),
  ]
}
